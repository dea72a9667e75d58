"""Alignment error rate of attention against gold word alignments.

AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), S sure links, P possible ones (S among them), A those of the model
(Och and Ney 2003), which are read off a map of words in one of two ways: `strongest_sources` or `grown_links`
(`models.experiments.links`). Which map, or which few heads together, is chosen on a trial set, never on a test set.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from models.experiments.links import Link, strongest_sources
from models.trace import AttentionMap, AttentionTrace, Reading, TokenSequence, merge_to_words
from models.translation.words import normalise

if TYPE_CHECKING:
    from models.translation.translator import Translator

Choice = tuple[str, int | Literal["mean"], Reading]
"""The address of a cross map, one of its heads or their mean, and how its rows are read."""

Extractor = Callable[[NDArray[np.float32]], frozenset[Link]]
"""Reads links, (source, target), off a map of words, [target, source]."""

READINGS: tuple[Reading, ...] = ("written", "input")
TOLD_APART = 0.01
"""Alignment error rates of a trial set of 37 sentences that differ by less are taken for equal."""
MOST_HEADS = 4
RESAMPLES = 1000
"""Of the bootstrap."""


@dataclass(frozen=True)
class GoldSentence:
    """A sentence pair with its gold links, (source index, target index), 0-based."""

    source: tuple[str, ...]  # gold tokens
    target: tuple[str, ...]  # gold tokens
    sure: frozenset[Link]  # `possible` holds `sure`
    possible: frozenset[Link]  # `possible` holds `sure`


def read_gold(path: Path) -> Iterator[GoldSentence]:
    """Read ``id<TAB>source<TAB>target<TAB>links``, xz or plain; ``i-j`` is sure, ``i?j`` possible only."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf8") as lines:
        for line in lines:
            _, source, target, links = line.rstrip("\n").split("\t")
            sure = frozenset(_link(text, "-") for text in links.split() if "-" in text)
            possible = frozenset(_link(text, "?") for text in links.split() if "?" in text)
            yield GoldSentence(tuple(source.split(" ")), tuple(target.split(" ")), sure, sure | possible)


def _link(text: str, mark: str) -> Link:
    source, target = text.split(mark)
    return int(source), int(target)


def gold_indices(tokens: TokenSequence, gold: tuple[str, ...]) -> NDArray[np.int64]:
    """Return for each piece but special ones (``</s>``, a language) the index of the gold token that it belongs to.

    The text was the gold tokens joined by spaces, so that every word of `tokens` lies inside one of them, case aside.

    Shapes: returns [piece].
    """
    owners: dict[int, int] = {}
    left = ""
    index = -1
    special = set(tokens.to_words().specials)
    for place, text in enumerate(tokens.word_texts):
        if place in special:
            continue
        word = text.casefold()
        if not left:
            index += 1
            left = normalise(gold[index]).casefold()
        if not word or not left.startswith(word):
            message = f"word {text!r} does not begin what is left of gold token {index}: {left!r}"
            raise ValueError(message)
        left = left[len(word) :]
        owners[place] = index
    return np.array([owners[tokens.words[place]] for place in _plain(tokens)], dtype=np.int64)


def _plain(tokens: TokenSequence) -> list[int]:
    """Return the positions of the pieces that stand for text."""
    return [place for place in range(len(tokens)) if place not in tokens.specials]


def word_map(each: AttentionMap, trace: AttentionTrace, gold: GoldSentence) -> NDArray[np.float32]:
    """Return a cross map of gold tokens: the sum over the pieces of a source token, the mean over a target's.

    Shapes: returns [head, target, source].
    """
    return _word_map(each.weights, each.query_tokens, trace, gold)


def _word_map(
    weights: NDArray[np.float32], rows: TokenSequence, trace: AttentionTrace, gold: GoldSentence
) -> NDArray[np.float32]:
    keys = gold_indices(trace.source, gold.source)
    queries = gold_indices(trace.target, gold.target)
    weights = weights[:, _plain(rows)][:, :, _plain(trace.source)]
    return merge_to_words(weights, query_words=queries, key_words=keys)


@dataclass(frozen=True)
class AlignedSentence:
    """A gold sentence pair with every cross map that a model has of it."""

    gold: GoldSentence
    maps: dict[Choice, NDArray[np.float32]]  # [target, source]
    moved: dict[Choice, NDArray[np.float32]] = field(default_factory=dict)  # what is moved, where values were seen

    def links(self, choices: Sequence[Choice], extractor: Extractor) -> frozenset[Link]:
        """Read links off the mean of the maps of `choices`."""
        return extractor(np.mean([self.maps[choice] for choice in choices], axis=0))


