"""What heads read, text by text: shares of their reading, their entropy and their distance. numpy only.

One text or many: shorter texts are filled up with rows and columns of 0, which count for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.measures.entropy import entropy_of_rows
from models.measures.shares import Weights, missing_of, ratio, wholes_of

Array = NDArray[Any]


class Reading:
    """The heads of one layer on several texts."""

    def __init__(self, weights: Weights, queries: Sequence[int], keys: Sequence[int], *, causal: bool = False) -> None:
        self.weights, self.causal = weights, causal
        self.queries, self.keys = np.asarray(queries), np.asarray(keys)
        self.there = np.arange(weights.shape[2]) < self.queries[:, None]
        """Which rows are of each text: [text, query]."""
        kind = weights.dtype.type
        self.sums: Array = weights.sum(axis=-1)  # [text, head, query]
        rows = self.there[:, None]
        self.missing: Array = np.where(rows, missing_of(self.sums), kind(0))
        self.wholes: Array = np.where(rows, wholes_of(self.sums), kind(0))
        self.whole: Array = self.wholes.sum(axis=-1)
        """What all queries give, to tokens and to none: [text, head]."""
        self.given: dict[str, Array] = {}
        """What goes into the cells of patterns, as it was worked out: each [text, head]."""

    @classmethod
    def of(cls, weights: Weights, *, causal: bool = False) -> Self:
        """Return the reading of one text, measured in float64.

        Shapes: `weights` [head, query, key].
        """
        values = np.asarray(weights, dtype=np.float64)[None]
        return cls(values, values.shape[2:3], values.shape[3:], causal=causal)

    def among(self, places: Array) -> Reading:
        """Return what goes to some keys alone, everything else at 0.

        Shapes: `places` [text, key].
        """
        weights = self.weights * places[:, None, None]
        found = Reading(weights, self.queries.tolist(), self.keys.tolist(), causal=self.causal)
        found.may = self.may & places[:, None]
        return found

    @cached_property
    def may(self) -> NDArray[np.bool_]:
        """Which keys each query may read: [text, query, key]."""
        return np.arange(self.weights.shape[3]) < self.readable[..., None]

    @cached_property
    def moments(self) -> tuple[Array, Array, Array]:
        """The sums of each row's weights, and of the squares and cubes of what each of them differs from their mean.

        Arrays [text, head, query].
        """
        count = np.maximum(self.may.sum(axis=-1), 1).astype(self.sums.dtype)[:, None]
        away = np.where(self.may[:, None], self.weights - (self.sums / count)[..., None], 0)
        square = away * away
        return self.sums, square.sum(axis=-1), np.einsum("thqk,thqk->thq", square, away)

    @cached_property
    def received(self) -> Array:
        """What each key is given by all queries: [text, head, key]."""
        return np.asarray(self.weights.sum(axis=-2))

    @cached_property
    def entropies(self) -> Array:
        """The entropy of each row in bits: [text, head, query]; 0 beyond the end of a text."""
        found = entropy_of_rows(self.weights, np.where(self.there[:, None], self.sums, self.sums.dtype.type(1)))
        return np.where(self.there[:, None], found, found.dtype.type(0))

    @cached_property
    def readable(self) -> NDArray[np.int64]:
        """How many keys each query may read: [text, query]."""
        count = self.weights.shape[2]
        most = np.broadcast_to(self.keys[:, None], (len(self.keys), count))
        found = np.minimum(np.arange(1, count + 1), most) if self.causal else most
        return np.where(self.there, found, 0)

    def mean_entropy(self) -> Array:
        """Return how widely heads spread: the mean over queries of a row's entropy, in bits: [text, head]."""
        return ratio(self.entropies.sum(axis=-1), self.queries[:, None].astype(self.sums.dtype))

    @cached_property
    def choices(self) -> Array:
        """The most that the entropy of each row could be, in bits: [text, head, query].

        A head of which any row leaves something unread has one choice more in every row: no token.
        """
        more = (self.missing > 0).any(axis=-1, keepdims=True)  # [text, head, 1]
        most = np.log2(np.maximum(self.readable[:, None] + more, 1)).astype(self.sums.dtype)
        return np.where(self.there[:, None], most, most.dtype.type(0))

    def relative_entropy(self) -> Array:
        """Return `mean_entropy` as a share of the most that it could be, so that long and short texts compare.

        Shapes: returns [text, head].
        """
        return ratio(self.entropies.sum(axis=-1), self.choices.sum(axis=-1))

    def mean_distance(self) -> Array:
        """Return how far heads read: the mean of |query position - key position|, weighted by attention.

        Shapes: returns [text, head].
        """
        texts, heads, queries, keys = self.weights.shape
        away = _away(queries, keys).astype(self.weights.dtype)
        part = self.weights.reshape(texts, heads, queries * keys) @ away
        return ratio(part, self.sums.sum(axis=-1))

    def offset_given(self, *offsets: int) -> Array:
        """Return what goes to the keys that stand `offsets` places from their queries: [text, head]."""
        parts = [np.diagonal(self.weights, each, axis1=-2, axis2=-1).sum(axis=-1) for each in offsets]
        return np.asarray(sum(parts[1:], parts[0]))

    def key_given(self, places: Array) -> Array:
        """Return what goes to one key of each text, or to several: [text, head].

        Shapes: `places` [text, key].
        """
        return np.asarray((self.received @ places[..., None].astype(self.received.dtype))[..., 0])

    def most_given(self, places: Array) -> Array:
        """Return what goes to that key, of several of each text, that is given most: [text, head].

        Shapes: `places` [text, key].
        """
        return np.asarray(np.where(places[:, None], self.received, 0).max(axis=-1, initial=0))

    def cells_given(self, cells: Array) -> Array:
        """Return what goes along certain cells: [text, head].

        Shapes: `cells` [text, query, key].
        """
        texts, heads, queries, keys = self.weights.shape
        flat = self.weights.reshape(texts, heads, queries * keys)
        column = cells.reshape(texts, queries * keys, 1).astype(flat.dtype)
        return np.asarray((flat @ column)[..., 0])

    def share(self, given: Array) -> Array:
        """Return what is given as a share of all that the queries give, to no token too: [text, head].

        Shapes: `given` [text, head].
        """
        return ratio(given, self.whole)

    def unread_share(self) -> Array:
        """Return the share of the reading that goes to no token: [text, head]."""
        return ratio(self.missing.sum(axis=-1), self.whole)

    def rows_share(self, cells: Array, given: Array) -> Array:
        """Return, of the queries that have such a cell, the share of their reading that goes along them: [text, head].

        Shapes: `cells` [text, query, key]; `given` [text, head].
        """
        rows = np.asarray(cells.any(axis=-1))[:, None].astype(self.wholes.dtype)  # [text, 1, query]
        return ratio(given, (self.wholes * rows).sum(axis=-1))


@lru_cache(maxsize=512)
def _away(queries: int, keys: int) -> NDArray[np.int64]:
    """Return how far each key stands from each query, in a line: [query * key]."""
    return np.asarray(np.abs(np.arange(keys)[None, :] - np.arange(queries)[:, None]).ravel())
