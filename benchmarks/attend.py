"""How long `attend` takes: 16 words, translated and captured, one thread. `python -m benchmarks.attend`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import torch
import typer

import models
from benchmarks.measure import Json, Keys, Rounds, interleaved, report, summary
from models.command import run

SENTENCE = "the committee has asked the council to publish the report on safety before the next month"


def main(
    keys: Keys = None,
    *,
    rounds: Rounds = 51,
    sentence: Annotated[str, typer.Option(help="What is translated.")] = SENTENCE,
    json: Json = False,
) -> None:
    """Measure every model, one after another in each round, and write a table."""
    torch.set_num_threads(1)
    loaded = {key: models.load(key) for key in keys or models.catalog()}
    times = interleaved({key: partial(model.attend, sentence) for key, model in loaded.items()}, rounds=rounds)
    rows = []
    for key, model in loaded.items():
        trace = model.attend(sentence)
        result = summary(times[key])
        rows.append(
            {
                "model": key,
                "median, ms": result["median"],
                "quartiles, ms": f"{result['lower quartile']} to {result['upper quartile']}",
                "pieces read": len(trace.source),
                "pieces written": len(trace.target),
                "maps": len(trace.maps),
            }
        )
    report(f"attend of {len(sentence.split())} words, one thread, {rounds} runs", rows, as_json=json)


if __name__ == "__main__":
    run(main)
