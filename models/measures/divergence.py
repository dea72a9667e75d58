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

    Shapes: `weights` [head, query, key]; returns [head, head].
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
