"""Alignment error rate of attention against gold word alignments.

AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), S sure links, P possible ones (S among them), A those of the model
(Och and Ney 2003). A has one link a target word: to the source word that its row weighs most.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.trace import Alignment, AttentionMap, AttentionTrace, Reading, TokenSequence, merge_to_words
from models.translation.words import normalise

if TYPE_CHECKING:
    from models.translation.translator import Translator

Link = tuple[int, int]


@dataclass(frozen=True)
class GoldSentence:
    """A sentence pair with its gold links, (source index, target index), 0-based.

    Parameters
    ----------
    source, target : tuple of str
        Gold tokens.
    sure, possible : frozenset of (int, int)
        `possible` holds `sure`.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]


def read_gold(path: Path) -> Iterator[GoldSentence]:
    """Read ``id<TAB>source<TAB>target<TAB>links``; ``i-j`` is sure, ``i?j`` possible only."""
    with lzma.open(path, "rt", encoding="utf8") as lines:
        for line in lines:
            _, source, target, links = line.rstrip("\n").split("\t")
            sure = frozenset(_link(text, "-") for text in links.split() if "-" in text)
            possible = frozenset(_link(text, "?") for text in links.split() if "?" in text)
            yield GoldSentence(tuple(source.split(" ")), tuple(target.split(" ")), sure, sure | possible)


def _link(text: str, mark: str) -> Link:
    source, target = text.split(mark)
    return int(source), int(target)


def gold_indices(tokens: TokenSequence, gold: tuple[str, ...]) -> NDArray[np.int64]:
    """Return for each piece but the last (``</s>``) the index of the gold token that it belongs to.

    The text was the gold tokens joined by spaces, so that every word of `tokens` lies inside one of them.

    Raises
    ------
    ValueError
        If the words do not add up to the gold tokens.
    """
    owners: list[int] = []
    left = ""
    index = -1
    for word in tokens.word_texts[:-1]:
        if not left:
            index += 1
            left = normalise(gold[index])
        if not left.startswith(word):
            message = f"word {word!r} does not begin what is left of gold token {index}: {left!r}"
            raise ValueError(message)
        left = left[len(word) :]
        owners.append(index)
    return np.array([owners[word] for word in tokens.words[:-1]], dtype=np.int64)


def best_links(each: AttentionMap, trace: AttentionTrace, gold: GoldSentence) -> dict[int | str, frozenset[Link]]:
    """Return for each head, and for "mean", one link a target word: to the source word that its row weighs most.

    Parameters
    ----------
    each : AttentionMap
        A cross map of `trace` under either reading; its rows less that of ``</s>``, or ``<s>``, are the target's.
    trace : AttentionTrace
        Of the gold tokens joined by spaces, the gold target forced.
    gold : GoldSentence
    """
    keys = gold_indices(trace.source, gold.source)
    queries = gold_indices(trace.target, gold.target)
    rows = slice(1, None) if each.query_tokens == trace.target_input else slice(None, -1)
    weights = merge_to_words(each.weights[:, rows, :-1], query_words=queries, key_words=keys)
    named: dict[int | str, NDArray[np.float32]] = dict(enumerate(weights))
    named["mean"] = weights.mean(axis=0)
    return {
        name: frozenset((int(source), target) for target, source in enumerate(table.argmax(axis=-1)))
        for name, table in named.items()
    }


@dataclass
class ErrorRate:
    """Running counts of an alignment error rate."""

    hits: int = 0
    size: int = 0

    def add(self, links: frozenset[Link], gold: GoldSentence) -> None:
        """Count one sentence."""
        self.hits += len(links & gold.sure) + len(links & gold.possible)
        self.size += len(links) + len(gold.sure)

    @property
    def value(self) -> float:
        """The rate, 0 (best) to 1."""
        return 1 - self.hits / self.size


def error_rates(model: Translator, sentences: list[GoldSentence]) -> dict[tuple[str, int | str, Reading], float]:
    """Return the AER of every cross map, head ("mean" among them) and reading of `model`."""
    counts: dict[tuple[str, int | str, Reading], ErrorRate] = {}
    readings: tuple[Reading, ...] = ("written", "input")
    for gold in sentences:
        trace = model.attend(" ".join(gold.source), " ".join(gold.target), sites=("decoder.*.cross",))
        for site in trace.sites:
            for reading in readings:
                for head, links in best_links(trace.read(site, reading), trace, gold).items():
                    counts.setdefault((str(site), head, reading), ErrorRate()).add(links, gold)
    return {choice: count.value for choice, count in counts.items()}


def choose(rates: dict[tuple[str, int | str, Reading], float]) -> Alignment:
    """Return the choice of the lowest rate (on the trial set, never on a test set)."""
    from models.sites import Site

    site, head, reading = min(rates, key=lambda choice: rates[choice])
    return Alignment(Site.parse(site), head if isinstance(head, int) else "mean", reading)
