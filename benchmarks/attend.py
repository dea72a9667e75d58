"""How long `attend` takes: 16 words, translated and captured, one thread. `python -m benchmarks.attend`."""

from __future__ import annotations

import argparse
from functools import partial

import torch

import models
from benchmarks.measure import interleaved, report, summary

SENTENCE = "the committee has asked the council to publish the report on safety before the next month"


def main() -> None:
    """Measure every installed model, one after another in each round, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keys", nargs="*", help="models to measure; all that are installed if none is named")
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--sentence", default=SENTENCE)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    loaded = {key: models.load(key) for key in options.keys or models.catalog()}
    times = interleaved(
        {key: partial(model.attend, options.sentence) for key, model in loaded.items()}, rounds=options.rounds
    )
    rows = []
    for key, model in loaded.items():
        trace = model.attend(options.sentence)
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
    title = f"attend of {len(options.sentence.split())} words, one thread, {options.rounds} runs"
    report(title, rows, as_json=options.json)


if __name__ == "__main__":
    main()
