"""Measures of learnt relative-position vectors (Shaw et al. 2018); numpy only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]


def distances_read(table: Numbers, *, causal: bool) -> NDArray[np.int64]:
    """Return the distances that a layer can read, nearest to the left end first: from -k to k, in a decoder to 0.

    Shapes: `table` [2 k + 1, d_head].
    """
    reach = len(table) // 2
    return np.arange(-reach, 1 if causal else reach + 1)


def cosines(vectors: Numbers) -> NDArray[np.float32]:
    """Return the cosine of every two rows, 0 beside a row of zeros.

    Shapes: `vectors` [row, d]; returns [row, row].
    """
    exact = np.asarray(vectors, dtype=np.float64)
    sizes = np.linalg.norm(exact, axis=1, keepdims=True)
    units = np.divide(exact, sizes, out=np.zeros_like(exact), where=sizes > 0)
    return np.asarray((units @ units.T).clip(-1, 1), dtype=np.float32)


def biases(queries: Numbers, vectors: Numbers) -> NDArray[np.float64]:
    """Return what each distance adds to a score on average over the queries of a text: q a^K / sqrt(d_head).

    Shapes: `queries` [head, query, d_head]; `vectors` [distance, d_head]; returns [head, distance].
    """
    mean = np.asarray(queries, dtype=np.float64).mean(axis=1)  # [head, d_head]
    return np.asarray(mean @ np.asarray(vectors, dtype=np.float64).T / np.sqrt(vectors.shape[1]))


def score_parts(
    scores: Numbers, by_distance: Numbers, mask: Numbers
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the part of each score that the words give and the part that the distance gives; NaN where none is read.

    Shapes: `scores` [query, key]; `by_distance` [query, key]; `mask` [query, key]; returns [query, key].
    """
    read = np.asarray(mask, dtype=bool)
    words, distance = (np.where(read, each, np.nan).astype(np.float32) for each in (scores - by_distance, by_distance))
    return words, distance


def share_of_distance(words: Numbers, distance: Numbers) -> float:
    """Return how much of what tells the keys of a row apart the distance gives, from 0 to 1.

    Of each row the two parts vary from key to key; it is the variance of the one beside the sum of both, over all rows
    with two keys at least. A number that is the same for all keys changes no weight.

    Shapes: `words` [query, key]; `distance` [query, key].
    """
    rows = np.isfinite(words).sum(axis=1) > 1
    if not rows.any():
        return 0.0
    of_words, of_distance = (float(np.nanvar(each[rows], axis=1).sum(dtype=np.float64)) for each in (words, distance))
    return of_distance / (of_words + of_distance) if of_words + of_distance else 0.0
