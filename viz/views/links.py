"""The strongest links of a map: which query reads which key, and how much. numpy only."""

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


def row_links(weights: Weights) -> tuple[Link, ...]:
    """Return for each query the key that it reads most; the first of equals.

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
    """Return the `count` strongest of the rows' strongest links, strongest first, the upper row first among equals.

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
