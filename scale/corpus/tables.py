"""The tables that a corpus leaves, and the card that says where they come from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.measures.heads import MEASURES
from models.measures.labels import LABELS
from scale.corpus.counting import MOST, CountedModel
from scale.corpus.statistics import Statistics

if TYPE_CHECKING:
    from models.experiments.aligning_heads import AligningHead

CARD = "card.json"
Rows = Iterator[dict[str, Any]]


def write_tables(
    statistics: Statistics,
    model: CountedModel,
    folder: Path,
    card: Mapping[str, Any],
    aligning: Sequence[AligningHead] = (),
) -> None:
    """Write all tables and the card."""
    from pyarrow import Table, parquet

    tables: dict[str, list[dict[str, Any]]] = {
        "measures": list(_measures(statistics, model)),
        "labels": list(_labels(statistics, model)),
        "sharpness": list(_sharpness(statistics, model)),
        "similarity": list(_similarity(statistics, model)),
        "examples": list(_examples(statistics, model)),
        "errors": [{"line": line, "reason": reason} for line, reason in statistics.bad],
        "aligning": [
            {
                "layer": each.site.layer,
                "head": each.head,
                "reading": each.reading,
                "error_rate": each.error_rate,
                "aside": each.aside,
            }
            for each in aligning
        ],
    }
    for name, rows in tables.items():
        path = folder / f"{name}.parquet"
        path.unlink(missing_ok=True)
        if rows:
            parquet.write_table(Table.from_pylist(rows), path, compression="zstd")
    about = {**card, "sentences": statistics.sentences, "errors": len(statistics.bad), "unit": "word"}
    (folder / CARD).write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf8")


def _heads(model: CountedModel) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Return each head: its kind, its place among those of the kind, and what says so in a table."""
    for kind, sites in model.kinds.items():
        number = 0
        for site in sites:
            for head in range(model.heads[site]):
                yield kind, number, {"kind": kind, "layer": site.layer, "head": head}
                number += 1


def _measures(statistics: Statistics, model: CountedModel) -> Rows:
    """Return a row a head and measure: mean, deviation, histogram; of a pattern what chance gives."""
    sums = statistics.sums
    for kind, head, place in _heads(model):
        for measure in MEASURES:
            count = int(sums.get(f"{kind} count {measure.key}", 0))
            if not count:
                continue
            mean = sums[f"{kind} sum {measure.key}"][head] / count
            variance = sums[f"{kind} squares {measure.key}"][head] / count - mean**2
            row = {**place, "measure": measure.key, "sentences": count, "mean": float(mean)}
            row |= {"deviation": float(np.sqrt(max(variance, 0))), "most": MOST.get(measure.key, 1.0)}
            row["histogram"] = sums[f"{kind} histogram {measure.key}"][head].astype(np.int32).tolist()
            expected = sums.get(f"{kind} expected {measure.key}")
            row["by_chance"] = None if expected is None else float(expected[head] / count)
            beyond = sums.get(f"{kind} deviations {measure.key}")
            row["deviations_above_chance"] = None if beyond is None else float(beyond[head] / count)
            yield row


def _labels(statistics: Statistics, model: CountedModel) -> Rows:
    """Return a row a head and label that it has anywhere: in how many sentences, their share, the mean score."""
    for kind, head, place in _heads(model):
        counts = statistics.sums[f"{kind} labels"][head]
        scores = statistics.sums[f"{kind} scores"][head]
        for label, count, score in zip(LABELS, counts, scores, strict=True):
            if count:
                share = float(count / counts.sum())
                row = {**place, "label": label, "sentences": int(count), "share": share}
                yield {**row, "score": float(score / count)}


def _sharpness(statistics: Statistics, model: CountedModel) -> Rows:
    """Return how sharp each head is by the position that reads, and by the length of what is read."""
    sums = statistics.sums
    for kind, head, place in _heads(model):
        for by, count in (
            ("position", sums[f"{kind} position rows"][head]),
            ("length", sums[f"{kind} length sentences"]),
        ):
            total = sums[f"{kind} {by} sharpness"][head]
            for at in np.flatnonzero(count):
                number = int(at) + (by == "length")
                value = float(total[at] / count[at])
                yield {**place, "by": by, "at": number, "count": int(count[at]), "sharpness": value}


def _similarity(statistics: Statistics, model: CountedModel) -> Rows:
    """Return how differently every two heads of a kind read, on average."""
    heads = list(_heads(model))
    for kind in model.kinds:
        own = [place for each, _, place in heads if each == kind]
        count = int(statistics.sums.get(f"{kind} compared", 0))
        for first in range(len(own) if count else 0):
            for second in range(first + 1, len(own)):
                one, other = own[first], own[second]
                row = {**one, "other_layer": other["layer"], "other_head": other["head"], "sentences": count}
                yield {**row, "divergence": float(statistics.sums[f"{kind} divergence"][first, second] / count)}


def _examples(statistics: Statistics, model: CountedModel) -> Rows:
    """Return the sentences on which each head fires most, with the pair of words that has the most weight."""
    for kind, head, place in _heads(model):
        kept = statistics.examples.get(kind)
        for label, name in enumerate(LABELS if kept else ()):
            assert kept is not None
            for rank in np.flatnonzero(kept.scores[head, label] >= 0):
                line = int(kept.lines[head, label, rank])
                text = statistics.texts[line]
                query, key = (int(each) for each in kept.pairs[head, label, rank])
                rows = text.written if kind.endswith("cross") else text.read_in
                rows = rows if kind.startswith("decoder") and rows else text.words
                keys = rows if kind == "decoder.self" else text.words
                row = {**place, "label": name, "rank": int(rank), "score": float(kept.scores[head, label, rank])}
                row |= {"line": line, "source": text.source, "target": text.target}
                row |= {"query": query, "key": key, "query_word": rows[query], "key_word": keys[key]}
                yield {**row, "weight": float(kept.weights[head, label, rank])}
