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
    """How a head's weight on some cells compares with its own weights shuffled within each row."""

    times: float  # how many times what chance gives on average; 1 where chance gives nothing, or has no choice
    # how many standard deviations of chance it lies above that average, less what skewness and the number of patterns
    # explain; 0 where chance has no choice
    deviations: float


class Chance(NamedTuple):
    """The odds of many heads, with what chance gives: float arrays of one shape."""

    times: NDArray[Any]
    deviations: NDArray[Any]
    expected: NDArray[Any]


Moments = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Of each row's weights the sums s, and the sums of the squares and of the cubes of what each differs from their mean.

Arrays [text, head, query].
"""

ONE_OF_TWENTY = 0.05


@lru_cache(maxsize=1024)
def _limit(choices: int) -> float:
    """Return how many deviations one of so many normal numbers passes in one of twenty cases at most (Bonferroni)."""
    return NormalDist().inv_cdf(1 - ONE_OF_TWENTY / max(choices, 1))


def _corrected(surplus: NDArray[Any], variance: NDArray[Any], third: NDArray[Any], limit: NDArray[Any]) -> NDArray[Any]:
    """Return a surplus in standard deviations, less the corrections for the choices behind `limit` and for skewness.

    The first term of Cornish and Fisher (1938); a distribution skewed to the left makes no surplus clearer.
    """
    usual = np.sqrt(np.maximum(variance, SMALLEST))
    off = limit - _limit(1) + (limit**2 - 1) / 6 * np.maximum(third, 0) / usual**3
    return np.asarray(np.where(variance > SMALLEST, surplus / usual - off, 0))


def chance_of(
    given: NDArray[Any], moments: Moments, readable: NDArray[Any], counted: NDArray[Any], patterns: NDArray[Any]
) -> Chance:
    """Return how what heads give to patterns compares with chance, worked out from lengths and not drawn.

    Dealing n weights of sum s to n keys, of which m count, gives s m / n on average. With q and c the sums of the
    squares and of the cubes of what each weight differs from the mean, the variance is m (n - m) / (n (n - 1)) q, and
    the third central moment m (n - m) (n - 2 m) / (n (n - 1) (n - 2)) c; rows are dealt apart. So a head that reads one
    key a row is held against heads that do the same, and a short text, in which little can be told from chance, names
    few.

    Shapes: `given` [text, head, pattern]; `readable` [text, query]; `counted` [text, pattern, query]; `patterns`
    [text].
    """
    (sums, spread, skewed), kind = moments, moments[0].dtype
    keys = np.maximum(readable, 1).astype(kind)[:, None, :]  # n: [text, 1, query]
    pairs = counted * (readable[:, None, :] - counted) / np.maximum(readable * (readable - 1), 1)[:, None, :]
    threes = pairs * (readable[:, None, :] - 2 * counted) / np.maximum(readable - 2, 1)[:, None, :]
    expected, variance, third = (
        each @ weights.swapaxes(1, 2).astype(kind)
        for each, weights in ((sums, counted / keys), (spread, pairs), (skewed, threes))
    )
    limit = np.array([_limit(int(each)) for each in patterns])[:, None, None]
    times = np.divide(given, expected, out=np.ones_like(given), where=expected > SMALLEST)
    return Chance(times, _corrected(given - expected, variance, third, limit), expected)


def chance_of_most(received: NDArray[Any], moments: Moments, may: NDArray[np.bool_], patterns: NDArray[Any]) -> Chance:
    """Return how what heads give to the key that they read most compares with chance, which may choose its key too.

    Of n keys the largest is large by chance n times as often as one that was named beforehand, and what is dealt to one
    key is skewed, a few rows that meet there are no wonder: both are taken off.

    Shapes: `received` [text, head, key]; `may` [text, query, key]; `patterns` [text].
    """
    kind = received.dtype
    count = np.maximum(may.sum(axis=-1), 1).astype(kind)[:, None, :]
    mean, spread, skewed = (each / count for each in moments)  # [text, head, query]
    places = np.asarray(may.any(axis=1))  # [text, key]
    best = np.where(places[:, None], received, -1).argmax(axis=-1)[..., None]  # [text, head, 1]
    readers = may.astype(kind)
    given, expected, variance, third = (
        np.take_along_axis(each, best, axis=-1)[..., 0]
        for each in (received, mean @ readers, spread @ readers, skewed @ readers)
    )
    choices = places.sum(axis=-1) * patterns
    limit = np.array([_limit(int(each)) for each in choices])[:, None]
    deviations = _corrected(given - expected, variance, third, limit)
    times = np.divide(given, expected, out=np.ones_like(given), where=expected > SMALLEST)
    there = np.asarray(places.any(axis=-1))[:, None]
    return Chance(np.where(there, times, 1), np.where(there, deviations, 0), np.where(there, expected, 0))
