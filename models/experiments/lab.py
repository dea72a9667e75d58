"""Query-key-value attention on a handful of numbers, in float64: every line of its arithmetic, and presets.

softmax(Q K' / sqrt(d) / temperature) V, Vaswani et al. 2017, equation 1, with the functions that the networks run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from models.errors import InputError
from models.messages import CountMessage, Message
from models.networks.attention import scaled_dot_scores
from models.softmax import FullyMaskedRowError, masked_softmax

Numbers = NDArray[np.float64]

LARGEST = 512
"""Rows or columns of a table at most."""


@dataclass(frozen=True, eq=False)
class LabRun:
    """Every line of the arithmetic.

    Parameters
    ----------
    products : float64 array, [query, key]
        Q K'.
    scores : float64 array, [query, key]
        What the softmax gets: the products, scaled if asked for, over the temperature.
    mask : bool array, [query, key]
        True where a query may read a key.
    exponentials : float64 array, [query, key]
        exp(score - the row's largest), 0 where masked.
    weights : float64 array, [query, key]
        The exponentials over their row's sum.
    result : float64 array, [query, d_value]
        Weights times V.
    """

    products: Numbers
    scores: Numbers
    mask: NDArray[np.bool_]
    exponentials: Numbers
    weights: Numbers
    result: Numbers


_QUERIES, _KEYS, _VALUES = Message("Queries"), Message("Keys"), Message("Values")


def _table(name: Message, values: Sequence[Sequence[float]] | Numbers) -> Numbers:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = Message("{name}: every cell must hold a number.", name=name)
        raise InputError(message) from error
    if table.ndim != 2 or not table.size:
        message = Message("{name} is empty: it needs at least one row and one column.", name=name)
        raise InputError(message)
    if max(table.shape) > LARGEST:
        message = Message(
            "{name} has {rows} and {columns}; the lab takes {most} at most.",
            name=name,
            rows=CountMessage("{count} row", "{count} rows", table.shape[0]),
            columns=CountMessage("{count} column", "{count} columns", table.shape[1]),
            most=LARGEST,
        )
        raise InputError(message)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        message = Message(
            "{name}: row {row}, column {column} holds no number. Fill it in.", name=name, row=row + 1, column=column + 1
        )
        raise InputError(message)
    return table


def _check_sizes(q: Numbers, k: Numbers, v: Numbers) -> None:
    if q.shape[1] != k.shape[1]:
        message = CountMessage(
            "A query has {count} number and a key {other}: give both as many, they are multiplied.",
            "A query has {count} numbers and a key {other}: give both as many, they are multiplied.",
            q.shape[1],
            other=k.shape[1],
        )
        raise InputError(message)
    if len(k) != len(v):
        message = CountMessage(
            "There is {count} key, and there are {values}: each key needs its value.",
            "There are {count} keys and {values}: each key needs its value.",
            len(k),
            values=CountMessage("{count} value", "{count} values", len(v)),
        )
        raise InputError(message)


def _check_mask(allowed: NDArray[np.bool_], queries: int, keys: int) -> None:
    if allowed.shape != (queries, keys):
        message = Message(
            "The mask has {shape} cells; there are {queries} and {keys}.",
            shape=allowed.shape,
            queries=CountMessage("{count} query", "{count} queries", queries),
            keys=CountMessage("{count} key", "{count} keys", keys),
        )
        raise InputError(message)


def run_lab(
    query: Sequence[Sequence[float]] | Numbers,
    key: Sequence[Sequence[float]] | Numbers,
    value: Sequence[Sequence[float]] | Numbers,
    *,
    mask: Sequence[Sequence[bool]] | NDArray[np.bool_] | None = None,
    scaled: bool = True,
    temperature: float = 1.0,
) -> LabRun:
    """Let queries read keys and values.

    Parameters
    ----------
    query : [query, d]
    key : [key, d]
    value : [key, d_value]
    mask : [query, key], optional
        True where a query may read a key.
    scaled : bool, optional
        Whether products are divided by sqrt(d).
    temperature : float, optional
        Above 0; above 1 flattens the weights, below 1 sharpens them.

    Returns
    -------
    LabRun

    Raises
    ------
    InputError
        In the reader's words: tables that do not fit each other, cells without a number, a query without any key.
    """
    q, k, v = _table(_QUERIES, query), _table(_KEYS, key), _table(_VALUES, value)
    _check_sizes(q, k, v)
    if not (np.isfinite(temperature) and temperature > 0):
        message = Message("The temperature must be above 0; got {temperature:g}.", temperature=temperature)
        raise InputError(message)
    allowed = np.ones((len(q), len(k)), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    _check_mask(allowed, len(q), len(k))
    queries, keys = torch.from_numpy(q), torch.from_numpy(k)
    products = queries @ keys.mT
    scores = (scaled_dot_scores(queries, keys) if scaled else products) / temperature
    try:
        weights = masked_softmax(scores, torch.from_numpy(allowed))
    except FullyMaskedRowError as error:
        message = Message("Query {query} may read no key: leave it at least one.", query=error.row + 1)
        raise InputError(message) from error
    shown = scores.masked_fill(~torch.from_numpy(allowed), -torch.inf)
    return LabRun(
        products.numpy(),
        scores.numpy(),
        allowed,
        torch.exp(shown - shown.max(dim=-1, keepdim=True).values).numpy(),
        weights.numpy(),
        (weights @ torch.from_numpy(v)).numpy(),
    )


@dataclass(frozen=True, eq=False)
class Preset:
    """Numbers to start from.

    Parameters
    ----------
    query, key, value : float64 array
        As `run_lab` takes them.
    mask : bool array or None
    scaled : bool
    """

    query: Numbers
    key: Numbers
    value: Numbers
    mask: NDArray[np.bool_] | None = None
    scaled: bool = True


def book() -> Preset:
    """Return the textbook's example, unscaled: scores 0.36, 2.4, -0.36, 0.36, result 1.98, 2.98, 3.98, 4.98.

    The last two keys are made here to the book's scores.
    """
    key = np.array([[-0.2, 0.4, 1.2, 0.8], [0.2, 0.4, -0.6, 0.6], [0.2, -0.4, 0, 0], [0.6, 0, 0, 0]])
    value = np.array([[4.0, 5, 6, 7], [1, 2, 3, 4], [5, 6, 7, 8], [6, 7, 8, 9]])
    return Preset(np.array([[0.6, 1.2, -1.2, 1.8]]), key, value, scaled=False)


def one_hot() -> Preset:
    """Return queries so much like one key each that the result is that key's value: a look-up in a table."""
    return Preset(20 * np.eye(3), np.eye(3), np.array([[1.0, 2], [3, 4], [5, 6]]), scaled=False)


def uniform() -> Preset:
    """Return queries of zeros: all keys score alike, and the result is the mean of the values."""
    return Preset(np.zeros((2, 3)), np.eye(3), np.array([[3.0, 0], [0, 3], [3, 3]]))


def causal() -> Preset:
    """Return self-attention of four tokens in which none reads a later one: the first can only read itself."""
    tokens = np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    return Preset(tokens, tokens, tokens, mask=np.tri(4, dtype=bool))


def permuted(order: Sequence[int] = (2, 0, 3, 1)) -> tuple[Preset, Preset]:
    """Return self-attention of four tokens, and of the same tokens in another order.

    The results are the same rows in that order: without positions self-attention does not know which token is first.

    Parameters
    ----------
    order : sequence of int, optional
        Which of the four stands first, second, ...
    """
    tokens = np.array([[1.0, 0, 1], [0, 2, 1], [1, 1, 0], [0, 1, -1]])
    other = tokens[list(order)]
    return Preset(tokens, tokens, tokens), Preset(other, other, other)


def random_vectors(size: int, *, keys: int = 8, seed: int = 0) -> Preset:
    """Return one query and `keys` keys of `size` numbers drawn from N(0, 1): the products' variance is `size`.

    That is why they are divided by sqrt(size): else the softmax of long vectors picks one key and passes no gradient
    to the others (Vaswani et al. 2017, section 3.2.1).

    Parameters
    ----------
    size : int
    keys : int, optional
    seed : int, optional
    """
    generator = np.random.default_rng(seed)
    query, key = generator.standard_normal((1, size)), generator.standard_normal((keys, size))
    return Preset(query, key, np.eye(keys))
