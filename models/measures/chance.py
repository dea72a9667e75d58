"""How much more of its reading a head gives to some cells than chance would. numpy only."""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
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


ONE_OF_TWENTY = 0.05


@lru_cache(maxsize=1024)
def _limit(choices: int) -> float:
    """Return how many deviations one of so many normal numbers passes in one of twenty cases at most."""
    return NormalDist().inv_cdf(1 - ONE_OF_TWENTY / max(choices, 1))


def chance_of_most(
    received: NDArray[Any],
    moments: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    readable: NDArray[Any],
    places: NDArray[np.bool_],
) -> Chance:
    """Return how what heads give to the key that they read most compares with chance, which may choose its key too.

    Of n keys the largest is large by chance n times as often as one that was named beforehand: so many more deviations
    are taken off. And what is dealt to one key is skewed, a few rows that meet there are no wonder: the first term of
    Cornish and Fisher (1938) is taken off as well.

    Parameters
    ----------
    received : array, [text, head, key]
        What each key is given by all rows.
    moments : three arrays, [text, head, query]
        Of the weights of each row the sums, the sums of squares and of cubes.
    readable : array, [text, query]
        How many keys each query may read: the first so many.
    places : bool array, [text, key]
        Among which keys the one is looked for.

    Returns
    -------
    Chance
        Arrays [text, head]; deviations are comparable with those of a pattern that was named beforehand.
    """
    count = np.maximum(readable, 1)[:, None, :]
    mean, square, cube = (each / count for each in moments)  # [text, head, query]
    spread = np.maximum(square - mean**2, 0)
    skewed = cube - 3 * mean * square + 2 * mean**3
    keys = np.arange(received.shape[-1])
    may = np.less(keys, readable[..., None], dtype=bool).astype(received.dtype)  # [text, query, key]
    best = np.where(places[:, None], received, -1).argmax(axis=-1)[..., None]  # [text, head, 1]
    given, expected, variance, third = (
        np.take_along_axis(each, best, axis=-1)[..., 0] for each in (received, mean @ may, spread @ may, skewed @ may)
    )
    usual = np.sqrt(np.maximum(variance, SMALLEST))
    limit = np.array([_limit(int(each)) for each in places.sum(axis=-1)])[:, None]
    off = limit - _limit(1) + (limit**2 - 1) / 6 * third / usual**3
    deviations = np.where(variance > SMALLEST, (given - expected) / usual - off, 0)
    times = np.divide(given, expected, out=np.ones_like(given), where=expected > SMALLEST)
    there = np.asarray(places.any(axis=-1))[:, None]
    return Chance(np.where(there, times, 1), np.where(there, deviations, 0), np.where(there, expected, 0))
