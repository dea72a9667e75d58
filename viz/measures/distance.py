"""How far from its own place a query reads. numpy only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz.measures.shares import all_reading, ratio
from viz.views.links import Weights


def mean_distance(weights: Weights) -> NDArray[np.float64]:
    """Return how far a head reads: the mean of |query position - key position|, weighted by attention.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself: between two sequences positions do not compare.

    Returns
    -------
    float64 array, [...]
        In tokens, of what tokens are given: what rows leave `unread` is at no distance. 0 if there is no weight.

    Examples
    --------
    >>> float(mean_distance(np.array([[0.0, 1.0], [1.0, 0.0]])))
    1.0
    """
    values = np.asarray(weights, dtype=np.float64)
    return ratio((values * np.abs(_offsets(values))).sum(axis=(-2, -1)), values.sum(axis=(-2, -1)))


def offset_share(weights: Weights, offset: int) -> NDArray[np.float64]:
    """Return the share of a head's reading that goes to the token `offset` places from the reader.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself.
    offset : int
        -1 the previous token, 0 the token itself, 1 the next.

    Returns
    -------
    float64 array, [...]
        Between 0 and 1, of all that all queries give, to no token too; a query without such a token (the first has
        none before it) adds nothing, so that the shares of all offsets and the `unread_share` sum to 1.

    Examples
    --------
    >>> float(offset_share(np.array([[1.0, 0.0], [1.0, 0.0]]), -1))
    0.5
    """
    values = np.asarray(weights, dtype=np.float64)
    part = np.diagonal(values, offset, axis1=-2, axis2=-1).sum(axis=-1)
    return ratio(part, all_reading(values))


def _offsets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return key position less query position of every cell: [query, key]."""
    queries, keys = values.shape[-2:]
    return np.arange(keys)[None, :] - np.arange(queries)[:, None]
