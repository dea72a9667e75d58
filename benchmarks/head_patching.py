"""How long activation patching takes: each head of a short sentence patched on its own."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import models
from models.experiments.patching import patch_each_head

PAIRS = {
    "transformer-en-fr": ("The cat drank the milk.", "The dog drank the milk."),
    "hf:smollm2-135m": (
        "When Mary and John went out, John gave a ball to",
        "When Anna and John went out, John gave a ball to",
    ),
}


def patch_rows(rounds: int) -> list[dict[str, Any]]:
    """Patch every head of our Transformer and of SmolLM2, with the measurement of the other text."""
    rows = []
    for key, (text, other) in PAIRS.items():
        model = models.load(key)
        trace, times = model.attend(text), []
        for _round in range(rounds):
            started = perf_counter()
            found = patch_each_head(model, trace, other)
            times.append(perf_counter() - started)
        rows.append(
            {
                "figure": f"{key}: {len(found.heads)} heads patched one by one, {len(trace.source)} tokens",
                "value": f"{median(times):.2f} s",
                "note": f"median of {rounds}",
            }
        )
    return rows
