"""Mean attention weight of a causal map by distance; figures of held-out text are in cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating]

NEAR = 5
"""Daniluk et al. 2017 found that their models read mainly so many tokens back."""


def weight_by_distance(weights: Numbers) -> NDArray[np.float64]:
    """Return the mean weight of what stands 1, 2 ... tokens back, over the tokens before which so many stand.

    The first token, which has none before it, does not count.

    Shapes: `weights` [query, key]; returns [distance].
    """
    own = np.asarray(weights, dtype=np.float64)
    return np.array([np.diagonal(own, -back).mean() for back in range(1, len(own))])


def share_within(weights: Numbers, most: int = NEAR) -> float:
    """Return how much of its weight a token gives to those at most `most` back, the mean over all with more before.

    NaN if the text is too short to tell.

    Shapes: `weights` [query, key].
    """
    own = np.asarray(weights, dtype=np.float64)
    rows = range(most + 1, len(own))
    return float(np.mean([own[row, row - most : row].sum() for row in rows])) if rows else float("nan")
