"""What is kept of many sentences: sums, counts and the strongest examples. It adds up, in any order. numpy only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.labels import LABELS

Array = NDArray[Any]

KEPT = 20
"""How many examples are kept for each head and label."""

NOWHERE = np.iinfo(np.int64).max
"""The line of an example that there is not."""


@dataclass(frozen=True, slots=True)
class CountedText:
    """The words of a line that is kept as an example."""

    source: str
    target: str  # the translation, given or written; empty for a model of one stack
    words: tuple[str, ...]  # what labels the axes of its maps
    read_in: tuple[str, ...] = ()  # what labels the axes of its maps
    written: tuple[str, ...] = ()  # what labels the axes of its maps


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """For each head and label the sentences on which it fires most; arrays [head, label, rank]."""

    scores: Array  # of the label, the highest first; -1 where there is none
    lines: Array  # the number of the sentence: of equal scores the first line counts
    pairs: Array  # [head, label, rank, 2] The cell of the pattern, query and key, that has the most weight
    weights: Array  # of that cell

    @classmethod
    def none(cls, heads: int, ranks: int = KEPT) -> Examples:
        """Return no examples."""
        shape = heads, len(LABELS), ranks
        return cls(
            np.full(shape, -1, dtype=np.float32),
            np.full(shape, NOWHERE, dtype=np.int64),
            np.zeros((*shape, 2), dtype=np.int32),
            np.zeros(shape, dtype=np.float32),
        )

    def merged(self, other: Examples) -> Examples:
        """Return the best of both."""
        scores, lines, pairs, weights = (
            np.concatenate(both, axis=2)
            for both in (
                (self.scores, other.scores),
                (self.lines, other.lines),
                (self.pairs, other.pairs),
                (self.weights, other.weights),
            )
        )
        order = np.lexsort((lines, -scores), axis=-1)[..., :KEPT]
        scores, lines, weights = (np.take_along_axis(each, order, axis=2) for each in (scores, lines, weights))
        return Examples(scores, lines, np.take_along_axis(pairs, order[..., None], axis=2), weights)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What many sentences left: two of them added are what all their sentences leave."""

    sums: Mapping[str, Array] = field(default_factory=dict)  # sums and counts, by what they are of
    examples: Mapping[str, Examples] = field(default_factory=dict)  # by kind of map, such as ``encoder.self``
    texts: Mapping[int, CountedText] = field(default_factory=dict)  # the lines that stand among the examples
    bad: tuple[tuple[int, str], ...] = ()  # lines that could not be run, by number, and why

    def __add__(self, other: Statistics) -> Statistics:
        sums = dict(self.sums)
        for name, values in other.sums.items():
            sums[name] = sums[name] + values if name in sums else values
        examples = dict(self.examples)
        for kind, each in other.examples.items():
            examples[kind] = examples[kind].merged(each) if kind in examples else each
        kept = {int(line) for each in examples.values() for line in np.unique(each.lines)}
        texts = {line: text for line, text in {**self.texts, **other.texts}.items() if line in kept}
        return Statistics(sums, examples, texts, tuple(sorted((*self.bad, *other.bad))))

    @property
    def sentences(self) -> int:
        """How many sentences were run."""
        return int(self.sums["sentences"]) if "sentences" in self.sums else 0


def fold(parts: Iterable[Statistics]) -> Statistics:
    """Return the sum of all; of none, nothing."""
    return sum(parts, Statistics())
