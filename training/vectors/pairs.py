"""From lines to pairs of words that stand near each other, as skip-gram is trained on them; numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.translation.words import bare_words

Ids = NDArray[np.int64]
SPAN = 400_000
"""Words of the corpus whose pairs are made, and shuffled, at once."""


def commonest(lines: Iterable[str], count: int) -> tuple[list[str], int]:
    """Return the commonest words of `lines`, the most frequent first, and how many words there are."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(bare_words(line))
    kept = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:count]
    return [word for word, _ in kept], counts.total()


@dataclass(frozen=True, eq=False)
class PairCorpus:
    """Lines as ids, one after the other; words without a vector are left out, as word2vec leaves them out."""

    ids: Ids  # [word]
    lines: Ids  # [word] The number of each word's line

    @classmethod
    def of(cls, lines: Iterable[str], places: Mapping[str, int]) -> PairCorpus:
        """Return the corpus of `lines`."""
        ids: list[int] = []
        numbers: list[int] = []
        for number, line in enumerate(lines):
            found = [places[word] for word in bare_words(line) if word in places]
            ids.extend(found)
            numbers.extend([number] * len(found))
        return cls(np.array(ids, dtype=np.int64), np.array(numbers, dtype=np.int64))

    def counts(self, words: int) -> Ids:
        """Return how often each id occurs, [word]."""
        counts: Ids = np.bincount(self.ids, minlength=words)
        return counts

    def save(self, path: Path) -> None:
        """Write the corpus as npz."""
        np.savez(path, ids=self.ids.astype(np.int32), lines=self.lines.astype(np.int32))

    @classmethod
    def load(cls, path: Path) -> PairCorpus:
        """Read what `save` wrote."""
        with np.load(path) as kept:
            return cls(kept["ids"].astype(np.int64), kept["lines"].astype(np.int64))


def kept_share(counts: Ids, t: float) -> NDArray[np.float64]:
    """Return the probability with which each word stays in an epoch: min(1, sqrt(t / f)), equation 5 of the paper.

    Shapes: `counts` [word].
    """
    frequencies = np.maximum(counts, 1) / counts.sum()
    share: NDArray[np.float64] = np.minimum(1.0, np.sqrt(t / frequencies))
    return share


def noise(counts: Ids, power: float) -> NDArray[np.float64]:
    """Return P_n(w), [word]: the frequencies to a power, adding up to 1.

    Shapes: `counts` [word].
    """
    raised = np.maximum(counts, 1) ** power
    share: NDArray[np.float64] = raised / raised.sum()
    return share


def drawn(cumulated: NDArray[np.float64], shape: tuple[int, ...], chance: np.random.Generator) -> Ids:
    """Return words drawn from a distribution.

    Shapes: `cumulated` [word].
    """
    found: Ids = np.searchsorted(cumulated, chance.random(shape) * cumulated[-1], side="right")
    return np.minimum(found, len(cumulated) - 1)


def pairs_of(ids: Ids, lines: Ids, window: int, chance: np.random.Generator) -> tuple[Ids, Ids]:
    """Return each word with each that stands within its window, in its line; the window is drawn from 1 to `window`.

    Shapes: `ids` [word]; `lines` [word]; returns [pair].
    """
    reach = chance.integers(1, window + 1, size=len(ids))
    centres, contexts = [], []
    for distance in range(1, min(window, len(ids) - 1) + 1):
        together = lines[:-distance] == lines[distance:]
        forward, backward = together & (reach[:-distance] >= distance), together & (reach[distance:] >= distance)
        centres += [ids[:-distance][forward], ids[distance:][backward]]
        contexts += [ids[distance:][forward], ids[:-distance][backward]]
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *centres]), np.concatenate([nothing, *contexts])


def spans(corpus: PairCorpus) -> Sequence[slice]:
    """Return the parts of a corpus whose pairs are made at once."""
    return [slice(start, start + SPAN) for start in range(0, len(corpus.ids), SPAN)]


def epoch_pairs(
    corpus: PairCorpus, share: NDArray[np.float64], window: int, chance: np.random.Generator
) -> Iterator[tuple[float, Ids, Ids]]:
    """Give the pairs of an epoch, part by part in a drawn order, shuffled within each.

    Shapes: `share` [word].
    """
    parts = spans(corpus)
    for number, place in enumerate(chance.permutation(len(parts))):
        ids, lines = corpus.ids[parts[place]], corpus.lines[parts[place]]
        stays = chance.random(len(ids)) < share[ids]
        centres, contexts = pairs_of(ids[stays], lines[stays], window, chance)
        order = chance.permutation(len(centres))
        yield number / len(parts), centres[order], contexts[order]
