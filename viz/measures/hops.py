"""Spread of hops: the paper's penalty, pairwise overlap, and the sum of the hops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating]


def penalty_of(weights: Numbers) -> float:
    """Return ||A A' - I||_F^2, Lin et al. 2017, equation 8: 0 if each hop reads one word, and no two the same.

    Shapes: `weights` [hop, word].
    """
    own = np.asarray(weights, dtype=np.float64)
    return float(np.square(own @ own.T - np.eye(len(own))).sum())


def overlap_of(weights: Numbers) -> float:
    """Return what two hops share, the mean over all pairs: 1 if all read alike, 0 if no word is read by two.

    Shapes: `weights` [hop, word].
    """
    one, other = np.triu_indices(len(weights), 1)
    shared = np.minimum(weights[one], weights[other]).sum(axis=1, dtype=np.float64)
    return float(shared.mean()) if len(shared) else 0.0


def annotation_of(weights: Numbers) -> NDArray[np.float64]:
    """Return all hops of a sentence summed, and made to sum to 1: how the paper colours its sentences.

    Shapes: `weights` [hop, word]; returns [word].
    """
    summed = np.asarray(weights, dtype=np.float64).sum(axis=0)
    return np.asarray(summed / max(float(summed.sum()), 1e-12))
