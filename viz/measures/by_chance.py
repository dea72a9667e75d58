"""How much more of its reading a head gives to some cells than chance would. numpy only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from viz.views.links import Weights

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


def odds_of(weights: Weights, cells: NDArray[np.bool_], *, causal: bool = False) -> tuple[Odds, ...]:
    """Return for each head how what it gives to `cells` compares with chance, worked out and not drawn.

    Dealing n weights of sum s and sum of squares q to n keys, of which m count, gives s m / n on average, with a
    variance of m (n - m) / (n (n - 1)) times (q - s^2 / n); rows are dealt apart. So a head that reads one key a row is
    held against heads that do the same, and a short text, in which little can be told from chance, names few.

    Parameters
    ----------
    weights : array, [head, query, key]
    cells : bool array, [query, key]
    causal : bool, optional
        Whether the query at position i may read only the keys 0 to i.

    Returns
    -------
    tuple of Odds
        One a head.

    Examples
    --------
    >>> (found,) = odds_of(np.eye(4)[None], np.eye(4, dtype=bool))
    >>> found.times, round(found.deviations, 2)
    (4.0, 3.46)
    """
    values = np.asarray(weights, dtype=np.float64)
    readable = np.ones(cells.shape, dtype=bool)
    readable = np.tril(readable) if causal else readable
    keys, counted = readable.sum(axis=1), (cells & readable).sum(axis=1)
    sums: NDArray[Any] = values.sum(axis=-1)
    expected = (sums * counted / np.maximum(keys, 1)).sum(axis=-1)
    squares = np.einsum("hqk,hqk->hq", values, values)
    spread = np.maximum(squares - sums**2 / np.maximum(keys, 1), 0)
    variance = (spread * counted * (keys - counted) / np.maximum(keys * (keys - 1), 1)).sum(axis=-1)
    given = np.einsum("hqk,qk->h", values, cells.astype(np.float64))
    nothing = np.zeros_like(given)
    times = np.divide(given, expected, out=np.ones_like(given), where=expected > SMALLEST)
    deviations = np.divide(given - expected, np.sqrt(variance), out=nothing, where=variance > SMALLEST)
    return tuple(Odds(float(one), float(other)) for one, other in zip(times, deviations, strict=True))
