"""How often each head follows a pattern of the text over the sentences that come along. No torch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.corpus.kept import SHIPPED
from models.measures.asking import ASKABLE, follows, pattern_cells
from models.sites import Site
from models.trace import AttentionMap, AttentionTrace

TABLE = SHIPPED / "patterns.json"
"""By the hash of a model's weights; ``python -m scale.corpus.patterns`` writes it."""


@dataclass(frozen=True, slots=True)
class PatternRate:
    """How often one head follows one pattern."""

    share: float  # of the words that could, those whose largest weight does
    chance: float  # the same if the largest weight were on any token alike
    words: int  # that could


def rate_of(sha256: str, site: Site, head: int, pattern: str) -> PatternRate | None:
    """Return how often a head follows `pattern` over the sentences; None where it was not counted."""
    found = _table(TABLE).get(sha256, {}).get(f"{site.stack}.{site.kind}", {}).get(pattern)
    if found is None or str(site.layer) not in found["shares"]:
        return None
    return PatternRate(found["shares"][str(site.layer)][head], found["chance"], found["words"])


@lru_cache(maxsize=2)
def _table(path: Path) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf8"))["models"]
    return found


def count_patterns(traces: Iterable[AttentionTrace]) -> dict[str, Any]:
    """Count over many sentences how often the heads of one model follow each pattern, by kind of map."""
    counts: dict[tuple[str, str], _Count] = {}
    for trace in traces:
        cells: dict[tuple[str, str], NDArray[np.bool_]] = {}
        for each in trace:
            if each.site.kind == "self":
                _add(counts, cells, each.to_words())
    found: dict[str, Any] = {}
    for (kind, pattern), count in counts.items():
        found.setdefault(kind, {})[pattern] = count.as_table()
    return found


class _Count:
    """What was counted of one pattern in the maps of one kind."""

    def __init__(self) -> None:
        self.words, self.expected = 0, 0.0
        self.hits: dict[int, NDArray[np.float64]] = {}

    def as_table(self) -> dict[str, Any]:
        shares = {
            str(layer): [round(float(each), 3) for each in hits / self.words] for layer, hits in self.hits.items()
        }
        return {"words": self.words, "chance": round(self.expected / self.words, 3), "shares": shares}


def _add(
    counts: dict[tuple[str, str], _Count], known: dict[tuple[str, str], NDArray[np.bool_]], shown: AttentionMap
) -> None:
    """Add one map; `known` has the cells of each pattern of its sentence, which all layers share."""
    kind = f"{shown.site.stack}.{shown.site.kind}"
    for pattern in ASKABLE:
        first = (kind, pattern) not in known
        cells = known.setdefault((kind, pattern), pattern_cells(pattern, shown) if first else np.zeros(0, dtype=bool))
        rows = cells.any(axis=1)
        if not rows.any():
            continue
        count = counts.setdefault((kind, pattern), _Count())
        if first:
            readable = np.flatnonzero(rows) + 1 if shown.causal else cells.shape[1]
            count.words += int(rows.sum())
            count.expected += float((cells[rows].sum(axis=1) / readable).sum())
        hits = follows(shown, cells) * rows.sum()
        count.hits[shown.site.layer] = count.hits.get(shown.site.layer, 0) + hits
