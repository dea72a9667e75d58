"""Which share of the reading goes where: to a key, to like words, to no token. numpy only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.views.links import Weights

ROUNDING = 1e-5
"""A row that lacks no more than this to 1 lacks nothing: float32 weights of a thousand keys are off by some 1e-6."""


def unread(weights: Weights) -> NDArray[np.float64]:
    """Return what each row gives to no token: what it lacks to 1.

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
    """Return the share of a head's reading that goes to no token.

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
    return ratio(missing_of(sums).sum(axis=-1), wholes_of(sums).sum(axis=-1))


def key_share(weights: Weights, key: int) -> NDArray[np.float64]:
    """Return the share of a head's reading that goes to one token, whoever reads.

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
    return ratio(values[..., key].sum(axis=-1), all_reading(values))


def keys_share(weights: Weights, keys: Sequence[int]) -> NDArray[np.float64]:
    """Return the share of a head's reading that goes to certain tokens, such as the special ones, whoever reads.

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
    return ratio(values[..., list(keys)].sum(axis=(-2, -1)), all_reading(values))


def cells_share(weights: Weights, cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the share of a head's reading that goes along certain cells.

    Parameters
    ----------
    weights : array, [..., query, key]
    cells : bool array, [query, key]

    Returns
    -------
    float64 array, [...]
        Between 0 and 1.

    Examples
    --------
    >>> float(cells_share(np.array([[0.25, 0.75], [0.5, 0.5]]), np.eye(2, dtype=bool)))
    0.375
    """
    values = np.asarray(weights, dtype=np.float64)
    return ratio(np.einsum("...qk,qk->...", values, cells.astype(np.float64)), all_reading(values))


def repeated_cells(names: Sequence[Hashable], *, causal: bool = False) -> NDArray[np.bool_]:
    """Return for each token at which other places the same token stands: [query, key].

    Parameters
    ----------
    names : sequence
        What each token is: tokens of equal names are the same.
    causal : bool, optional
        Whether only earlier places count.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    codes = np.array([numbers[name] for name in names], dtype=np.int64)
    elsewhere = (codes[:, None] == codes[None, :]) & ~np.eye(len(codes), dtype=bool)
    return np.tril(elsewhere) if causal else elsewhere


def repeated_share(weights: Weights, names: Sequence[Hashable], *, causal: bool = False) -> NDArray[np.float64]:
    """Return, of the tokens that stand elsewhere too, the share of their reading that goes to the same token there.

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
    elsewhere = repeated_cells(names, causal=causal)
    reading = wholes_of(values.sum(axis=-1)) * elsewhere.any(axis=1)  # [..., query]
    return ratio((values * elsewhere).sum(axis=(-2, -1)), reading.sum(axis=-1))


def missing_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what rows of these sums lack to 1, as `unread` explains it: [..., query].

    Parameters
    ----------
    sums : float64 array, [..., query]
    """
    return np.where(sums < 1 - ROUNDING, 1 - sums, 0.0)


def wholes_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what rows of these sums, with what is missing, come to: 1, but for rounding, or more: [..., query].

    Parameters
    ----------
    sums : float64 array, [..., query]
    """
    return np.where(sums < 1 - ROUNDING, 1.0, sums)


def all_reading(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what all queries give, to tokens and to none: [...].

    Parameters
    ----------
    values : float64 array, [..., query, key]
        Weights.
    """
    reading: NDArray[np.float64] = wholes_of(values.sum(axis=-1)).sum(axis=-1)
    return reading


def ratio(part: Any, whole: Any) -> NDArray[np.float64]:
    """Divide; 0 where there is nothing to divide by.

    Parameters
    ----------
    part, whole : array or number
        Of one shape.

    Returns
    -------
    float64 array of that shape
    """
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
