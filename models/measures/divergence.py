"""How differently heads read: the divergence of every two. numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.entropy import entropy_terms
from models.measures.shares import missing_of, wholes_of

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
