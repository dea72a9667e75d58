"""BLEU by source length: ``python -m training.lengths --data DIR``.

Measures every shipped model of a pair on one held-out file, without the sources that stand in its training text
(`training.unseen`), a group of sources for each span of lengths, and writes
``models/weights/<pair>/lengths.csv``: BLEU with the 95% interval of a bootstrap over the sentences (sacrebleu). A model
that was trained on nothing of the file's source is left out: it fails at any length.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal

import torch
import typer
from sacrebleu.metrics.bleu import BLEU
from tqdm import tqdm

from models.command import Threads, check_known, run
from models.loading import load_translator
from models.registry import catalog, describe
from models.translation.checkpoints import WEIGHTS
from models.translation.length_table import LENGTHS_FILE, LengthRow, length_table, trained_on
from models.translation.translator import Translator
from training.data import read_pairs
from training.evaluate import translate
from training.options import Data
from training.unseen import training_sources, unseen
from training.varying import Pair

FILES = {"en-fr": "europarl.test"}
SPAN = 5
"""Words of a group: 1 to 5, 6 to 10, ..."""
FEWEST = 30
"""A group of fewer sentences is left out: its BLEU would mean little."""
SAMPLES = 1000
"""Of the bootstrap."""


def groups_of(pairs: Sequence[Pair]) -> dict[int, list[Pair]]:
    """Put pairs into groups by the words of their sources, as white space parts them; return each under its most."""
    groups: dict[int, list[Pair]] = defaultdict(list)
    for source, target in pairs:
        groups[-(-max(len(source.split()), 1) // SPAN) * SPAN].append((source, target))
    return {most: groups[most] for most in sorted(groups) if len(groups[most]) >= FEWEST}


def measure(model: Translator, pairs: Sequence[Pair], *, most: int, file: str) -> LengthRow:
    """Return BLEU of one group, all of whose sources have `most` words or up to `SPAN` - 1 fewer."""
    references: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        references[source].append(target)
    outputs = translate(model, list(references))
    streams = [list(stream) for stream in zip_longest(*references.values())]
    score = BLEU().corpus_score(outputs, streams, n_bootstrap=SAMPLES)
    return LengthRow(
        key=model.key,
        file=file,
        fewest=most - SPAN + 1,
        most=most,
        sentences=len(references),
        bleu=round(score.score, 2),
        low=round(score._mean - score._ci, 2),
        high=round(score._mean + score._ci, 2),
        target_tokens=int(model.card["target_tokens_seen"]),
    )


def write(rows: Sequence[LengthRow], path: Path) -> None:
    """Write `rows` as CSV."""
    with path.open("w", encoding="utf8", newline="") as out:
        writer = csv.DictWriter(out, [each.name for each in fields(LengthRow)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(
    *,
    data: Data,
    pair: Annotated[Literal["en-fr"], typer.Option(help="Language pair.")] = "en-fr",
    keys: Annotated[list[str] | None, typer.Option(help="Models to measure; rows of others stay.")] = None,
    threads: Threads = 1,
) -> None:
    """Measure models, and write the table."""
    torch.set_num_threads(threads)
    file = FILES[pair]
    pairs = list(read_pairs(data / pair / f"{file}.tsv.xz"))
    every = [key for key in catalog() if key.endswith(f"-{pair}") and trained_on(describe(key).card, file)]
    check_known(keys or (), every)
    seen = training_sources((describe(key).card for key in every), data)
    groups = groups_of(unseen(pairs, seen))
    rows = [row for row in length_table(pair) if row.key in every]
    for key in tqdm(keys or every, disable=None):
        model = load_translator(key)
        measured = [measure(model, pairs, most=most, file=file) for most, pairs in groups.items()]
        rows = [row for row in rows if row.key != key] + measured
        write(sorted(rows, key=lambda row: (every.index(row.key), row.most)), WEIGHTS / pair / LENGTHS_FILE)


if __name__ == "__main__":
    run(main)
