"""Induction, duplicate-token and previous-token scores of heads on random words, read twice (Olsson et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.cards import WEIGHTS
from models.measures.texts import Cells, around, induction_cells, repeated_cells
from models.sites import Site
from models.trace import AttentionTrace

WORDS = 20
"""Random words, of which the text has two copies."""


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedScores:
    """The mean weight of each head of one layer in the cells of three patterns."""

    site: Site
    induction: NDArray[np.float64]  # [head] from the second copy to the token after the first
    duplicate: NDArray[np.float64]  # [head] from the second copy to the first
    previous: NDArray[np.float64]  # [head] to the previous token
    chance: float  # of induction: what a row that spreads its weight evenly gives


def repeated_text(seed: int = 0, words: int = WORDS) -> str:
    """Return random common words, twice, without punctuation."""
    known = _common_words()
    chosen = np.random.default_rng(seed).choice(len(known), words, replace=False)
    once = " ".join(known[place] for place in chosen)
    return f"{once} {once}"


def repeated_scores(trace: AttentionTrace) -> tuple[RepeatedScores, ...]:
    """Score every self-attention head on the tokens of a trace of `repeated_text`."""
    found = []
    for each in trace:
        if each.site.kind == "self":
            tokens = each.key_tokens
            pieces = zip(tokens.ids, map(str.strip, tokens.texts), strict=True)
            names = [place if place in tokens.specials else piece for place, piece in enumerate(pieces)]
            first = repeated_cells(names, causal=True)
            cells, before = induction_cells(names), around(len(names), len(names), (-1,))
            rows = cells.any(axis=1)
            readable = np.flatnonzero(rows) + 1 if each.causal else len(names)
            chance = float((cells[rows].sum(axis=1) / readable).mean()) if rows.any() else 0.0
            induction, duplicate, previous = (_mean(each.weights, places) for places in (cells, first, before))
            found.append(RepeatedScores(each.site, induction, duplicate, previous, chance))
    return tuple(found)


def _mean(weights: NDArray[np.float32], cells: Cells) -> NDArray[np.float64]:
    """Return what the rows that have such a cell give to it, on average: [head]."""
    rows = cells.any(axis=1)
    if not rows.any():
        return np.zeros(len(weights))
    return np.asarray((weights * cells).sum(axis=-1, dtype=np.float64)[:, rows].mean(axis=1))


@cache
def _common_words() -> tuple[str, ...]:
    """Return the common words among which is drawn: those of letters alone, none of them short."""
    lines = (WEIGHTS / "vectors" / "skip-gram-en" / "words.txt").read_text(encoding="utf8").split()
    return tuple(word for word in lines[:3000] if word.isalpha() and word.islower() and len(word) > 3)
