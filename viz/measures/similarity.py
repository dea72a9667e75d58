"""How alike heads read: the divergence of every two, and an order in which like stands by like. numpy and scipy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.measures.entropy import entropy_terms
from viz.measures.shares import missing_of, wholes_of
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit

BLOCK_BYTES = 16 * 2**20
"""Memory of one block of mixed rows; a computation takes a few such blocks beside its input."""


def head_divergence(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return for every two heads how differently they read: the Jensen-Shannon divergence, averaged over queries.

    Parameters
    ----------
    weights : array, [head, query, key]
        Of any layers, over one text. What a row lacks to 1, which is given to no token, counts as one more key.
        A row that sums to more than 1 is taken relative to its sum.

    Returns
    -------
    float64 array, [head, head]
        Between 0 (they read alike) and 1 bit (no key is read by both); symmetric, 0 on the diagonal; 0 too if there
        is no query.

    Raises
    ------
    ValueError
        If `weights` has another rank.

    Notes
    -----
    JSD(p, q) = H((p + q) / 2) - (H(p) + H(q)) / 2, logarithms to base 2 (Lin 1991). Computed in float32 on blocks
    of queries, one head against all later ones: beside a float32 copy of the input the memory is three blocks of
    `BLOCK_BYTES`, whatever the number of heads; time grows with heads squared times cells. For weights in
    [0, 1] the rounding is below 1e-5.

    Examples
    --------
    >>> head_divergence(np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]])).round(4).tolist()
    [[0.0, 1.0, 0.3113], [1.0, 0.0, 0.3113], [0.3113, 0.3113, 0.0]]
    >>> round(float(head_divergence(np.array([[[0.5, 0.5]], [[0.05, 0.05]]]))[0, 1]), 4)
    0.7583
    """
    values = np.asarray(weights)
    if values.ndim != 3:
        message = f"weights of heads, [head, query, key]; got shape {values.shape}"
        raise ValueError(message)
    heads, queries, keys = values.shape
    total = np.zeros((heads, heads))
    step = max(int(BLOCK_BYTES / max(heads * keys * 4, 1)), 1)
    for start in range(0, queries, step):
        block = values[:, start : start + step].astype(np.float32)  # [head, query, key]
        sums = block.sum(axis=-1)  # [head, query]
        missing = missing_of(sums)  # [head, query]
        np.divide(block, wholes_of(sums)[..., None], out=block)
        entropy = entropy_terms(missing) - _information(block)  # [head, query]
        for head in range(heads - 1):
            mixed = (block[head] + block[head + 1 :]) * np.float32(0.5)  # [later head, query, key]
            missed = entropy_terms((missing[head] + missing[head + 1 :]) / 2)  # [later head, query]
            found = missed - _information(mixed) - (entropy[head] + entropy[head + 1 :]) / 2
            total[head, head + 1 :] += np.clip(found, 0, 1).sum(axis=-1)
    means: NDArray[np.float64] = total / max(queries, 1)
    return means + means.T


def _information(shares: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the sum of p log2 p over keys; 0 log 0 is 0: [..., query]."""
    tiny = np.finfo(np.float32).tiny
    logarithms = np.log2(np.maximum(shares, tiny))
    information: NDArray[np.float64] = np.einsum("...k,...k->...", shares, logarithms, dtype=np.float64)
    return information


def similar_order(divergence: NDArray[Any]) -> tuple[int, ...]:
    """Return the order of heads in which like stands by like.

    Parameters
    ----------
    divergence : array, [head, head]
        As `head_divergence` gives it.

    Returns
    -------
    tuple of int
        Each head once.

    Notes
    -----
    Average-linkage clustering of the square roots (the Jensen-Shannon distance, a metric: Endres & Schindelin 2003),
    leaves turned so that neighbours are as near as they can be (Bar-Joseph et al. 2001), by scipy.

    Examples
    --------
    >>> similar_order(np.array([[0.0, 1.0, 0.1], [1.0, 0.0, 0.9], [0.1, 0.9, 0.0]]))
    (0, 2, 1)
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
    """Which heads read alike.

    Parameters
    ----------
    places : tuple of HeadPlace
        The heads, like beside like.
    divergence : float64 array, [head, head]
        In that order: 0 where two heads read alike, 1 where they share nothing.
    """

    places: tuple[HeadPlace, ...]
    divergence: NDArray[np.float64]

    def pair(self, x: float, y: float) -> tuple[HeadPlace, HeadPlace]:
        """Return the two heads of the cell in column `x` and row `y`, as a click on the figure names it.

        Parameters
        ----------
        x, y : float
            As Plotly tells them: a column and a row of the figure.
        """
        return self.places[round(y)], self.places[round(x)]

    def nearest(self, place: HeadPlace, count: int = 1) -> tuple[HeadPlace, ...]:
        """Return the heads that read most like `place`, the nearest first.

        Parameters
        ----------
        place : HeadPlace
            One of `places`.
        count : int, optional
            How many at most.
        """
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
