"""What a row of weights comes to: with what it gives to no token it is 1, or more. numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]

ROUNDING = 1e-5
"""A row that lacks no more than this to 1 lacks nothing: float32 weights of a thousand keys are off by some 1e-6."""


def unread(weights: Weights) -> NDArray[np.float64]:
    """Return what each row gives to no token: what it lacks to 1.

    Parameters
    ----------
    weights : array, [..., query, key]
        Not negative.

    Returns
    -------
    float64 array, [..., query]
        Between 0 and 1; 0 of a row that sums to 1, up to `ROUNDING`, or to more.

    Examples
    --------
    >>> unread(np.array([[0.25, 0.0], [0.5, 0.5]])).tolist()
    [0.75, 0.0]
    """
    return missing_of(np.asarray(weights).sum(axis=-1, dtype=np.float64))


def missing_of(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what rows of these sums lack to 1, as `unread` explains it: [..., query].

    Parameters
    ----------
    sums : array, [..., query]
    """
    return np.where(sums < 1 - ROUNDING, 1 - sums, sums.dtype.type(0))


def wholes_of(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what rows of these sums, with what is missing, come to: 1, but for rounding, or more: [..., query].

    Parameters
    ----------
    sums : array, [..., query]
    """
    return np.where(sums < 1 - ROUNDING, sums.dtype.type(1), sums)


def ratio(part: Any, whole: Any) -> NDArray[Any]:
    """Divide; 0 where there is nothing to divide by.

    Parameters
    ----------
    part, whole : array or number
        Of shapes that broadcast.

    Returns
    -------
    array of that shape
    """
    parts, wholes = np.broadcast_arrays(np.asarray(part), np.asarray(whole))
    found = np.zeros(parts.shape, dtype=np.result_type(parts, wholes, np.float32))
    np.divide(parts, wholes, out=found, where=wholes > 0)
    return found
