"""Numbers drawn from attention weights. numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Link:
    """A cell of a map: the query at position `query` gives `weight` to the key at position `key`."""

    query: int
    key: int
    weight: float


def row_entropy(weights: Weights) -> NDArray[np.float64]:
    """Give how widely each row spreads: the Shannon entropy in bits.

    Parameters
    ----------
    weights : array, [..., query, key]
        Not negative. A row that does not sum to 1 is taken relative to its sum; a row of zeros gives 0.

    Returns
    -------
    float64 array, [..., query]
        0 where one key takes all, log2(keys) where all take the same. H = -sum(w log2 w).

    Examples
    --------
    >>> row_entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [0.0, 1.0]
    """
    values = np.asarray(weights, dtype=np.float64)
    sums = values.sum(axis=-1, keepdims=True)
    shares = np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: NDArray[np.float64] = np.abs((shares * logarithms).sum(axis=-1))
    return entropy


def row_links(weights: Weights) -> tuple[Link, ...]:
    """Give for each query the key that it reads most; the first of equals.

    Parameters
    ----------
    weights : array, [query, key]

    Returns
    -------
    tuple of Link
        One a row, in order; none if there are no keys.

    Raises
    ------
    ValueError
        If `weights` is not one head's.

    Examples
    --------
    >>> row_links(np.array([[0.25, 0.75]]))
    (Link(query=0, key=1, weight=0.75),)
    """
    values = np.asarray(weights)
    if values.ndim != 2:
        message = f"weights of one head, [query, key]; got shape {values.shape}"
        raise ValueError(message)
    if not values.size:
        return ()
    keys = values.argmax(axis=1)
    return tuple(Link(query, int(key), float(values[query, key])) for query, key in enumerate(keys))


def strongest_links(weights: Weights, *, count: int = 1) -> tuple[Link, ...]:
    """Give the `count` strongest of the rows' strongest links, strongest first, the upper row first among equals.

    Parameters
    ----------
    weights : array, [query, key]
    count : int, optional
        How many at most; one a row.

    Returns
    -------
    tuple of Link

    Examples
    --------
    >>> strongest_links(np.array([[0.25, 0.75], [1.0, 0.0]]))
    (Link(query=1, key=0, weight=1.0),)
    """
    return tuple(sorted(row_links(weights), key=lambda link: -link.weight)[:count])
