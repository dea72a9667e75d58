"""Numbers drawn from attention weights. numpy only.

Rows that sum to less than 1 are never renormalised: what is missing was given to no token, to a sink beside the text
(gpt-oss) or to nothing (a window that only lowers weights, an edit). It counts as one more outcome of the row. Rows
that sum to more than 1, which no mechanism gives, are taken relative to their sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]

ROUNDING = 1e-5
"""A row that lacks no more than this to 1 lacks nothing: float32 weights of a thousand keys are off by some 1e-6."""


@dataclass(frozen=True, slots=True)
class Link:
    """A cell of a map: the query at position `query` gives `weight` to the key at position `key`."""

    query: int
    key: int
    weight: float


def row_entropy(weights: Weights) -> NDArray[np.float64]:
    """Give how widely each row spreads: the Shannon entropy in bits.

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
    """Give -p log2 p of each share, 0 of 0.

    Examples
    --------
    >>> entropy_terms(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    values = np.asarray(shares, dtype=np.float64)
    terms = np.log2(values, out=np.zeros_like(values), where=values > 0)
    terms *= values
    return np.abs(terms, out=terms)


def unread(weights: Weights) -> NDArray[np.float64]:
    """Give what each row gives to no token: what it lacks to 1.

    Parameters
    ----------
    weights : array, [..., query, key]
        Not negative.

    Returns
    -------
    float64 array, [..., query]
        Between 0 and 1; 0 of a row that sums to 1, up to `ROUNDING`, or to more.

    Examples
    --------
    >>> unread(np.array([[0.25, 0.0], [0.5, 0.5]])).tolist()
    [0.75, 0.0]
    """
    return missing_of(np.asarray(weights).sum(axis=-1, dtype=np.float64))


def unread_share(weights: Weights) -> NDArray[np.float64]:
    """Give the share of a head's reading that goes to no token.

    Parameters
    ----------
    weights : array, [..., query, key]

    Returns
    -------
    float64 array, [...]
        Between 0 and 1: the mean over queries of `unread`. With the shares of all keys it sums to 1.

    Examples
    --------
    >>> float(unread_share(np.array([[0.25, 0.0], [0.5, 0.5]])))
    0.375
    """
    sums = np.asarray(weights).sum(axis=-1, dtype=np.float64)
    return _ratio(missing_of(sums).sum(axis=-1), wholes_of(sums).sum(axis=-1))


def row_links(weights: Weights) -> tuple[Link, ...]:
    """Give for each query the key that it reads most; the first of equals.

    Parameters
    ----------
    weights : array, [query, key]

    Returns
    -------
    tuple of Link
        One a row, in order; none if there are no keys.

    Raises
    ------
    ValueError
        If `weights` is not one head's.

    Examples
    --------
    >>> row_links(np.array([[0.25, 0.75]]))
    (Link(query=0, key=1, weight=0.75),)
    """
    values = np.asarray(weights)
    if values.ndim != 2:
        message = f"weights of one head, [query, key]; got shape {values.shape}"
        raise ValueError(message)
    if not values.size:
        return ()
    keys = values.argmax(axis=1)
    return tuple(Link(query, int(key), float(values[query, key])) for query, key in enumerate(keys))


def strongest_links(weights: Weights, *, count: int = 1) -> tuple[Link, ...]:
    """Give the `count` strongest of the rows' strongest links, strongest first, the upper row first among equals.

    Parameters
    ----------
    weights : array, [query, key]
    count : int, optional
        How many at most; one a row.

    Returns
    -------
    tuple of Link

    Examples
    --------
    >>> strongest_links(np.array([[0.25, 0.75], [1.0, 0.0]]))
    (Link(query=1, key=0, weight=1.0),)
    """
    return tuple(sorted(row_links(weights), key=lambda link: -link.weight)[:count])


def mean_entropy(weights: Weights) -> NDArray[np.float64]:
    """Give how widely a head spreads: the mean over queries of `row_entropy`, in bits.

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
    return _ratio(entropies.sum(axis=-1), np.full(entropies.shape[:-1], entropies.shape[-1]))


