"""Word alignments read off a map of attention: one link a target word, or several, grown from both directions.

numpy only. A map of words is [target, source]: a row for each word written, a column for each word read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Link = tuple[int, int]
"""A source word and a target word, both counted from 0."""

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def strongest_sources(weights: NDArray[Any]) -> frozenset[Link]:
    """Return one link a target word: to the source word that its row weighs most, the first of equals.

    Parameters
    ----------
    weights : array, [target, source]
        Not negative.

    Returns
    -------
    frozenset of (source, target)

    Examples
    --------
    >>> sorted(strongest_sources(np.array([[0.9, 0.1], [0.6, 0.4]])))
    [(0, 0), (0, 1)]
    """
    return frozenset((int(source), target) for target, source in enumerate(weights.argmax(axis=1)))


def grown_links(weights: NDArray[Any]) -> frozenset[Link]:
    """Return the links that rows and columns agree on, grown by neighbours that either of them names.

    The union holds the maximum of each row and of each column, the intersection what is both. From the intersection on,
    a link of the union joins if it touches a link that is there, also diagonally, and its source word or its target
    word has no link yet; until none joins (Och and Ney 2003, section 3.2; grow-diag in Koehn, Och and Marcu 2003).

    Parameters
    ----------
    weights : array, [target, source]
        Not negative. Of equals the first is the maximum.

    Returns
    -------
    frozenset of (source, target)
        A word may have several links, or none.

    Examples
    --------
    >>> sorted(grown_links(np.array([[0.9, 0.1], [0.6, 0.4]])))
    [(0, 0), (0, 1), (1, 1)]
    """
    if not weights.size:
        return frozenset()
    targets, sources = weights.shape
    by_row, by_column = np.zeros(weights.shape, dtype=bool), np.zeros(weights.shape, dtype=bool)
    by_row[np.arange(targets), weights.argmax(axis=1)] = True
    by_column[weights.argmax(axis=0), np.arange(sources)] = True
    union, linked = by_row | by_column, by_row & by_column
    grew = True
    while grew:
        grew = False
        for target, source in np.argwhere(linked):
            for down, right in _NEIGHBOURS:
                place = int(target) + down, int(source) + right
                if _may_join(place, union, linked):
                    linked[place] = grew = True
    return frozenset((int(source), int(target)) for target, source in np.argwhere(linked))


def _may_join(place: tuple[int, int], union: NDArray[np.bool_], linked: NDArray[np.bool_]) -> bool:
    target, source = place
    inside = 0 <= target < union.shape[0] and 0 <= source < union.shape[1]
    if not inside or not union[place] or linked[place]:
        return False
    return not linked[target].any() or not linked[:, source].any()
