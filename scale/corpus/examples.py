"""For each head and label the sentences on which it fires most, kept while batches go by. numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.labels import LABELS, Labels
from models.measures.texts import Texts
from scale.corpus.statistics import KEPT, Examples

Array = NDArray[Any]


class Strongest:
    """The strongest examples so far."""

    def __init__(self, heads: int) -> None:
        self.examples = Examples.none(heads)

    def add(self, labels: Sequence[Labels], maps: Sequence[Array], facts: Texts, lines: Sequence[int]) -> set[int]:
        """Take in several texts.

        Shapes: `maps` [text, head, query, key].
        """
        codes = np.concatenate([each.codes for each in labels], axis=1)
        scores = np.concatenate([each.scores for each in labels], axis=1).astype(np.float32)
        heads = np.arange(codes.shape[1])
        numbers = np.asarray(lines, dtype=np.int64)[:, None]
        least, last = self.examples.scores[..., -1][heads, codes], self.examples.lines[..., -1][heads, codes]
        better = (scores > least) | ((scores == least) & (numbers < last))  # [text, head]
        places, owners = np.nonzero(better)
        if not len(places):
            return set()
        ranks = self._ranks(owners, codes[places, owners], scores[places, owners], numbers[places, 0])
        kept = ranks < KEPT
        places, owners, ranks = places[kept], owners[kept], ranks[kept]
        label = codes[places, owners]
        new = Examples.none(codes.shape[1])
        new.scores[owners, label, ranks] = scores[places, owners]
        new.lines[owners, label, ranks] = numbers[places, 0]
        pairs, weights = _pairs(maps, facts, places, owners, label)
        new.pairs[owners, label, ranks], new.weights[owners, label, ranks] = pairs, weights
        self.examples = self.examples.merged(new)
        return set(places.tolist())

    @staticmethod
    def _ranks(heads: Array, labels: Array, scores: Array, lines: Array) -> Array:
        """Return the rank of each candidate among those of its head and label."""
        group = heads * len(LABELS) + labels
        order = np.lexsort((lines, -scores, group))
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        ranks = np.empty(len(group), dtype=np.int64)
        ranks[order] = np.arange(len(group)) - np.repeat(starts, np.diff(starts, append=len(group)))
        return ranks


def _pairs(maps: Sequence[Array], facts: Texts, places: Array, heads: Array, labels: Array) -> tuple[Array, Array]:
    """Return the strongest cell of the pattern of each candidate, [candidate, 2], and its weight, [candidate]."""
    ends = np.cumsum([each.shape[1] for each in maps])
    layers = np.searchsorted(ends, heads, side="right")
    within = heads - np.concatenate(([0], ends[:-1]))[layers]
    pairs, weights = np.zeros((len(places), 2), dtype=np.int32), np.zeros(len(places), dtype=np.float32)
    cells: dict[tuple[int, int], Array] = {}
    for number, (place, layer, head, label) in enumerate(zip(places, layers, within, labels, strict=True)):
        key = int(place), int(label)
        if key not in cells:
            cells[key] = facts.samples[key[0]].cells(LABELS[key[1]])
        follows = cells[key]
        own = maps[layer][place, head, : follows.shape[0], : follows.shape[1]]
        flat = int(np.where(follows, own, -1).argmax())
        pairs[number] = divmod(flat, follows.shape[1])
        weights[number] = own.flat[flat] if follows.any() else 0
    return pairs, weights
