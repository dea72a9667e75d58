"""How far a token's row as it was written lies from the row of a forced run. `python -m benchmarks.written`.

Every family of transformers that goes on with a text, tiny: in 32-bit numbers, where sums of another order differ, and
in 64-bit numbers, where only a real difference is left. `--least` says from where on a family is a row of the table.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import transformers
import typer
from tqdm import tqdm

from benchmarks.measure import Json, report
from benchmarks.tiny_families import build, families
from models import AttentionTrace, Writing
from models.command import run
from models.errors import InputError
from models.huggingface.loading import load_folder

TEXT = "The cat sat"
DRAWN = Writing(6, temperature=1.0, top_k=200, top_p=0.99, seed=11)


@dataclass(frozen=True, slots=True)
class Distances:
    """Largest distances between weights; None where a family does not run in 64-bit numbers."""

    kept: bool  # whether keys and values were kept, else all was read again
    single: float  # as written and forced, both in 32-bit numbers
    double: float | None  # both in 64-bit numbers
    forced: float | None  # forced in 32-bit and in 64-bit numbers: what rounding alone does


def distances(model: Any) -> Distances:
    """Let a tiny model write in both kinds of numbers; its network stays in 64-bit ones."""
    single, forced = _both(model)
    kept = bool(single.written and single.written.kept)
    with in_double(model.network):
        try:
            double, exact = _both(model)
        except InputError:
            return Distances(kept, _farthest(single, forced), None, None)
    same = exact.source.ids == forced.source.ids
    return Distances(
        kept, _farthest(single, forced), _farthest(double, exact), _farthest(forced, exact) if same else None
    )


@contextmanager
def in_double(network: Any) -> Iterator[None]:
    """Let a network compute in 64-bit numbers, also where its code asks for 32-bit ones."""
    before = torch.float32, torch.float, torch.Tensor.float
    torch.float32 = torch.float = torch.float64  # type: ignore[misc]
    torch.Tensor.float = torch.Tensor.double  # type: ignore[method-assign]
    try:
        network.double()
        for part in network.modules():
            if isinstance(getattr(part, "config", None), transformers.PreTrainedConfig):
                part.config._experts_implementation = "eager"  # the others take no 64-bit numbers
        yield
    finally:
        torch.float32, torch.float, torch.Tensor.float = before  # type: ignore[misc, method-assign]


def _both(model: Any) -> tuple[AttentionTrace, AttentionTrace]:
    """Return the record of a text that was gone on with, and of the same text forced."""
    trace: AttentionTrace = model.attend(TEXT, write=DRAWN)
    first = trace.written.first if trace.written else 0
    return trace, model.attend(TEXT, write=Writing(0, begin=trace.source.ids[first:], cache=False))


def _farthest(one: AttentionTrace, other: AttentionTrace) -> float:
    return float(np.max([np.abs(a.weights - b.weights).max() for a, b in zip(one, other, strict=True)]))


def _row(family: str, found: Distances) -> dict[str, Any]:
    shown = {"32 bits": found.single, "64 bits": found.double, "forced, 32 from 64 bits": found.forced}
    return {
        "family": family,
        "cache": "kept" if found.kept else "read again",
        **{name: "-" if value is None else f"{value:.1e}" for name, value in shown.items()},
    }


def main(
    names: Annotated[list[str] | None, typer.Argument(metavar="FAMILY...", help="All if none is named.")] = None,
    *,
    least: Annotated[float, typer.Option(help="Distance in 32-bit numbers from which a family is shown.")] = 1e-5,
    json: Json = False,
) -> None:
    """Try the families that go on with a text, and write a table."""
    logging.getLogger("transformers").setLevel(logging.CRITICAL)
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    found: dict[str, Distances] = {}
    for family in tqdm(names or families(), disable=None):
        with tempfile.TemporaryDirectory() as name:
            try:
                build(family, Path(name) / family)
                model = load_folder(Path(name) / family)
            except Exception:  # `benchmarks.families` says what became of them
                continue
            if model.predicts == "causal":
                found[family] = distances(model)
    rows = [_row(family, each) for family, each in found.items() if each.single >= least or (each.double or 0) > 1e-7]
    kept = sum(each.kept for each in found.values())
    exact = sum(each.double is not None for each in found.values())
    report(f"Written rows: {len(found)} families, {kept} with a cache, {exact} in 64 bits", rows, as_json=json)


if __name__ == "__main__":
    run(main)
