"""What stands where in a text, and which cells of a map follow which pattern. numpy only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.trace.tokens import is_punctuation

NEAR = 2
"""Tokens at either side that are near."""

OFFSETS = {"previous": (-1,), "same": (0,), "next": (1,), "near": tuple(range(-NEAR, NEAR + 1))}
"""Patterns of keys that stand so many places from their query."""

LINKED = {"aligned": 0, "behind": -1, "ahead": 1}
"""Patterns of the source of the word so many places from the one that is written."""

ONE = "one"
"""Pattern of the one token that a head reads most, of those that are neither first nor delimiters."""

INDUCTION = "induction"
"""Pattern of what came after an earlier occurrence of the query's own token."""

KEYS = ("first", "last", "delimiter", "punctuation")
"""Patterns of certain keys, whoever reads."""

Cells = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TextSample:
    """What must be known of a text, or of two, to measure how heads read it."""

    queries: int  # how many tokens read, and how many are read
    keys: int  # how many tokens read, and how many are read
    causal: bool = False  # whether a query could read only keys at or before its own position
    specials: tuple[int, ...] = ()  # positions of the keys that are special tokens
    # what each key token is, such that the same token stands twice where two are equal. Special tokens are all
    # different.
    names: tuple[Hashable, ...] = ()
    rows_sum_to_one: bool = True  # false where rows may give something to no token
    marks: tuple[int, ...] = ()  # positions of the keys that are punctuation
    # [query, key] Of a cross map: which key the word that a row writes is linked with, if that is known
    links: Cells | None = None

    @classmethod
    def of(cls, texts: Sequence[str], *, queries: int, specials: tuple[int, ...], **more: Any) -> Self:
        """Return what the keys of a map say of themselves."""
        names = [place if place in specials else text.strip() for place, text in enumerate(texts)]
        marks = tuple(place for place, text in enumerate(texts) if is_punctuation(text))
        return cls(queries, len(texts), specials=specials, names=tuple(names), marks=marks, **more)

    @property
    def delimiters(self) -> tuple[int, ...]:
        """Punctuation and special tokens after the first token, which has a measure of its own."""
        return tuple(sorted({*self.specials, *self.marks} - {0}))

    @property
    def ordinary(self) -> tuple[int, ...]:
        """The keys that are neither first nor delimiters."""
        return tuple(sorted({*range(1, self.keys)} - {*self.delimiters}))

    @property
    def repeats(self) -> bool:
        """Whether any token stands twice."""
        return len(set(self.names)) < len(self.names)

    @property
    def inducts(self) -> bool:
        """Whether any token came before and was followed by a token up to here."""
        return self.repeats and bool(induction_cells(self.names).any())

    def places(self, pattern: str) -> tuple[int, ...]:
        """Return the positions of the keys of a pattern of `KEYS`; of `ONE` those that may be it."""
        if pattern == "first":
            return (0,) if self.keys else ()
        if pattern == "last":
            return (self.keys - 1,) if self.keys else ()
        if pattern == ONE:
            return self.ordinary
        return self.delimiters if pattern == "delimiter" else self.marks

    def cells(self, pattern: str) -> Cells:
        """Return which cells follow a pattern: [query, key]; all of them for what is no pattern."""
        if pattern in OFFSETS:
            return around(self.queries, self.keys, OFFSETS[pattern], causal=self.causal)
        if pattern in LINKED:
            links = np.zeros((self.queries, self.keys), dtype=bool) if self.links is None else self.links
            return moved(links, LINKED[pattern]) if LINKED[pattern] else links
        if pattern == "repeated":
            return repeated_cells(self.names, causal=self.causal)
        if pattern == INDUCTION:
            return induction_cells(self.names)
        chosen = np.isin(np.arange(self.keys), self.places(pattern)) if pattern in KEYS else np.ones(self.keys, bool)
        return np.broadcast_to(chosen, (self.queries, self.keys))


