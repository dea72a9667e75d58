"""How long one encoder layer takes as texts grow, one thread. `python -m benchmarks.length [--write]`.

The time is the thread's own on a processor, the fastest of some runs: what else the machine does hardly counts.
``--write`` puts it into ``models/weights/en-fr/length-times.json``, which the Why page shows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

import torch
import typer

import models
from benchmarks.measure import Keys, Rounds, machine, report
from models.command import run
from models.experiments.path_lengths import RECURRENT
from models.experiments.paths import form_of, twin_of
from models.keys import pair_of
from models.loading import load_translator
from models.translation.checkpoints import WEIGHTS
from models.translation.length_times import TIMES_FILE, LengthTimes

PAIR = "en-fr"
TOKENS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048)


def first_layer(network: Any) -> Callable[[torch.Tensor], object]:
    """Return the first encoder layer, from states [1, token, d]."""
    if form_of(network).kind == RECURRENT:
        recurrent: Callable[[torch.Tensor], object] = network.encoder.layer
        return recurrent
    return lambda states: network.encoder[0](states, None)


def fastest(layer: Callable[[torch.Tensor], object], states: torch.Tensor, rounds: int) -> float:
    """Return the milliseconds that this thread spends on the fastest of so many runs."""
    times = []
    with torch.inference_mode():
        for _ in range(rounds):
            start = time.thread_time()
            layer(states)
            times.append(time.thread_time() - start)
    return round(1000 * min(times), 4)


def main(
    keys: Keys = None,
    *,
    rounds: Rounds = 15,
    write: Annotated[bool, typer.Option("--write", help="Write the file that Why shows.")] = False,
) -> None:
    """Measure the first encoder layer of every model that has one, and write a table."""
    torch.set_num_threads(1)
    hashes, times = {}, {}
    for key in keys or [key for key in models.catalog() if pair_of(key) == PAIR]:
        model = load_translator(key)
        with suppress(KeyError):  # its encoder is none whose layers are known
            network: Any = twin_of(model)
            layer, size = first_layer(network), network.embedding.embedding_dim
            times[key] = tuple(fastest(layer, torch.randn(1, count, size), rounds) for count in TOKENS)
            hashes[key] = model.sha256
    if write:
        found = LengthTimes(machine(), rounds, TOKENS, hashes, times)
        (WEIGHTS / PAIR / TIMES_FILE).write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf8")
    rows = [
        {"model": key, **{f"{n}, ms": ms for n, ms in zip(TOKENS, each, strict=True)}} for key, each in times.items()
    ]
    report(f"the first encoder layer by tokens, one thread, fastest of {rounds} runs", rows, as_json=False)


if __name__ == "__main__":
    run(main)
