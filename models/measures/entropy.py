"""How widely heads read: the Shannon entropy of their rows. numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.shares import Weights, missing_of, ratio, wholes_of


def row_entropy(weights: Weights) -> NDArray[np.float64]:
    """Return how widely each row spreads: the Shannon entropy in bits.

    Shapes: `weights` [..., query, key]; returns [..., query].
    """
    values = np.asarray(weights, dtype=np.float64)
    return entropy_of_rows(values, values.sum(axis=-1))


def entropy_of_rows(values: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """Return what `row_entropy` says, of rows whose sums are known: [..., query].

    Shapes: `values` [..., query, key]; `sums` [..., query].
    """
    wholes = wholes_of(sums)
    tiny = np.finfo(values.dtype).tiny
    logarithms = np.log2(np.maximum(values, tiny))  # of a weight of 0 times 0
    information = np.einsum("...qk,...qk->...q", values, logarithms)
    spread = (np.log2(wholes) * sums - information) / wholes
    found: NDArray[Any] = np.maximum(spread, 0) + entropy_terms(missing_of(sums))
    return found


def entropy_terms(shares: Weights) -> NDArray[Any]:
    """Return -p log2 p of each share, 0 of 0."""
    values = np.asarray(shares)
    terms: NDArray[Any] = np.log2(values, out=np.zeros_like(values), where=values > 0)
    terms *= values
    np.abs(terms, out=terms)
    return terms


def mean_entropy(weights: Weights) -> NDArray[np.float64]:
    """Return how widely a head spreads: the mean over queries of `row_entropy`, in bits.

    Shapes: `weights` [..., query, key]; returns [...].
    """
    entropies = row_entropy(weights)
    return np.asarray(ratio(entropies.sum(axis=-1), entropies.shape[-1]), dtype=np.float64)
