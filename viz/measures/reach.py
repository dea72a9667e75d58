"""How far back a causal map reads: the mean weight by distance, of a typed text; that of held-out text is in cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating]

NEAR = 5
"""Daniluk et al. 2017 found that their models read mainly so many tokens back."""


def weight_by_distance(weights: Numbers) -> NDArray[np.float64]:
    """Return the mean weight of what stands 1, 2 ... tokens back, over the tokens before which so many stand.

    The first token, which has none before it, does not count.

    Parameters
    ----------
    weights : array, [query, key]
        Of a map of a text on itself that never reads ahead.

    Returns
    -------
    float64 array, [distance]
        Of distance 1 first; one fewer than there are tokens.

    Examples
    --------
    >>> weight_by_distance(np.array([[1.0, 0, 0], [1, 0, 0], [0.25, 0.75, 0]])).tolist()
    [0.875, 0.25]
    """
    own = np.asarray(weights, dtype=np.float64)
    return np.array([np.diagonal(own, -back).mean() for back in range(1, len(own))])


def share_within(weights: Numbers, most: int = NEAR) -> float:
    """Return how much of its weight a token gives to those at most `most` back, the mean over all with more before.

    NaN if the text is too short to tell.

    Parameters
    ----------
    weights : array, [query, key]
    most : int, optional

    Examples
    --------
    >>> share_within(np.array([[1.0, 0, 0], [1, 0, 0], [0.25, 0.75, 0]]), most=1)
    0.75
    """
    own = np.asarray(weights, dtype=np.float64)
    rows = range(most + 1, len(own))
    return float(np.mean([own[row, row - most : row].sum() for row in rows])) if rows else float("nan")