@lru_cache(maxsize=2048)
def around(queries: int, keys: int, offsets: tuple[int, ...], *, causal: bool = False) -> Cells:
    """Return the cells whose key stands at one of `offsets` from its query: [query, key]."""
    away = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    found = np.isin(away, offsets) & (away <= 0 if causal else True)
    found.setflags(write=False)
    return found


def repeated_cells(names: Sequence[Hashable], *, causal: bool = False) -> Cells:
    """Return for each token at which other places the same token stands: [query, key]."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    codes = np.array([numbers[name] for name in names], dtype=np.int64)
    elsewhere = (codes[:, None] == codes[None, :]) & ~np.eye(len(codes), dtype=bool)
    return np.tril(elsewhere) if causal else elsewhere


def induction_cells(names: Sequence[Hashable]) -> Cells:
    """Return for each token the places behind its earlier occurrences: [query, key]."""
    found = np.zeros((len(names), len(names)), dtype=bool)
    found[:, 1:] = repeated_cells(names, causal=True)[:, :-1]
    return np.tril(found)


def moved(cells: Cells, steps: int) -> Cells:
    """Return the links of the word `steps` later than the one that each row writes: nothing past either end.

    Shapes: `cells` [query, key].
    """
    found = np.zeros_like(cells)
    if steps > 0:
        found[:-steps] = cells[steps:]
    else:
        found[-steps:] = cells[: len(cells) + steps]
    return found


def strongest_cells(weights: NDArray[Any], columns: Sequence[int], rows: Sequence[int], queries: int) -> Cells:
    """Return which key each query of a cross map is linked with: the one that its row weighs most.

    Shapes: `weights` [query, key]; returns [query, key].
    """
    values = np.array(weights)
    values[:, list(columns)] = -1
    cells = np.zeros((queries, values.shape[1]), dtype=bool)
    if values.size and len(columns) < values.shape[1]:
        cells[np.arange(len(values)), values.argmax(axis=1)] = True
    cells[list(rows)] = False
    return cells


class Texts:
    """Several texts side by side, shorter ones filled up with nothing."""

    def __init__(self, samples: Sequence[TextSample], queries: int | None = None, keys: int | None = None) -> None:
        self.samples = tuple(samples)
        self.queries = max((each.queries for each in samples), default=0) if queries is None else queries
        self.keys = max((each.keys for each in samples), default=0) if keys is None else keys
        self.causal = bool(samples) and samples[0].causal
        self._places: dict[str, Cells] = {}
        self._cells: dict[str, Cells] = {}

    def means(self, needs: Callable[[TextSample], bool] | None) -> Cells:
        """Return of which texts something can be said: [text]."""
        return np.array([needs is None or needs(each) for each in self.samples], dtype=bool)

    def places(self, pattern: str) -> Cells:
        """Return the keys of a pattern of `KEYS`, or those that may be `ONE`: [text, key]."""
        if pattern not in self._places:
            found = np.zeros((len(self.samples), self.keys), dtype=bool)
            for row, each in zip(found, self.samples, strict=True):
                row[list(each.places(pattern))] = True
            self._places[pattern] = found
        return self._places[pattern]

    def cells(self, pattern: str) -> Cells:
        """Return the cells of a pattern that each text has of its own: [text, query, key]."""
        if pattern not in self._cells:
            found = np.zeros((len(self.samples), self.queries, self.keys), dtype=bool)
            for rows, each in zip(found, self.samples, strict=True):
                if each.repeats if pattern in ("repeated", INDUCTION) else each.links is not None:
                    rows[: each.queries, : each.keys] = each.cells(pattern)
            self._cells[pattern] = found
        return self._cells[pattern]

    def counted(self, pattern: str, may: Cells) -> NDArray[np.int64]:
        """Return how many of the keys that each query may read are of a pattern: [text, query].

        Shapes: `may` [text, query, key].
        """
        found = np.zeros(may.shape[:2], dtype=np.int64)
        for rows, each, readable in zip(found, self.samples, may, strict=True):
            if pattern != "repeated" or each.repeats:
                cells = each.cells(pattern) & readable[: each.queries, : each.keys]
                rows[: each.queries] = cells.sum(axis=1)
        return found
