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

    Shapes: `weights` [..., query, key]; returns [..., query].
    """
    return missing_of(np.asarray(weights).sum(axis=-1, dtype=np.float64))


def missing_of(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what rows of these sums lack to 1, as `unread` explains it: [..., query].

    Shapes: `sums` [..., query].
    """
    return np.where(sums < 1 - ROUNDING, 1 - sums, sums.dtype.type(0))


def wholes_of(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what rows of these sums, with what is missing, come to: 1, but for rounding, or more: [..., query].

    Shapes: `sums` [..., query].
    """
    return np.where(sums < 1 - ROUNDING, sums.dtype.type(1), sums)


def ratio(part: Any, whole: Any) -> NDArray[Any]:
    """Divide; 0 where there is nothing to divide by."""
    parts, wholes = np.broadcast_arrays(np.asarray(part), np.asarray(whole))
    found = np.zeros(parts.shape, dtype=np.result_type(parts, wholes, np.float32))
    np.divide(parts, wholes, out=found, where=wholes > 0)
    return found
