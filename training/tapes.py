"""How far back intra-attention reads: ``python -m training.tapes KEY ... --data DIR``.

Cheng, Dong and Lapata 2016 let each token of either text attend to all tokens before it. Here the share of that weight
which is on the nearest five tokens, and the mean distance, on held-out pairs with the target forced; beside it the
share that the same rows would put there if they read all tokens before alike. Only tokens with `LEAST` before them
count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.command import run
from models.sites import Site
from models.translation.translator import Translator
from training.forced import Pair, measure_keys

NEAREST = 5
"""Tokens that count as near."""

LEAST = 10
"""Tokens before one that counts."""

TAPES = (Site("encoder", 0, "self"), Site("decoder", 0, "self"))
"""Of the source and of the target."""


def shares(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return of each row that counts its weight on the nearest tokens, what even reading gives, and its mean distance.

    Shapes: `weights` [token, token]; returns [row, 3].
    """
    rows = []
    for place in range(LEAST, len(weights)):
        row = weights[place, :place].astype(np.float64)
        back = place - np.arange(place)
        rows.append((row[back <= NEAREST].sum(), NEAREST / place, row @ back))
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def reach(model: Translator, pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Return the means over all rows that count, for each tape."""
    found: dict[str, list[NDArray[np.float64]]] = {str(place): [] for place in TAPES}
    for source, target in pairs:
        trace = model.attend(source, target)
        for place in TAPES:
            found[str(place)].append(shares(trace[place].weights[0]))
    told: dict[str, dict[str, float]] = {}
    for name, parts in found.items():
        rows = np.concatenate(parts)
        near, even, distance = rows.mean(axis=0).tolist() if len(rows) else (0.0, 0.0, 0.0)
        told[name] = {
            "rows": len(rows),
            "nearest": round(near, 4),
            "even": round(even, 4),
            "mean_distance": round(distance, 3),
        }
    return told


main = measure_keys(reach)


if __name__ == "__main__":
    run(main)
