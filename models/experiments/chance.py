"""What attention maps look like by chance: the same texts through fresh weights, or the source words shuffled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.edits import Array
from models.errors import InputError
from models.experiments.sweeps import Progress, batches, silent
from models.messages import Message
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence, merge_to_words
from models.translation.replaying import Replay

OUTSIDE = 0.05
"""The most of what chance gives that a band leaves outside, if there are enough samples for that."""

ROUNDING = 1e-5
"""How far the weights of equal runs may lie apart."""

LEAST_SAMPLES = 20
"""Below that a band leaves more than one in ten outside."""

MOST_CELLS = 2**26
"""How many weights all samples may have together: 256 MiB."""

_ONE_AT_A_TIME = Lock()

Unit = Literal["word", "piece"]
How = Literal["weights", "order"]


@dataclass(frozen=True, eq=False)
class ChanceBands:
    """Where the weights of a map lie by chance."""

    site: Site
    # by networks of the same architecture with fresh weights, or by the trained one on the source words shuffled, its
    # columns, and in a map of the source on itself its rows too, put back to their words
    how: How
    unit: Unit  # of rows and columns
    samples: int
    # [head, query, key] The bounds of each cell: a new draw lies outside with the probability `expected`
    low: NDArray[np.float32]
    # [head, query, key] The bounds of each cell: a new draw lies outside with the probability `expected`
    high: NDArray[np.float32]
    mean_low: NDArray[np.float32]  # [query, key] The same for the mean over heads
    mean_high: NDArray[np.float32]  # [query, key] The same for the mean over heads
    outside: NDArray[np.int64]  # [sample, head] How many cells of each sample lie outside the band of the others
    mean_outside: NDArray[np.int64]  # [sample] The same for the mean over heads

    @property
    def expected(self) -> float:
        """The share of cells that lie outside by chance."""
        return 2 * _rank(self.samples) / (self.samples + 1)

    def by_sample(self, head: int | Literal["mean"]) -> NDArray[np.int64]:
        """Return how many cells of each sample lie outside the band of the others, for one head or their mean."""
        return self.mean_outside if head == "mean" else np.asarray(self.outside[:, head])

    def of(self, head: int | Literal["mean"]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the bounds for one head, or for the mean over heads: two arrays, [query, key]."""
        return (self.mean_low, self.mean_high) if head == "mean" else (self.low[head], self.high[head])

    def beyond(self, weights: Array, head: int | Literal["mean"]) -> NDArray[np.bool_]:
        """Return which cells of `weights`, [query, key], lie outside the band: more, or less, than chance gives.

        By more than `ROUNDING`: runs in a batch and runs alone differ in their last digits.

        Shapes: `weights` [query, key].
        """
        low, high = self.of(head)
        return np.asarray((weights < low - ROUNDING) | (weights > high + ROUNDING))


def chance_bands(
    replay: Replay,
    site: Site | str,
    *,
    how: How,
    unit: Unit = "word",
    samples: int = 40,
    seed: int = 0,
    on_progress: Progress = silent,
) -> ChanceBands:
    """Return where the weights of a map lie by chance, the same text read, or the same translation forced."""
    if samples < LEAST_SAMPLES:
        message = f"chance bands take {LEAST_SAMPLES} samples or more; got {samples}"
        raise ValueError(message)
    shown = replay.trace[site]
    if how == "order" and len(replay.free_words) < 2:
        message = Message("The sentence has one word. Type at least two, so their order can change.")
        raise InputError(message)
    if samples * shown.weights.size > MOST_CELLS:
        message = Message("This text is too long to compare so many attention maps. Shorten it.")
        raise InputError(message)
    draw = _fresh_maps if how == "weights" else _shuffled_maps
    drawn = draw(replay, shown.site, range(seed, seed + samples), on_progress)
    words = {"query_words": shown.query_tokens.words, "key_words": shown.key_tokens.words}
    maps = np.stack([merge_to_words(each, **words) if unit == "word" else each for each in drawn])
    (low, high, outside), (mean_low, mean_high, mean_outside) = map(_band, (maps, maps.mean(axis=1)))
    on_progress(1.0)
    return ChanceBands(shown.site, how, unit, samples, low, high, mean_low, mean_high, outside, mean_outside)


def _rank(samples: int) -> int:
    """Return which value from each end bounds a band.

    Of n draws and a new one, each order is equally likely: the new one lies below the k-th lowest, or above the k-th
    highest, with the probability 2 k / (n + 1). A percentile between two draws would be too narrow.
    """
    return max(int(OUTSIDE * (samples + 1) / 2), 1)


def _band(maps: Array) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Return the bounds of each cell of maps, [sample, ..., query, key], and how many of each lie outside the others'.

    Of the others the k-th lowest is the next one, if the sample itself is among the k lowest.
    """
    rank, ordered = _rank(len(maps)), np.sort(maps, axis=0).astype(np.float32)
    beyond = (maps < ordered[rank] - ROUNDING) | (maps > ordered[-1 - rank] + ROUNDING)
    return ordered[rank - 1], ordered[-rank], beyond.sum(axis=(-2, -1))


def _fresh_maps(replay: Replay, place: Site, seeds: Sequence[int], on_progress: Progress) -> Iterator[Array]:
    for number, seed in enumerate(seeds):
        on_progress(number / len(seeds))
        yield _fresh_map(replay, place, seed)


def _fresh_map(replay: Replay, place: Site, seed: int) -> Array:
    """Return the map at `place` of one fresh network, which is gone when this returns: two would not always fit."""
    with _ONE_AT_A_TIME:
        weights: Array = replay.fresh(seed).weights(replay.as_it_is(1), place)[0]
    return weights


def _shuffled_maps(replay: Replay, place: Site, seeds: Sequence[int], on_progress: Progress) -> Iterator[Array]:
    orders = [shuffled(replay.trace.source, replay.free_words, np.random.default_rng(seed)) for seed in seeds]
    for numbers in batches(len(orders), replay.most):
        on_progress(numbers.start / len(orders))
        several = np.stack([orders[number] for number in numbers])
        for order, weights in zip(several, replay.weights(several, place), strict=True):
            yield _put_back(weights, order, replay.trace, place)


def _put_back(weights: Array, order: NDArray[np.int64], trace: AttentionTrace, place: Site) -> Array:
    """Return a map, [head, query, key], of the source in `order` with its columns and rows where their words stand."""
    of_source = place.stack == "encoder" or not trace.is_translation
    back = np.empty_like(weights)
    if place.kind in ("cross", "hops"):
        back[..., order] = weights
    elif of_source:
        back[:, order[:, None], order] = weights
    else:
        return weights
    return back


def shuffled(source: TokenSequence, free: Sequence[int], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the positions of all tokens of `source` with its words `free` in another order, each word whole.

    All other words stay in their place among the words, and those of a pair of texts in their text.
    """
    owners = np.array(source.words)
    texts = np.array([source.segments[source.words.index(word)] if source.segments else 0 for word in free])
    words = np.arange(len(source.word_texts))
    for text in np.unique(texts):
        own = np.array(free)[texts == text]
        words[own] = own[generator.permutation(len(own))]
    return np.concatenate([np.flatnonzero(owners == word) for word in words])
