"""How widely heads read: the Shannon entropy of their rows. numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.shares import Weights, missing_of, ratio, wholes_of


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
    return entropy_of_rows(values, values.sum(axis=-1))


def entropy_of_rows(values: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """Return what `row_entropy` says, of rows whose sums are known: [..., query].

    Parameters
    ----------
    values : float array, [..., query, key]
    sums : float array, [..., query]

    Notes
    -----
    With s the sum of a row, -sum((w / s) log2 (w / s)) = log2 s - sum(w log2 w) / s: one logarithm a weight, and no
    division.
    """
    wholes = wholes_of(sums)
    tiny = np.finfo(values.dtype).tiny
    logarithms = np.log2(np.maximum(values, tiny))  # of a weight of 0 times 0
    information = np.einsum("...qk,...qk->...q", values, logarithms)
    spread = (np.log2(wholes) * sums - information) / wholes
    found: NDArray[Any] = np.maximum(spread, 0) + entropy_terms(missing_of(sums))
    return found


def entropy_terms(shares: Weights) -> NDArray[Any]:
    """Return -p log2 p of each share, 0 of 0.

    Parameters
    ----------
    shares : float array of any shape
        From 0 to 1.

    Returns
    -------
    float array of the same shape
        In bits.

    Examples
    --------
    >>> entropy_terms(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    values = np.asarray(shares)
    terms: NDArray[Any] = np.log2(values, out=np.zeros_like(values), where=values > 0)
    terms *= values
    np.abs(terms, out=terms)
    return terms


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
    return np.asarray(ratio(entropies.sum(axis=-1), entropies.shape[-1]), dtype=np.float64)
