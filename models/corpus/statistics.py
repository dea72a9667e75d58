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
class Text:
    """The words of a line that is kept as an example.

    Parameters
    ----------
    source : str
    target : str
        The translation, given or written; empty for a model of one stack.
    words, read_in, written : tuple of str
        What labels the axes of its maps.
    """

    source: str
    target: str
    words: tuple[str, ...]
    read_in: tuple[str, ...] = ()
    written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """For each head and label the sentences on which it fires most; arrays [head, label, rank].

    Parameters
    ----------
    scores : float32 array
        Of the label, the highest first; -1 where there is none.
    lines : int64 array
        The number of the sentence: of equal scores the first line counts.
    pairs : int32 array, [head, label, rank, 2]
        The cell of the pattern, query and key, that has the most weight.
    weights : float32 array
        Of that cell.
    """

    scores: Array
    lines: Array
    pairs: Array
    weights: Array

    @classmethod
    def none(cls, heads: int, ranks: int = KEPT) -> Examples:
        """Return no examples.

        Parameters
        ----------
        heads : int
        ranks : int, optional
        """
        shape = heads, len(LABELS), ranks
        return cls(
            np.full(shape, -1, dtype=np.float32),
            np.full(shape, NOWHERE, dtype=np.int64),
            np.zeros((*shape, 2), dtype=np.int32),
            np.zeros(shape, dtype=np.float32),
        )

    def merged(self, other: Examples) -> Examples:
        """Return the best of both.

        Parameters
        ----------
        other : Examples
            Of other lines.
        """
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
    """What many sentences left: two of them added are what all their sentences leave.

    Parameters
    ----------
    sums : mapping of str to array
        Sums and counts, by what they are of.
    examples : mapping of str to Examples
        By kind of map, such as ``encoder.self``.
    texts : mapping of int to Text
        The lines that stand among the examples.
    bad : tuple of (int, str)
        Lines that could not be run, by number, and why.
    """

    sums: Mapping[str, Array] = field(default_factory=dict)
    examples: Mapping[str, Examples] = field(default_factory=dict)
    texts: Mapping[int, Text] = field(default_factory=dict)
    bad: tuple[tuple[int, str], ...] = ()

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
    """Return the sum of all; of none, nothing.

    Parameters
    ----------
    parts : iterable of Statistics
        Of different lines.
    """
    return sum(parts, Statistics())
