"""How much more of its reading a head gives to some cells than chance would. numpy only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALLEST = 1e-12
"""Below that, expected reading and spread are rounding."""


class Odds(NamedTuple):
    """What a head gives to some cells, against chance: its own weights, in each row dealt out anew to what it may read.

    Parameters
    ----------
    times : float
        How many times what chance gives on average; 1 where chance gives nothing, or has no choice.
    deviations : float
        How many standard deviations of chance it lies above that average; 0 where chance has no choice.
    """

    times: float
    deviations: float


class Chance(NamedTuple):
    """The odds of many heads, with what chance gives: float arrays of one shape."""

    times: NDArray[Any]
    deviations: NDArray[Any]
    expected: NDArray[Any]


def chance_of(
    given: NDArray[Any], sums: NDArray[Any], squares: NDArray[Any], readable: NDArray[Any], counted: NDArray[Any]
) -> Chance:
    """Return how what heads give to patterns compares with chance, worked out from lengths and not drawn.

    Dealing n weights of sum s and sum of squares q to n keys, of which m count, gives s m / n on average, with a
    variance of m (n - m) / (n (n - 1)) times (q - s^2 / n); rows are dealt apart. So a head that reads one key a row is
    held against heads that do the same, and a short text, in which little can be told from chance, names few.

    Parameters
    ----------
    given : array, [text, head, pattern]
        The weight in the cells of each pattern.
    sums, squares : array, [text, head, query]
        Of the weights of each row, and of their squares.
    readable : array, [text, query]
        n: how many keys each query may read.
    counted : array, [text, pattern, query]
        m: how many of those are of the pattern.

    Returns
    -------
    Chance
        Arrays [text, head, pattern]; `expected` in the units of `given`.
    """
    keys = np.maximum(readable, 1)[:, None, :]  # [text, 1, query]
    pairs = np.maximum(readable * (readable - 1), 1)[:, None, :]
    expected = sums @ (counted / keys).swapaxes(1, 2).astype(sums.dtype)
    spread = np.maximum(squares - sums**2 / keys.astype(sums.dtype), 0)
    variance = spread @ (counted * (readable[:, None, :] - counted) / pairs).swapaxes(1, 2).astype(sums.dtype)
    times = np.divide(given, expected, out=np.ones_like(given), where=expected > SMALLEST)
    usual = np.sqrt(np.maximum(variance, SMALLEST))
    deviations = np.divide(given - expected, usual, out=np.zeros_like(given), where=variance > SMALLEST)
    return Chance(times, deviations, expected)
