"""Hidden tokens, whose weight stays visible as a column, and a threshold for cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, TokenSequence
from viz.text.language import _, mark

HIDDEN = mark("⟨hidden⟩")
"""Message id: labels the column that holds what all hidden tokens are given together."""


@dataclass(frozen=True, slots=True)
class Hiding:
    """What a picture leaves out of the maps of a trace.

    Parameters
    ----------
    source, target, target_input : tuple of int
        Positions of hidden tokens in the trace's sequences of these names, counted in pieces. A word is hidden
        if all its pieces are.
    threshold : float
        Cells whose value is nearer to 0 than this are drawn empty, and counted.
    between : tuple of int, optional
        Of a pair of texts that are read together: the text whose tokens are rows, and the text whose tokens are
        columns, 0 or 1 each; all others are hidden.
    opened : tuple of int, optional
        Sentences, counted from 0, whose words keep rows and columns of their own, while each other sentence is folded
        to one row, the mean of its words, and one column, their sum. None folds none.

    Raises
    ------
    ValueError
        If `threshold` is not from 0 to 1, or `between` names texts that there are not.
    """

    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()
    target_input: tuple[int, ...] = ()
    threshold: float = 0.0
    between: tuple[int, int] | None = None
    opened: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.between is not None and not set(self.between) <= {0, 1}:
            message = f"between names two texts, 0 or 1 each; got {self.between}"
            raise ValueError(message)
        if not 0 <= self.threshold <= 1:
            message = f"threshold is a weight from 0 to 1; got {self.threshold}"
            raise ValueError(message)


NOTHING = Hiding()


def hide_specials(trace: AttentionTrace, *, threshold: float = 0.0, between: tuple[int, int] | None = None) -> Hiding:
    """Return what hides all tokens that the tokenizer says stand for no text, such as ``[CLS]`` and ``</s>``.

    Parameters
    ----------
    trace : AttentionTrace
    threshold, between : optional
        As in `Hiding`.
    """
    source, target, target_input = (each.specials for each in (trace.source, trace.target, trace.target_input))
    return Hiding(source, target, target_input, threshold, between)


def outside(tokens: TokenSequence, segment: int) -> tuple[int, ...]:
    """Return the positions of the tokens that are not of the text `segment` of a pair."""
    if not tokens.segments:
        message = "a map is cut between two texts of a pair; this is one text"
        raise ValueError(message)
    return tuple(place for place, each in enumerate(tokens.segments) if each != segment)


def hidden_mass(weights: NDArray[Any], keys: Sequence[int]) -> NDArray[np.float32]:
    """Return what each query gives to the hidden `keys` together: float32 [..., query].

    Shapes: `weights` [..., query, key].
    """
    return np.asarray(weights[..., list(keys)].sum(axis=-1, dtype=np.float64), dtype=np.float32)


def hide_tokens(shown: AttentionMap, *, queries: Sequence[int] = (), keys: Sequence[int] = ()) -> AttentionMap:
    """Leave out the rows of some tokens, and put the columns of some into one last column."""
    if not queries and not keys:
        return shown
    rows, columns = _kept(shown.query_tokens, queries, shown.site), _kept(shown.key_tokens, keys, shown.site)
    weights = shown.weights[:, rows]
    parts = [weights[..., columns]]
    if keys:
        parts.append(hidden_mass(weights, keys)[..., None])
    return replace(
        shown,
        weights=np.concatenate(parts, axis=-1),  # [head, shown query, shown key and the hidden ones]
        query_tokens=_taken(shown.query_tokens, rows),
        key_tokens=_taken(shown.key_tokens, columns, (_(HIDDEN),) if keys else ()),
        companions={},
        causal=False,  # positions of rows and columns no longer compare
    )


def _taken(tokens: TokenSequence, places: Sequence[int], more: tuple[str, ...] = ()) -> TokenSequence:
    """Return the tokens at `places`, then `more`, which are of no text and of no segment."""
    taken = TokenSequence.from_words((*(tokens.texts[place] for place in places), *more))
    specials = tuple(new for new, place in enumerate(places) if place in tokens.specials)
    segments = (*(tokens.segments[place] for place in places), *(-1 for _each in more)) if tokens.segments else ()
    return replace(taken, specials=specials, segments=segments)


def _kept(tokens: TokenSequence, hidden: Sequence[int], site: Site) -> list[int]:
    unknown = sorted(set(hidden) - set(range(len(tokens))))
    if unknown:
        message = f"{site}: no token at {unknown} to hide; there are {len(tokens)}"
        raise ValueError(message)
    return [place for place in range(len(tokens)) if place not in set(hidden)]


def drawn(values: NDArray[np.float32], threshold: float) -> NDArray[np.float32]:
    """Return `values` with NaN, which is drawn empty, where they are nearer to 0 than `threshold`.

    Shapes: `values` [query, key].
    """
    if not threshold:
        return values
    return np.where(np.abs(values) < threshold, np.float32(np.nan), values)
