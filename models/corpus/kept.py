"""What a corpus said of each head, read from its tables: for a page, and for a notebook. No torch."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LOG = logging.getLogger(__name__)
SHIPPED = Path(__file__).parent / "shipped"
"""Tables that come along, a folder a model."""

_NEEDED = ("measures", "labels")


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence on which a head fires."""

    source: str
    query: str  # the two words of the cell that has the most weight
    key: str  # the two words of the cell that has the most weight
    score: float  # of the label, and of that cell
    weight: float  # of the label, and of that cell


@dataclass(frozen=True, slots=True, eq=False)
class KeptHead:
    """What one head did over a corpus."""

    labels: tuple[tuple[str, float], ...]  # each label that it had, and in which share of the sentences; the most first
    # by measure: in how many sentences its value fell into each bin, and where the last bin ends
    histograms: Mapping[str, tuple[NDArray[np.int64], float]]
    examples: Mapping[str, tuple[Example, ...]]  # by label, the strongest first
    means: Mapping[str, float] = field(default_factory=dict)  # by measure, over the sentences

    def share_below(self, measure: str, value: float) -> float | None:
        """Return the share of the sentences in which a measure was less than `value`; None if it is not known."""
        if measure not in self.histograms:
            return None
        counts, most = self.histograms[measure]
        place = min(max(value / most * len(counts), 0.0), len(counts) - 1e-9)
        whole = int(place)
        below = counts[:whole].sum() + counts[whole] * (place - whole)  # within a bin as if evenly spread
        return float(below / max(counts.sum(), 1))


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What a corpus said of a model."""

    card: Mapping[str, Any]  # of the model and the corpus
    heads: Mapping[tuple[str, int, int], KeptHead]  # by kind of map, such as ``encoder.self``, layer and head

    @property
    def sentences(self) -> int:
        """How many sentences there were."""
        return int(self.card["sentences"])


def find(sha256: str, folders: Iterable[Path] = ()) -> Kept | None:
    """Return what a corpus said of the model with these weights; the first of `folders`, else what comes along."""
    for folder in (*folders, SHIPPED):
        for card in (folder / "card.json", *sorted(folder.glob("*/card.json"))):
            try:
                if sha256 and card.is_file() and _of(card, card.stat().st_mtime_ns) == sha256:
                    return read(card.parent, card.stat().st_mtime_ns)
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                _LOG.warning("%s: not whole (%s)", card.parent, error)
    return None


@lru_cache(maxsize=64)
def _of(card: Path, _changed: int) -> str:
    """Return the hash of the weights that a folder is of; empty if it is not whole."""
    whole = all((card.parent / f"{name}.parquet").is_file() for name in _NEEDED)
    return str(json.loads(card.read_text(encoding="utf8")).get("sha256", "")) if whole else ""


@lru_cache(maxsize=16)
def read(folder: Path, _changed: int = 0) -> Kept:
    """Return what lies in a folder of tables."""
    labels: dict[tuple[str, int, int], list[tuple[str, float]]] = {}
    for row in _rows(folder, "labels"):
        labels.setdefault(_place(row), []).append((row["label"], row["share"]))
    histograms: dict[tuple[str, int, int], dict[str, tuple[NDArray[np.int64], float]]] = {}
    means: dict[tuple[str, int, int], dict[str, float]] = {}
    for row in _rows(folder, "measures"):
        if row["mean"] is not None:
            means.setdefault(_place(row), {})[row["measure"]] = row["mean"]
        histograms.setdefault(_place(row), {})[row["measure"]] = np.array(row["histogram"]), row["most"]
    examples: dict[tuple[str, int, int], dict[str, list[Example]]] = {}
    for row in _rows(folder, "examples"):
        example = Example(row["source"], row["query_word"], row["key_word"], row["score"], row["weight"])
        examples.setdefault(_place(row), {}).setdefault(row["label"], []).append(example)
    heads = {
        place: KeptHead(
            tuple(sorted(found, key=lambda each: -each[1])),
            histograms.get(place, {}),
            {label: tuple(each) for label, each in examples.get(place, {}).items()},
            means.get(place, {}),
        )
        for place, found in labels.items()
    }
    return Kept(json.loads((folder / "card.json").read_text(encoding="utf8")), heads)


def _place(row: Mapping[str, Any]) -> tuple[str, int, int]:
    return row["kind"], row["layer"], row["head"]


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    from pyarrow import parquet

    path = folder / f"{name}.parquet"
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist() if path.is_file() else []
    return rows
