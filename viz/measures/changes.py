"""Divergence of heads between two runs, over the words that both texts share; numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 16 * 2**20


def changes(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return how differently each head reads in two runs: the total variation distance, averaged over queries.

    Shapes: `first` [head, query, key]; `second` [head, query, key]; returns [head].
    """
    if np.shape(first) != np.shape(second):
        message = f"the same heads on the same words are compared; got {np.shape(first)} and {np.shape(second)}"
        raise ValueError(message)
    gaps = first - second
    given = np.abs(gaps.sum(axis=-1, dtype=np.float64))  # more to all tokens together is less to none
    distance: NDArray[np.float64] = (np.abs(gaps).sum(axis=-1, dtype=np.float64) + given) / 2  # [head, query]
    return distance.mean(axis=-1) if distance.shape[-1] else np.zeros(len(distance))


def distances(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return how differently every head of one model and every head of another read the same words.

    Shapes: `first` [head, query, key]; `second` [other head, query, key]; returns [head, other head].
    """
    found = np.empty((len(first), len(second)))
    step = max(int(BLOCK_BYTES / max(first[0].nbytes, 1)), 1)
    for number, head in enumerate(first):
        for start in range(0, len(second), step):
            block = second[start : start + step]
            found[number, start : start + step] = changes(np.broadcast_to(head, block.shape), block)
    return found


def ranking(values: NDArray[np.float64]) -> tuple[int, ...]:
    """Return positions by value, the largest first, the earlier first among equals.

    Shapes: `values` [any].
    """
    return tuple(int(place) for place in np.argsort(-values, kind="stable"))
