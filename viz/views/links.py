"""Strongest links of a map, from query to key; numpy only."""

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

    Shapes: `weights` [query, key].
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

    Shapes: `weights` [query, key].
    """
    return tuple(sorted(row_links(weights), key=lambda link: -link.weight)[:count])
