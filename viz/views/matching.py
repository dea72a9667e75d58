"""Words that two texts share, matched for comparison of their heads.

What is compared is the part of two maps that both have: rows and columns of words that are matched. What a query gives
to all other words stands in one more column, so that nothing is renormalised and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionMap, TokenSequence
from viz.text.language import _, mark
from viz.views.view import View

Pairs = tuple[tuple[int, int], ...]


def match_words(
    first: Sequence[str], second: Sequence[str], *, parts: tuple[Sequence[int], Sequence[int]] | None = None
) -> Pairs:
    """Match the words of two texts that are equal and in one order."""
    numbers = ((0,) * len(first), (0,) * len(second)) if parts is None else parts
    one, other = (
        [(part, text.strip()) for part, text in zip(each, texts, strict=True)]
        for each, texts in zip(numbers, (first, second), strict=True)
    )
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return tuple((block.a + step, block.b + step) for block in blocks for step in range(block.size))


def match_tokens(
    first: TokenSequence, second: TokenSequence, *, specials: bool = True, text: int | None = None
) -> Pairs:
    """Match the tokens of two records, those of the first of two texts read together with those of the first alone."""
    parts = None
    if first.segments or second.segments or text is not None:
        parts = _parts(first), _parts(second)
    found = match_words(first.texts, second.texts, parts=parts)
    if parts is not None and text is not None:
        found = tuple(pair for pair in found if parts[0][pair[0]] == text)
    if specials:
        return found
    return tuple((one, other) for one, other in found if one not in first.specials and other not in second.specials)


def _parts(tokens: TokenSequence) -> tuple[int, ...]:
    """Return of which text of a pair each token is; -1 of neither."""
    return tokens.segments or tuple(-1 if place in tokens.specials else 0 for place in range(len(tokens)))


@dataclass(frozen=True, slots=True)
class Matching:
    """Which rows and which columns of two maps are of the same words."""

    queries: Pairs  # as `match_words` gives them
    keys: Pairs  # as `match_words` gives them

    @classmethod
    def of_maps(
        cls,
        first: AttentionMap,
        second: AttentionMap,
        *,
        specials: bool = True,
        between: tuple[int, int] | None = None,
    ) -> Matching:
        """Match two maps by their tokens; of texts that are read in pairs, the first with the first alone."""
        rows, columns = (None, None) if between is None else between
        return cls(
            match_tokens(first.query_tokens, second.query_tokens, specials=specials, text=rows),
            match_tokens(first.key_tokens, second.key_tokens, specials=specials, text=columns),
        )

    @property
    def empty(self) -> bool:
        """Whether there is nothing that both maps have."""
        return not (self.queries and self.keys)

    def first(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return what is matched of the weights of the first map; see `matched`.

        Shapes: `weights` [..., query, key]; returns [..., matched query, matched key and all others].
        """
        return matched(weights, [one for one, _ in self.queries], [one for one, _ in self.keys])

    def second(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return what is matched of the weights of the second map; see `matched`.

        Shapes: `weights` [..., query, key]; returns [..., matched query, matched key and all others].
        """
        return matched(weights, [other for _, other in self.queries], [other for _, other in self.keys])


def matched(weights: NDArray[Any], queries: Sequence[int], keys: Sequence[int]) -> NDArray[np.float32]:
    """Return the weights of some queries on some keys, and what each of these queries gives to all other keys.

    Shapes: `weights` [..., query, key]; returns [..., chosen query, chosen key and all others].
    """
    rows = weights[..., list(queries), :]
    chosen = set(keys)
    others = [place for place in range(weights.shape[-1]) if place not in chosen]
    rest = rows[..., others].sum(axis=-1, dtype=np.float64)[..., None]
    return np.concatenate([rows[..., list(keys)], rest], axis=-1).astype(np.float32)


ELSEWHERE = mark("⟨elsewhere⟩")
"""Message id: labels the column that holds what all words that are not matched are given together."""


def matched_view(view: View, matching: Matching) -> View:
    """Return `view` with nothing but the rows and columns that are matched, and one column for all others."""
    shown = view.shown
    queries = [shown.query_tokens.texts[one] for one, _other in matching.queries]
    keys = [shown.key_tokens.texts[one] for one, _other in matching.keys]
    part = AttentionMap(
        shown.site,
        matching.first(view.weights)[None],
        TokenSequence.from_words(queries),
        TokenSequence.from_words((*keys, _(ELSEWHERE))),
        rows_sum_to_one=False,
    )
    masked = view.masked
    if masked is not None:
        masked = matching.first(~masked) == 0
        masked[:, -1] = False  # the column of all others
    return replace(view, shown=part, head=0, masked=masked)
