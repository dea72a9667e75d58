"""Sparse attention: which keys a query may attend to by their distance, their block, or how strong their weights are.

Child et al. 2019, Generating Long Sequences with Sparse Transformers (strides); Qiu et al. 2020, Blockwise
Self-Attention; Beltagy et al. 2020, Longformer (windows); Gupta et al. 2021, Memory-Efficient Transformers via Top-k
Attention.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.edits.edit import Array, Edit, Part
from models.edits.words import place_in_words
from models.messages import CountMessage, Message

Places = NDArray[np.intp]


@dataclass(frozen=True)
class _Pattern(Edit):
    """An edit of the mask that depends on the positions of query and key alone, in every row and head.

    It is an AND: keys that the mask hides stay hidden. In self-attention every query keeps itself.
    """

    quantity = "mask"

    def apply(self, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return the mask `values` without the keys outside of the pattern; see `Edit.apply`.

        Parameters
        ----------
        values : bool array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array, optional
            Not needed.
        """
        self._check(values)
        kept = self.keeps(values.shape[-2], values.shape[-1], first_query)
        return values if kept.all() else values & kept

    def keeps(self, queries: int, keys: int, first_query: int = 0) -> NDArray[np.bool_]:
        """Return the pattern, [query, key]: True where a query may attend to a key.

        Parameters
        ----------
        queries, keys : int
        first_query : int, optional
            Absolute position of the first query row.
        """
        queries_at = np.arange(first_query, first_query + queries)[:, None]
        return np.asarray(self._keeps(queries_at, np.arange(keys)[None]), dtype=np.bool_)

    @abstractmethod
    def _keeps(self, queries: Places, keys: Places) -> Any:
        """Return the same for positions of queries, [query, 1], and of keys, [1, key]."""

    def _write(self, part: Array) -> None:
        part &= self.keeps(part.shape[-2], part.shape[-1])


@dataclass(frozen=True)
class Near(_Pattern):
    """Let every query attend only to keys at most `reach` positions from its own (sliding window)."""

    name = "near"

    reach: int

    def _keeps(self, queries: Places, keys: Places) -> Any:
        return np.abs(queries - keys) <= self.reach

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return CountMessage(
            "{place}: each query attends to itself and {count} key on each side",
            "{place}: each query attends to itself and {count} keys on each side",
            self.reach,
            place=place_in_words(self.site),
        )


@dataclass(frozen=True)
class Stride(_Pattern):
    """Let every query attend only to keys whose distance from its own position is a multiple of `size`."""

    name = "stride"

    size: int

    def _keeps(self, queries: Places, keys: Places) -> Any:
        return (queries - keys) % self.size == 0

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return CountMessage(
            "{place}: each query attends to keys {count} position apart, itself among them",
            "{place}: each query attends to keys {count} positions apart, itself among them",
            self.size,
            place=place_in_words(self.site),
        )


@dataclass(frozen=True)
class Block(_Pattern):
    """Cut the positions into blocks of `size`, and let every query attend only to keys of its own block."""

    name = "block"

    size: int

    def _keeps(self, queries: Places, keys: Places) -> Any:
        return queries // self.size == keys // self.size

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return CountMessage(
            "{place}: each query attends only to its block of {count} key",
            "{place}: each query attends only to its block of {count} keys",
            self.size,
            place=place_in_words(self.site),
        )


@dataclass(frozen=True)
class TopK(Edit):
    """Keep the `size` largest weights of every row of every head, and scale them to the sum that the row had.

    After a softmax this is the softmax over those keys alone. Of equal weights the first are kept.
    """

    name = "top_k"
    quantity = "weights"

    size: int

    def part(self, values: Array, first_query: int = 0) -> Part | None:
        """Return what the edit writes; see `Edit.part`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        """
        return None if self.size >= values.shape[-1] else super().part(values, first_query)

    def _write(self, part: Array) -> None:
        order = np.argsort(-part, axis=-1, kind="stable")
        whole = part.sum(axis=-1, keepdims=True)
        np.put_along_axis(part, order[..., self.size :], 0, axis=-1)
        kept = part.sum(axis=-1, keepdims=True)
        np.divide(part * whole, kept, out=part, where=kept > 0)

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return CountMessage(
            "{place}: each query keeps only its {count} largest weight",
            "{place}: each query keeps only its {count} largest weights",
            self.size,
            place=place_in_words(self.site),
        )


near = Near
stride = Stride
block = Block
top_k = TopK

Limit = Near | Stride | Block | TopK

PATTERNS: dict[str, type[Limit]] = {each.name: each for each in (Near, Stride, Block, TopK)}
"""Sparse attention by name: each takes a site and a number."""


def keys_left(edit: Limit, tokens: int) -> float:
    """Return how many keys a query of self-attention over so many tokens may attend to, on average.

    Parameters
    ----------
    edit : Edit
        One of `PATTERNS`.
    tokens : int
    """
    if isinstance(edit, TopK):
        return float(min(edit.size, tokens))
    return float(edit.keeps(tokens, tokens).sum() / tokens)
