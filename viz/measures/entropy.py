"""How widely heads read: the Shannon entropy of their rows. numpy only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz.measures.shares import missing_of, ratio, unread, wholes_of
from viz.views.links import Weights


def row_entropy(weights: Weights) -> NDArray[np.float64]:
    """Return how widely each row spreads: the Shannon entropy in bits.

    Parameters
    ----------
    weights : array, [..., query, key]
        Not negative.

    Returns
    -------
    float64 array, [..., query]
        0 where one key takes all, log2(keys) where all take the same. H = -sum(w log2 w); what a row leaves `unread`
        is one more term.

    Examples
    --------
    >>> row_entropy(np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.0]])).tolist()
    [0.0, 1.0, 1.0]
    """
    values = np.asarray(weights, dtype=np.float64)
    sums = values.sum(axis=-1)
    shares = values / wholes_of(sums)[..., None]
    entropy: NDArray[np.float64] = entropy_terms(shares).sum(axis=-1) + entropy_terms(missing_of(sums))
    return entropy


def entropy_terms(shares: Weights) -> NDArray[np.float64]:
    """Return -p log2 p of each share, 0 of 0.

    Parameters
    ----------
    shares : array of any shape
        From 0 to 1.

    Returns
    -------
    float64 array of the same shape
        In bits.

    Examples
    --------
    >>> entropy_terms(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    values = np.asarray(shares, dtype=np.float64)
    terms = np.log2(values, out=np.zeros_like(values), where=values > 0)
    terms *= values
    return np.abs(terms, out=terms)


def mean_entropy(weights: Weights) -> NDArray[np.float64]:
    """Return how widely a head spreads: the mean over queries of `row_entropy`, in bits.

    Parameters
    ----------
    weights : array, [..., query, key]
        Not negative.

    Returns
    -------
    float64 array, [...]
        Between 0 and log2(keys), or log2(keys + 1) where rows leave something `unread`; 0 if there is no row.

    Examples
    --------
    >>> float(mean_entropy(np.array([[1.0, 0.0], [0.5, 0.5]])))
    0.5
    """
    entropies = row_entropy(weights)
    return ratio(entropies.sum(axis=-1), np.full(entropies.shape[:-1], entropies.shape[-1]))


def relative_entropy(weights: Weights, *, causal: bool = False) -> NDArray[np.float64]:
    """Return `mean_entropy` as a share of the most that it could be, so that long and short texts compare.

    Parameters
    ----------
    weights : array, [..., query, key]
    causal : bool, optional
        Whether the query at position i could read only the keys 0 to i.

    Returns
    -------
    float64 array, [...]
        0 where every query reads one key, 1 where every query reads all that it may alike; 0 too if no query
        has a choice. The sum of the rows' entropies over the sum of their log2(readable keys). A head of which any
        row leaves something `unread` has one choice more in every row: no token.

    Examples
    --------
    >>> float(relative_entropy(np.array([[1.0, 0.0], [0.5, 0.5]]), causal=True))
    1.0
    """
    values = np.asarray(weights, dtype=np.float64)
    queries, keys = values.shape[-2:]
    readable = np.minimum(np.arange(1, queries + 1), keys) if causal else np.full(queries, keys)
    more = (unread(values) > 0).any(axis=-1, keepdims=True)  # [..., 1]
    most = np.log2(np.maximum(readable + more, 1))  # [..., query]
    return ratio(row_entropy(values).sum(axis=-1), most.sum(axis=-1))
