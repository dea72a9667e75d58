"""What a key moves: the length of what it adds to a query's vector. Kobayashi et al. 2020.

A weight says how much of a key's value is taken, not how long that value is: an attention sink gets much weight, and
its value is near 0, so that it moves nothing. By a head it is a_ij |f(x_j)|, f(x) = (x W^V + b^V) W^O (section 2), by
all heads of a layer |sum_h a_ij f_h(x_j)| (section 3); rows are normalised. The output's bias, the residual and what
comes after are in neither. Both follow from the weights and the companion `value_gram`.

References
----------
Kobayashi, Kuribayashi, Yokoi and Inui 2020, Attention is Not Only a Weight: Analyzing Transformers with Vector Norms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

QUERIES_AT_ONCE = 64


def value_norms(gram: Floats) -> Floats:
    """Return |f_h(x_j)| at each distance, [head, key, distance]; one distance unless values differ by it.

    Shapes: `gram` [head, key, head * distance].
    """
    heads, keys, _ = gram.shape
    squares: Floats = np.einsum("hkdh->hkd", gram.reshape(heads, keys, -1, heads))
    return np.sqrt(np.maximum(squares, 0))


def moved_by_heads(weights: Floats, gram: Floats) -> Floats:
    """Return a_ij |f_h(x_j)| of each head, every row over its sum; of a row that moves nothing 0.

    Shapes: `weights` [head, query, key]; `gram` [head, key, head * distance]; returns [head, query, key].
    """
    norms = value_norms(gram)
    if norms.shape[2] == 1:
        return normalised(weights * norms[:, None, :, 0])
    rows = _distances(weights.shape, norms.shape[2])
    return normalised(weights * norms[:, np.arange(weights.shape[2]), rows])


def moved_by_layer(weights: Floats, gram: Floats) -> Floats:
    """Return |sum_h a_ij f_h(x_j)| of all heads together, every row over its sum.

    Shapes: `weights` [head, query, key]; `gram` [head, key, head * distance]; returns [query, key].
    """
    heads, queries, keys = weights.shape
    products = gram.reshape(heads, keys, -1, heads).transpose(1, 2, 0, 3)  # [key, distance, head, head]
    distances = _distances(weights.shape, products.shape[1])
    found = np.empty((queries, keys), dtype=np.float32)
    for start in range(0, queries, QUERIES_AT_ONCE):
        end = start + QUERIES_AT_ONCE
        part = weights[:, start:end].transpose(2, 1, 0)  # [key, query, head]
        if products.shape[1] == 1:
            summed = part @ products[:, 0]  # [key, query, head]
        else:
            own = products[np.arange(keys)[:, None], distances[start:end].T]  # [key, query, head, head]
            summed = (part[..., None, :] @ own)[..., 0, :]
        found[start:end] = np.sqrt(np.maximum((summed * part).sum(-1), 0)).T
    return normalised(found)


def normalised(lengths: Floats) -> Floats:
    """Return lengths with rows that sum to 1, in their own memory; those of zeros alone stay.

    Shapes: `lengths` [..., query, key]; returns [..., query, key].
    """
    sums = lengths @ np.ones((lengths.shape[-1], 1), dtype=lengths.dtype)  # a product of matrices: the fastest sum
    sums[sums == 0] = 1
    lengths /= sums
    return lengths


def _distances(shape: tuple[int, ...], count: int) -> NDArray[np.int64]:
    """Return which of `count` distances each pair has, [query, key]; see `models.networks.distances`."""
    reach = count // 2
    apart = np.arange(shape[2]) - np.arange(shape[1])[:, None]
    return np.asarray(np.clip(apart, -reach, reach) + reach)