def aligned(model: Translator, sentences: Collection[GoldSentence]) -> list[AlignedSentence]:
    """Run `model` on gold sentences; keep each cross map, head ("mean" among them) and reading, in both quantities."""
    found = []
    for gold in sentences:
        trace = model.attend(" ".join(gold.source), " ".join(gold.target), sites=("decoder.*.cross",))
        moved = _maps(trace.moved(), gold) if trace.has_moved else {}
        found.append(AlignedSentence(gold, _maps(trace, gold), moved))
    return found


def _maps(trace: AttentionTrace, gold: GoldSentence) -> dict[Choice, NDArray[np.float32]]:
    maps: dict[Choice, NDArray[np.float32]] = {}
    for site in trace.sites:
        for reading in READINGS:
            each = trace.read(site, reading)
            both = np.concatenate([each.weights, each.mean[None]])
            *heads, mean = _word_map(both, each.query_tokens, trace, gold)
            maps |= {(str(site), head, reading): weights for head, weights in enumerate(heads)}
            maps[str(site), "mean", reading] = mean
    return maps


@dataclass
class ErrorRate:
    """Running counts of an alignment error rate."""

    hits: int = 0
    size: int = 0
    sentences: list[tuple[int, int]] = field(default_factory=list)  # hits and size of each

    def add(self, links: frozenset[Link], gold: GoldSentence) -> None:
        """Count one sentence."""
        hits, size = len(links & gold.sure) + len(links & gold.possible), len(links) + len(gold.sure)
        self.sentences.append((hits, size))
        self.hits += hits
        self.size += size

    @property
    def value(self) -> float:
        """The rate, 0 (best) to 1."""
        return 1 - self.hits / self.size

    def interval(self) -> tuple[float, float]:
        """Return the middle 95 % of the rate over `RESAMPLES` draws of as many sentences (percentile bootstrap)."""
        counts = np.array(self.sentences)
        drawn = np.random.default_rng(0).integers(len(counts), size=(RESAMPLES, len(counts)))
        hits, sizes = counts[drawn].sum(axis=1).T
        low, high = np.quantile(1 - hits / np.maximum(sizes, 1), (0.025, 0.975))
        return float(low), float(high)


def counted(sentences: Sequence[AlignedSentence], choices: Sequence[Choice], extractor: Extractor) -> ErrorRate:
    """Count the links that `extractor` reads off the mean of the maps of `choices`."""
    count = ErrorRate()
    for each in sentences:
        count.add(each.links(choices, extractor), each.gold)
    return count


def error_rate(sentences: Sequence[AlignedSentence], choices: Sequence[Choice], extractor: Extractor) -> float:
    """Return the AER of the links that `extractor` reads off the mean of the maps of `choices`."""
    return counted(sentences, choices, extractor).value


def error_rates(sentences: Sequence[AlignedSentence], extractor: Extractor = strongest_sources) -> dict[Choice, float]:
    """Return the AER of every cross map, head ("mean" among them) and reading."""
    return {choice: error_rate(sentences, (choice,), extractor) for choice in sentences[0].maps}


def choose(rates: dict[Choice, float], reading: Reading | None = None) -> Choice:
    """Return the choice of the lowest rate (on the trial set, never on a test set).

    Of choices that so few sentences do not tell apart, within `TOLD_APART` of the lowest, one whose rows are the words
    written is taken: a row that stands for the next word is harder to read.
    """
    rates = {choice: rate for choice, rate in rates.items() if reading in (None, choice[2])}
    lowest = min(rates.values())
    close = [choice for choice, rate in rates.items() if rate < lowest + TOLD_APART]
    return min(close, key=lambda choice: (choice[2] != "written", rates[choice]))


def choose_heads(
    sentences: Sequence[AlignedSentence], extractor: Extractor, most: int = MOST_HEADS
) -> tuple[Choice, ...]:
    """Return the heads, at most `most`, whose mean aligns best: one joins at a time, as long as the rate falls."""
    single = [choice for choice in sentences[0].maps if choice[1] != "mean"]
    chosen: tuple[Choice, ...] = ()
    lowest = float("inf")
    while len(chosen) < most:
        rates = {each: error_rate(sentences, (*chosen, each), extractor) for each in single if each not in chosen}
        best = min(rates, key=lambda choice: rates[choice], default=None)
        if best is None or rates[best] >= lowest:
            break
        chosen, lowest = (*chosen, best), rates[best]
    return chosen
