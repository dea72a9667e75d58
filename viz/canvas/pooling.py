"""Max pooling of large maps into small pictures; numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def blocks(count: int, most: int, *, alone: bool = False) -> NDArray[np.int64]:
    """Return where each of at most `most` cells begins that share `count` tokens, then the count itself.

    All cells but the last stand for equally many tokens; with `alone` the last token has a cell of its own.

    Shapes: returns [cell + 1].
    """
    own = int(alone and count > 0)
    size = max(-(-(count - own) // max(most - own, 1)), 1)
    return np.concatenate([np.arange(0, count - own, size), np.arange(count - own, count + 1)])


def pooled(weights: NDArray[Any], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
    """Return the largest weight of each cell.

    Shapes: `weights` [query, key]; returns [row, column].
    """
    return _largest(_largest(weights, rows).T, columns).T


def _largest(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Return the largest of each block along the first axis."""
    if len(starts) == len(values) + 1:
        return values
    firsts, lasts = starts[:-1], starts[1:] - 1
    found = values[firsts]
    for step in range(1, int((lasts - firsts).max()) + 1):
        np.maximum(found, values[np.minimum(firsts + step, lasts)], out=found)
    return found
