"""Numbers drawn from attention weights. numpy only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]


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
        Not negative. A row that does not sum to 1 is taken relative to its sum; a row of zeros gives 0.

    Returns
    -------
    float64 array, [..., query]
        0 where one key takes all, log2(keys) where all take the same. H = -sum(w log2 w).

    Examples
    --------
    >>> row_entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [0.0, 1.0]
    """
    values = np.asarray(weights, dtype=np.float64)
    shares = _rows_over_sums(values)
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: NDArray[np.float64] = np.abs((shares * logarithms).sum(axis=-1))
    return entropy


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
        Not negative. Rows without any weight do not count.

    Returns
    -------
    float64 array, [...]
        Between 0 and log2(keys); 0 if no row has weight.

    Examples
    --------
    >>> float(mean_entropy(np.array([[1.0, 0.0], [0.5, 0.5]])))
    0.5
    """
    values = np.asarray(weights, dtype=np.float64)
    return _ratio(row_entropy(values).sum(axis=-1), (values.sum(axis=-1) > 0).sum(axis=-1))


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
        has a choice. The sum of the rows' entropies over the sum of their log2(readable keys).

    Examples
    --------
    >>> float(relative_entropy(np.array([[1.0, 0.0], [0.5, 0.5]]), causal=True))
    1.0
    """
    values = np.asarray(weights, dtype=np.float64)
    queries, keys = values.shape[-2:]
    readable = np.minimum(np.arange(1, queries + 1), keys) if causal else np.full(queries, keys)
    most = np.log2(np.maximum(readable, 1))  # [query]
    return _ratio(row_entropy(values).sum(axis=-1), (most * (values.sum(axis=-1) > 0)).sum(axis=-1))


def mean_distance(weights: Weights) -> NDArray[np.float64]:
    """Give how far a head reads: the mean of |query position - key position|, weighted by attention.

    Parameters
    ----------
    weights : array, [..., query, key]
        Of a sequence that reads itself: between two sequences positions do not compare.

    Returns
    -------
    float64 array, [...]
        In tokens; 0 if there is no weight.

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
        Between 0 and 1, of all that all queries read; a query without such a token (the first has none
        before it) adds nothing, so that the shares of all offsets sum to 1.

    Examples
    --------
    >>> float(offset_share(np.array([[1.0, 0.0], [1.0, 0.0]]), -1))
    0.5
    """
    values = np.asarray(weights, dtype=np.float64)
    return _ratio((values * (_offsets(values) == offset)).sum(axis=(-2, -1)), values.sum(axis=(-2, -1)))


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
    return _ratio(values[..., key].sum(axis=-1), values.sum(axis=(-2, -1)))


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
    return _ratio(values[..., list(keys)].sum(axis=(-2, -1)), values.sum(axis=(-2, -1)))


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
    reading = values.sum(axis=-1) * elsewhere.any(axis=1)  # [..., query]
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
    readable = np.ones((queries, keys))
    return _rows_over_sums(np.tril(readable) if causal else readable)


def _rows_over_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each row as shares of its sum; rows of zeros stay: [..., query, key]."""
    sums = values.sum(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
    return shares


def _offsets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give key position less query position of every cell: [query, key]."""
    queries, keys = values.shape[-2:]
    return np.arange(keys)[None, :] - np.arange(queries)[:, None]


def _ratio(part: Any, whole: Any) -> NDArray[np.float64]:
    """Divide; 0 where there is nothing to divide by."""
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
