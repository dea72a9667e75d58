"""Hidden tokens, whose weight stays visible as a column, and a threshold for cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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
    rows, columns : tuple of int, optional
        First and last of the rows and of the columns that are shown, counted from 0 among those that nothing else
        hides; a last one beyond the end means the end. What is given to other columns is in the last column.

    Raises
    ------
    ValueError
        If `threshold` is not from 0 to 1, `between` names texts that there are not, the last row or column is before
        the first, or rows and columns are chosen of a text that is folded.
    """

    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()
    target_input: tuple[int, ...] = ()
    threshold: float = 0.0
    between: tuple[int, int] | None = None
    opened: tuple[int, ...] | None = None
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.between is not None and not set(self.between) <= {0, 1}:
            message = f"between names two texts, 0 or 1 each; got {self.between}"
            raise ValueError(message)
        if not 0 <= self.threshold <= 1:
            message = f"threshold is a weight from 0 to 1; got {self.threshold}"
            raise ValueError(message)
        for span in filter(None, (self.rows, self.columns)):
            if not 0 <= span[0] <= span[1]:
                message = f"rows and columns are from a first to a last one, from 0; got {span}"
                raise ValueError(message)
            if self.opened is not None:
                message = "rows and columns are chosen of a text that is not folded; leave out opened"
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


class Span(NamedTuple):
    """The rows or the columns from `first` to `last`, counted from 0, of `total` that there are."""

    first: int
    last: int
    total: int

    @property
    def outside(self) -> int:
        """How many rows or columns are not in it."""
        return self.total - (self.last - self.first + 1)


def cut_to(
    span: tuple[int, int] | None, hidden: tuple[int, ...], tokens: TokenSequence
) -> tuple[tuple[int, ...], Span | None]:
    """Hide also what is outside `span` of the tokens that are not hidden; no span is returned if that is nothing."""
    kept = [place for place in range(len(tokens)) if place not in set(hidden)]
    if span is None or not kept:
        return hidden, None
    first, last = span[0], min(span[1], len(kept) - 1)
    if first > last:
        message = f"no row or column {first}; there are {len(kept)}"
        raise ValueError(message)
    cut = Span(first, last, len(kept))
    if not cut.outside:
        return hidden, None
    return tuple(sorted({*hidden, *kept[:first], *kept[last + 1 :]})), cut


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
