"""Measure segment memory with absolute positions: ``python -m training.segments --data DIR``.

Nothing is trained. The small GPT reads the second segment of held-out lines of novels in each way of
`models.readers.segment_table`: without the segment before, and with its keys and values.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from tqdm import tqdm

from models.command import Threads, run
from models.huggingface.model import PretrainedModel
from models.loading import load
from models.readers.segment_table import SEGMENT_TABLE, WAYS, SegmentTable, Way, WayFigures
from models.readers.segments import read_segment
from training.options import Data
from training.readers.recipe import TextFile
from training.readers.texts import read_lines

MODEL = "hf:gpt-en"
TEXT = TextFile("en-fr/novels-longer.train.tsv.xz", begin=1000, lines=2000)
SEGMENT = 16


def measure(model: PretrainedModel, texts: list[list[int]], way: Way) -> WayFigures:
    """Return the figures of one way over texts of two segments each."""
    found = [read_segment(model, ids, SEGMENT, way) for ids in tqdm(texts, desc=way, disable=None)]
    loss = -float(np.concatenate([each.log_probabilities for each in found]).mean())
    weights = np.stack([each.weights for each in found]).mean(axis=(0, 1, 2))  # [query, key]
    memory = weights[:, : weights.shape[1] - weights.shape[0]].mean(axis=0)  # [key]
    is_memory = way in ("anew", "on")
    by_distance = tuple(round(float(each), 4) for each in memory[::-1]) if is_memory else ()
    return WayFigures(round(math.exp(loss), 2), round(float(memory.sum()), 4) if is_memory else 0.0, by_distance)


def main(
    *,
    data: Data,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = SEGMENT_TABLE,
    lines: Annotated[int, typer.Option(help="Held-out lines.", min=1)] = 500,
    threads: Threads = 1,
) -> None:
    """Read the lines that are long enough in each way, and write the figures."""
    torch.set_num_threads(threads)
    model = load(MODEL)
    if not isinstance(model, PretrainedModel):
        raise TypeError(MODEL)
    ids = [list(model.tokenizer.read(line).tokens.ids) for line in read_lines(TEXT, data)]
    texts = [each[: 2 * SEGMENT] for each in ids if len(each) >= 2 * SEGMENT][:lines]
    table = SegmentTable(
        data=TEXT.path,
        model=MODEL,
        texts=len(texts),
        tokens=len(texts) * (SEGMENT - 1),
        segment=SEGMENT,
        context=model.longest,
        ways={way: measure(model, texts, way) for way in WAYS},
    )
    out.write_text(json.dumps(asdict(table), indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
