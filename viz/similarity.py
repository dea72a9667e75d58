"""How alike heads read: the divergence of every two, and an order in which like stands by like. numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 16 * 2**20
"""Memory of one block of mixed rows; a computation takes a few such blocks beside its input."""


def head_divergence(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Give for every two heads how differently they read: the Jensen-Shannon divergence, averaged over queries.

    Parameters
    ----------
    weights : array, [head, query, key]
        Of any layers, over one text. A row that does not sum to 1 is taken relative to its sum; a query counts for
        two heads if both give it weight.

    Returns
    -------
    float64 array, [head, head]
        Between 0 (they read alike) and 1 bit (no key is read by both); symmetric, 0 on the diagonal; 0 too for
        heads with no common query that has weight.

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
    """
    values = np.asarray(weights)
    if values.ndim != 3:
        message = f"weights of heads, [head, query, key]; got shape {values.shape}"
        raise ValueError(message)
    heads, queries, keys = values.shape
    total, counted = np.zeros((heads, heads)), np.zeros((heads, heads))
    step = max(int(BLOCK_BYTES / max(heads * keys * 4, 1)), 1)
    for start in range(0, queries, step):
        block = values[:, start : start + step].astype(np.float32)  # [head, query, key]
        sums = block.sum(axis=-1, keepdims=True)
        read = sums[..., 0] > 0  # [head, query]
        np.divide(block, sums, out=block, where=sums > 0)
        entropy = -_information(block)  # [head, query]
        for head in range(heads - 1):
            mixed = (block[head] + block[head + 1 :]) * np.float32(0.5)  # [later head, query, key]
            both = read[head] & read[head + 1 :]
            found = -_information(mixed) - (entropy[head] + entropy[head + 1 :]) / 2
            total[head, head + 1 :] += (np.clip(found, 0, 1) * both).sum(axis=-1)
            counted[head, head + 1 :] += both.sum(axis=-1)
    means = np.divide(total, counted, out=np.zeros_like(total), where=counted > 0)
    return means + means.T


def _information(shares: NDArray[np.float32]) -> NDArray[np.float64]:
    """Give the sum of p log2 p over keys; 0 log 0 is 0: [..., query]."""
    tiny = np.finfo(np.float32).tiny
    logarithms = np.log2(np.maximum(shares, tiny))
    information: NDArray[np.float64] = np.einsum("...k,...k->...", shares, logarithms, dtype=np.float64)
    return information


def similar_order(divergence: NDArray[Any]) -> tuple[int, ...]:
    """Give the order of heads in which like stands by like.

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
