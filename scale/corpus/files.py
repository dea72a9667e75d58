"""The statistics of a shard as a file: plain numbers and JSON, nothing in it is executed."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scale.corpus.statistics import CountedText, Examples, Statistics

LISTS = ("words", "read_in", "written")
PARTS = ("scores", "lines", "pairs", "weights")


def write(statistics: Statistics, path: Path) -> None:
    """Write `statistics`, whole or not at all."""
    about = {
        "texts": {str(line): asdict(text) for line, text in statistics.texts.items()},
        "bad": statistics.bad,
    }
    arrays: dict[str, Any] = {f"sum {name}": np.asarray(values) for name, values in statistics.sums.items()}
    for kind, each in statistics.examples.items():
        arrays |= {f"{part} {kind}": getattr(each, part) for part in PARTS}
    begun = path.with_suffix(".begun")
    with begun.open("wb") as file:
        arrays["about"] = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
        np.savez_compressed(file, **arrays)
    os.replace(begun, path)


def read(path: Path) -> Statistics:
    """Read what `write` wrote."""
    with np.load(path, allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    about = json.loads(arrays.pop("about").tobytes())
    kinds = [name.removeprefix("scores ") for name in arrays if name.startswith("scores ")]
    return Statistics(
        {name.removeprefix("sum "): values for name, values in arrays.items() if name.startswith("sum ")},
        {kind: Examples(*(arrays[f"{part} {kind}"] for part in PARTS)) for kind in kinds},
        {
            int(line): CountedText(each["source"], each["target"], *(tuple(each[name]) for name in LISTS))
            for line, each in about["texts"].items()
        },
        tuple((int(number), str(reason)) for number, reason in about["bad"]),
    )
