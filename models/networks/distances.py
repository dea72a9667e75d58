"""What the distance of a key from its query adds to a score and to a context, as pure functions.

Symbols: a^K and a^V learnt vectors by distance, k the farthest distance that has one of its own.

References
----------
Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def clipped_distances(queries: int, keys: int, reach: int, first_query: int = 0) -> Tensor:
    """Return clip(j - i, -k, k) + k, the row of a table by distance, Shaw et al. 2018, section 3.2.

    Parameters
    ----------
    queries, keys : int
    reach : int
        k of the paper: what lies further away counts as k tokens away.
    first_query : int, optional
        Absolute position of the first query; that of the first key is 0.

    Returns
    -------
    int64 Tensor, [query, key]
        From 0, the farthest on the left, to 2 k, the farthest on the right.

    Examples
    --------
    >>> clipped_distances(2, 4, 1).tolist()
    [[1, 2, 2, 2], [0, 1, 2, 2]]
    """
    here = torch.arange(first_query, first_query + queries)[:, None]
    return (torch.arange(keys) - here).clamp(-reach, reach) + reach


def _all_by(values: Tensor, matrix: Tensor) -> Tensor:
    """Return x M for every x of [..., d], always as one product: torch else chooses by whether gradients are wanted."""
    return (values.reshape(-1, values.shape[-1]) @ matrix).view(*values.shape[:-1], -1)


def distance_scores(query: Tensor, vectors: Tensor, distances: Tensor) -> Tensor:
    """Return q_i a^K_ij / sqrt(d_head), what distance adds to a score, Shaw et al. 2018, section 3.3, equation 5.

    Each query is multiplied with the vector of each distance once; what each key gets is looked up.

    Parameters
    ----------
    query : Tensor, [batch, head, query, d_head]
    vectors : Tensor, [distance, d_head]
        a^K, by `clipped_distances`.
    distances : int64 Tensor, [query, key]

    Returns
    -------
    Tensor, [batch, head, query, key]
    """
    by_distance = _all_by(query, vectors.mT) / math.sqrt(query.shape[-1])  # [batch, head, query, distance]
    return by_distance.gather(-1, distances.expand(*by_distance.shape[:-2], *distances.shape))


def distance_context(weights: Tensor, vectors: Tensor, distances: Tensor) -> Tensor:
    """Return sum_j a_ij a^V_ij, what distance adds to a context, Shaw et al. 2018, section 3.1, equation 3.

    The weights of the keys at one distance are summed first.

    Parameters
    ----------
    weights : Tensor, [batch, head, query, key]
    vectors : Tensor, [distance, d_head]
        a^V, by `clipped_distances`.
    distances : int64 Tensor, [query, key]

    Returns
    -------
    Tensor, [batch, head, query, d_head]
        Of the precision of `vectors`.
    """
    by_distance = weights.new_zeros((*weights.shape[:-1], len(vectors)))
    by_distance = by_distance.scatter_add(-1, distances.expand(weights.shape), weights)
    return _all_by(by_distance.to(vectors.dtype), vectors)
