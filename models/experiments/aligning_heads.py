"""Which head of an encoder-decoder aligns words: every head and reading against sentence pairs aligned by hand."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError
from models.experiments.alignment import READINGS, ErrorRate, GoldSentence, read_gold, word_map
from models.experiments.links import strongest_sources
from models.experiments.sweeps import Progress, silent
from models.messages import Message
from models.model import Model
from models.sites import Site
from models.trace import Reading

_FOLDER = Path(__file__).parent / "gold"

HeadReading = tuple[Site, int, Reading]


@dataclass(frozen=True, slots=True)
class AligningHead:
    """How well one head aligns under one reading."""

    site: Site  # of its map
    head: int
    reading: Reading  # whether a row belongs to the word that its step writes, or to the one just read in
    error_rate: float  # alignment error rate of its strongest links, 0 (best) to 1
    # share of its reading that goes to ``</s>`` and to punctuation, which aligns no word; mean over words written
    aside: float


def gold_file(pair: str) -> Path:
    """Return where the sentence pairs of the languages `pair` lie that are aligned by hand."""
    return _FOLDER / f"{pair}.tsv"


def gold_pairs() -> tuple[str, ...]:
    """Return the pairs of languages of which sentences are aligned by hand."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.tsv")))


def rank_heads(model: Model, pair: str | Path, *, on_progress: Progress = silent) -> tuple[AligningHead, ...]:
    """Return every head of cross-attention under both readings, the one that aligns best first.

    The model reads the source and is given the translation that was aligned; nobody's choice is tuned on these pairs.
    """
    sentences = tuple(read_gold(pair if isinstance(pair, Path) else gold_file(pair)))
    rates: dict[HeadReading, ErrorRate] = {}
    aside: dict[HeadReading, list[float]] = {}
    for number, gold in enumerate(sentences):
        on_progress(number / len(sentences))
        for key, weights in _maps(model, gold).items():
            rates.setdefault(key, ErrorRate()).add(strongest_sources(weights), gold)
            aside.setdefault(key, []).append(_aside(weights, gold.source))
    on_progress(1.0)
    found = [AligningHead(*key, rate.value, float(np.mean(aside[key]))) for key, rate in rates.items()]
    return tuple(sorted(found, key=lambda each: each.error_rate))


def _maps(model: Model, gold: GoldSentence) -> dict[HeadReading, NDArray[np.float32]]:
    trace = model.attend(" ".join(gold.source), " ".join(gold.target), sites=("decoder.*.cross.weights",))
    try:
        return {
            (site, head, reading): weights
            for site in trace.sites
            for reading in READINGS
            for head, weights in enumerate(word_map(trace.read(site, reading), trace, gold))
        }
    except (ValueError, IndexError) as error:
        message = Message(
            "The model splits these sentences into words differently from the alignment: {reason}", reason=error
        )
        raise InputError(message) from error


def _aside(weights: NDArray[np.float32], source: Sequence[str]) -> float:
    """Return what goes to no word: what rows of source tokens lack to 1, and what punctuation is given."""
    marks = [all(unicodedata.category(each).startswith("P") for each in token) for token in source]
    words = weights[:, ~np.array(marks)].sum(axis=1, dtype=np.float64)
    return float(np.clip(1 - words, 0, 1).mean())
