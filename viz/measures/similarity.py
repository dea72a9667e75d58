"""Pairwise divergence of heads, and an order that puts similar heads together; numpy and scipy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.divergence import head_divergence
from models.trace import AttentionTrace
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit


def similar_order(divergence: NDArray[Any]) -> tuple[int, ...]:
    """Return the order of heads in which like stands by like.

    Shapes: `divergence` [head, head].
    """
    count = len(divergence)
    if count < 3:
        return tuple(range(count))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distances = squareform(np.sqrt(divergence), checks=False)
    tree = linkage(distances, method="average", optimal_ordering=True)
    order = [int(leaf) for leaf in leaves_list(tree)]
    return tuple(order if order[0] <= order[-1] else reversed(order))


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """Which heads read alike."""

    places: tuple[HeadPlace, ...]  # the heads, like beside like
    # [head, head] In that order: 0 where two heads read alike, 1 where they share nothing
    divergence: NDArray[np.float64]

    def pair(self, x: float, y: float) -> tuple[HeadPlace, HeadPlace]:
        """Return the two heads of the cell in column `x` and row `y`, as a click on the figure names it."""
        return self.places[round(y)], self.places[round(x)]

    def nearest(self, place: HeadPlace, count: int = 1) -> tuple[HeadPlace, ...]:
        """Return the heads that read most like `place`, the nearest first."""
        row = self.divergence[self.places.index(place)]
        others = [number for number in np.argsort(row, kind="stable") if self.places[number] != place]
        return tuple(self.places[number] for number in others[:count])


def head_similarity(
    trace: AttentionTrace, *, sites: str = "encoder.*.self", unit: Unit = "word", hiding: Hiding = NOTHING
) -> Similarity:
    """Compare every head of every layer with every other.

    Parameters
    ----------
    trace : AttentionTrace
    sites, unit : optional
        As in `viz.figures.overview`.
    hiding : Hiding, optional
        Tokens that are left out: their rows do not count, and what they are given together counts as one token. The
        threshold changes nothing.

    Returns
    -------
    Similarity
        What rows give to no token, where they do not sum to 1, counts as one more token.

    Raises
    ------
    KeyError, ValueError
        As in `viz.figures.overview`.
    """
    views = views_at(trace, sites, unit, hiding)
    places = [HeadPlace(view.shown.site.layer, head) for view in views for head in range(len(view.shown.head_names))]
    divergence = head_divergence(np.concatenate([view.shown.weights for view in views]))
    order = list(similar_order(divergence))
    return Similarity(tuple(places[number] for number in order), divergence[np.ix_(order, order)])