def relative_entropy(weights: Weights, *, causal: bool = False) -> NDArray[np.float64]:
    """Give `mean_entropy` as a share of the most that it could be, so that long and short texts compare.

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
    return _ratio(row_entropy(values).sum(axis=-1), most.sum(axis=-1))


def mean_distance(weights: Weights) -> NDArray[np.float64]:
    """Give how far a head reads: the mean of |query position - key position|, weighted by attention.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself: between two sequences positions do not compare.

    Returns
    -------
    float64 array, [...]
        In tokens, of what tokens are given: what rows leave `unread` is at no distance. 0 if there is no weight.

    Examples
    --------
    >>> float(mean_distance(np.array([[0.0, 1.0], [1.0, 0.0]])))
    1.0
    """
    values = np.asarray(weights, dtype=np.float64)
    return _ratio((values * np.abs(_offsets(values))).sum(axis=(-2, -1)), values.sum(axis=(-2, -1)))


def offset_share(weights: Weights, offset: int) -> NDArray[np.float64]:
    """Give the share of a head's reading that goes to the token `offset` places from the reader.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself.
    offset : int
        -1 the previous token, 0 the token itself, 1 the next.

    Returns
    -------
    float64 array, [...]
        Between 0 and 1, of all that all queries give, to no token too; a query without such a token (the first has
        none before it) adds nothing, so that the shares of all offsets and the `unread_share` sum to 1.

    Examples
    --------
    >>> float(offset_share(np.array([[1.0, 0.0], [1.0, 0.0]]), -1))
    0.5
    """
    values = np.asarray(weights, dtype=np.float64)
    part = np.diagonal(values, offset, axis1=-2, axis2=-1).sum(axis=-1)
    return _ratio(part, _all_reading(values))


def key_share(weights: Weights, key: int) -> NDArray[np.float64]:
    """Give the share of a head's reading that goes to one token, whoever reads.

    Parameters
    ----------
    weights : array, [..., query, key]
    key : int
        Position of the token; -1 the last.

    Returns
    -------
    float64 array, [...]
        Between 0 and 1; 0 if there are no keys.

    Examples
    --------
    >>> float(key_share(np.array([[1.0, 0.0], [0.5, 0.5]]), 0))
    0.75
    """
    values = np.asarray(weights, dtype=np.float64)
    if not values.shape[-1]:
        return np.zeros(values.shape[:-2])
    return _ratio(values[..., key].sum(axis=-1), _all_reading(values))


def keys_share(weights: Weights, keys: Sequence[int]) -> NDArray[np.float64]:
    """Give the share of a head's reading that goes to certain tokens, such as the special ones, whoever reads.

    Parameters
    ----------
    weights : array, [..., query, key]
    keys : sequence of int
        Positions, each once; -1 the last.

    Returns
    -------
    float64 array, [...]
        Between 0 and 1; 0 if there are no such keys.

    Examples
    --------
    >>> float(keys_share(np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]), (0, 2)))
    0.625
    """
    values = np.asarray(weights, dtype=np.float64)
    return _ratio(values[..., list(keys)].sum(axis=(-2, -1)), _all_reading(values))


def repeated_share(weights: Weights, names: Sequence[Hashable], *, causal: bool = False) -> NDArray[np.float64]:
    """Give, of the tokens that stand elsewhere too, the share of their reading that goes to the same token there.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself.
    names : sequence
        What each token is: tokens of equal names are the same.
    causal : bool, optional
        Whether a query could read only what stands before it: then elsewhere is earlier.

    Returns
    -------
    float64 array, [...]
        Between 0 and 1; 0 if no token stands twice. A token that reads its own position adds nothing.

    Examples
    --------
    >>> float(repeated_share(np.array([[0.25, 0.0, 0.75], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), ("the", "cat", "the")))
    0.875
    """
    values = np.asarray(weights, dtype=np.float64)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    codes = np.array([numbers[name] for name in names], dtype=np.int64)
    elsewhere = (codes[:, None] == codes[None, :]) & ~np.eye(len(codes), dtype=bool)  # [query, key]
    elsewhere = np.tril(elsewhere) if causal else elsewhere
    reading = wholes_of(values.sum(axis=-1)) * elsewhere.any(axis=1)  # [..., query]
    return _ratio((values * elsewhere).sum(axis=(-2, -1)), reading.sum(axis=-1))


def even_weights(queries: int, keys: int, *, causal: bool = False) -> NDArray[np.float64]:
    """Give the weights of a head that reads all that it may alike: what a measure is compared with.

    Parameters
    ----------
    queries, keys : int
    causal : bool, optional
        Whether the query at position i may read only the keys 0 to i.

    Returns
    -------
    float64 array, [query, key]
        Rows sum to 1.

    Examples
    --------
    >>> even_weights(2, 2, causal=True).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    readable = np.tril(np.ones((queries, keys))) if causal else np.ones((queries, keys))
    even: NDArray[np.float64] = readable / np.maximum(readable.sum(axis=-1, keepdims=True), 1)
    return even


def missing_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what rows of these sums lack to 1, as `unread` explains it: [..., query]."""
    return np.where(sums < 1 - ROUNDING, 1 - sums, 0.0)


def wholes_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what rows of these sums, with what is missing, come to: 1, but for rounding, or more: [..., query]."""
    return np.where(sums < 1 - ROUNDING, 1.0, sums)


def _all_reading(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what all queries give, to tokens and to none: [...]."""
    reading: NDArray[np.float64] = wholes_of(values.sum(axis=-1)).sum(axis=-1)
    return reading


def _offsets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give key position less query position of every cell: [query, key]."""
    queries, keys = values.shape[-2:]
    return np.arange(keys)[None, :] - np.arange(queries)[:, None]


def _ratio(part: Any, whole: Any) -> NDArray[np.float64]:
    """Divide; 0 where there is nothing to divide by."""
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
