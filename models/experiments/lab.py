"""Query-key-value attention on a handful of numbers, in float64: every line of its arithmetic.

softmax(Q K' / sqrt(d) / temperature) V, Vaswani et al. 2017, equation 1; with other scores in the place of Q K', of
inputs and their projections, of several heads, or with a hard choice of one key. In numpy, so that a server of pages
without models needs no torch for it; tests hold it to the functions that the networks run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError
from models.messages import CountMessage, Message

Numbers = NDArray[np.float64]
Table = Sequence[Sequence[float]] | Numbers
Score = Literal["dot", "general", "biased", "activated", "additive", "cosine"]
"""How well a query fits a key: q k', q W k', (q W + b) k' (Sordoni et al. 2016), tanh(q W k' + b) (Ma et al. 2017),
v tanh(q W + k U), or the cosine of the angle between them."""

LARGEST = 512
"""Rows or columns of a table at most."""


@dataclass(frozen=True, eq=False)
class LabRun:
    """Every line of the arithmetic."""

    products: Numbers  # [query, key] Q K', or what stands in its place
    scores: Numbers  # [query, key] What the softmax gets: the products, scaled if asked for, over the temperature
    mask: NDArray[np.bool_]  # [query, key] True where a query may read a key
    exponentials: Numbers  # [query, key] exp(score - the row's largest), 0 where masked
    # [query, key] The exponentials over their row's sum; of a hard choice 1 at the row's largest score
    weights: Numbers
    result: Numbers  # [query, d_value] Weights times V
    inner: Numbers | None = None  # [query, key] What the activation of the score gets; None without one


_QUERIES, _KEYS, _VALUES = Message("Queries"), Message("Keys"), Message("Values")
NAMES: Mapping[str, Message] = {
    "query": _QUERIES,
    "key": _KEYS,
    "value": _VALUES,
    "inputs": Message("Inputs"),
    "query_weight": Message("W_Q"),
    "key_weight": Message("W_K"),
    "value_weight": Message("W_V"),
    "output_weight": Message("W_O"),
    "general": Message("W of the score"),
    "general_bias": Message("b of the score"),
    "activated_bias": Message("b of the score"),
    "additive_query": Message("W of the score"),
    "additive_key": Message("U of the score"),
    "additive_vector": Message("v of the score"),
}
"""What messages call each table."""

SCORE_TABLES: Mapping[Score, tuple[str, ...]] = {
    "dot": (),
    "general": ("general",),
    "biased": ("general", "general_bias"),
    "activated": ("general", "activated_bias"),
    "additive": ("additive_query", "additive_key", "additive_vector"),
    "cosine": (),
}
"""The tables that a score needs beside queries and keys."""


def table_of(name: Message, values: Table) -> Numbers:
    """Return a table in float64; InputError, in the reader's words, if it is none."""
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = Message("{name}: every cell must contain a number.", name=name)
        raise InputError(message) from error
    if table.ndim != 2 or not table.size:
        message = Message("{name} is empty: it needs at least one row and one column.", name=name)
        raise InputError(message)
    if max(table.shape) > LARGEST:
        message = Message(
            "{name} has {rows} and {columns}. The lab allows at most {most} of each.",
            name=name,
            rows=CountMessage("{count} row", "{count} rows", table.shape[0]),
            columns=CountMessage("{count} column", "{count} columns", table.shape[1]),
            most=LARGEST,
        )
        raise InputError(message)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        message = Message(
            "{name}: row {row}, column {column} has no number. Fill it in.", name=name, row=row + 1, column=column + 1
        )
        raise InputError(message)
    return table


def _check_sizes(q: Numbers, k: Numbers, v: Numbers, *, alike: bool) -> None:
    if alike and q.shape[1] != k.shape[1]:
        message = CountMessage(
            "A query has {count} number and a key has {other}. They are multiplied, so both need equally many.",
            "A query has {count} numbers and a key has {other}. They are multiplied, so both need equally many.",
            q.shape[1],
            other=k.shape[1],
        )
        raise InputError(message)
    if len(k) != len(v):
        message = CountMessage(
            "There is {count} key and {values}. Each key needs its value.",
            "There are {count} keys and {values}. Each key needs its value.",
            len(k),
            values=CountMessage("{count} value", "{count} values", len(v)),
        )
        raise InputError(message)


def _check_mask(allowed: NDArray[np.bool_], queries: int, keys: int) -> None:
    if allowed.shape != (queries, keys):
        message = Message(
            "The mask has shape {shape}, but there are {queries} and {keys}.",
            shape=allowed.shape,
            queries=CountMessage("{count} query", "{count} queries", queries),
            keys=CountMessage("{count} key", "{count} keys", keys),
        )
        raise InputError(message)
    if (unread := np.flatnonzero(~allowed.any(axis=1))).size:
        message = Message("Query {query} has no key to attend to. Leave at least one.", query=int(unread[0]) + 1)
        raise InputError(message)


@np.errstate(over="ignore", invalid="ignore")
def run_lab(
    query: Table,
    key: Table,
    value: Table,
    *,
    mask: Sequence[Sequence[bool]] | NDArray[np.bool_] | None = None,
    scaled: bool = True,
    temperature: float = 1.0,
    score: Score = "dot",
    parameters: Mapping[str, Table] | None = None,
    hard: bool = False,
) -> LabRun:
    """Let queries read keys and values."""
    if score not in get_args(Score):
        message = f"score is one of {', '.join(get_args(Score))}; got {score!r}"
        raise ValueError(message)
    q, k, v = table_of(_QUERIES, query), table_of(_KEYS, key), table_of(_VALUES, value)
    _check_sizes(q, k, v, alike=score in ("dot", "cosine"))
    if not (np.isfinite(temperature) and temperature > 0):
        message = Message("The temperature must be above 0; got {temperature:g}.", temperature=temperature)
        raise InputError(message)
    allowed = np.ones((len(q), len(k)), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    _check_mask(allowed, len(q), len(k))
    fit = _fit(score, q, k, {name: table_of(NAMES[name], (parameters or {})[name]) for name in SCORE_TABLES[score]})
    inner = fit if score == "activated" else None
    products = fit if inner is None else np.tanh(inner)
    scores = products / (q.shape[1] ** 0.5 if scaled else 1.0) / temperature
    shown = np.where(allowed, scores, -np.inf)
    exponentials = np.exp(shown - shown.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    if hard:
        weights = np.eye(len(k))[shown.argmax(axis=-1)]
    return LabRun(products, scores, allowed, exponentials, weights, weights @ v, inner)


def _fit(score: Score, q: Numbers, k: Numbers, given: Mapping[str, Numbers]) -> Numbers:
    """Return how well each query fits each key, [query, key]; of an activated score, what the activation gets."""
    _check_tables(given, q.shape[1], k.shape[1])
    if "general" in given:
        read = q @ given["general"] + given.get("general_bias", 0)
        return np.asarray(read @ k.T + given.get("activated_bias", 0))
    if score == "additive":
        weight, key_weight, vector = (given[name] for name in SCORE_TABLES["additive"])
        return np.asarray(np.tanh((q @ weight)[:, None] + (k @ key_weight)[None]) @ vector[0])
    if score == "cosine":
        return _normalised(q) @ _normalised(k).T
    return q @ k.T


def _check_tables(given: Mapping[str, Numbers], query: int, key: int) -> None:
    """Raise InputError if a table of the score does not fit queries and keys of so many numbers."""
    hidden = given["additive_vector"].shape[1] if "additive_vector" in given else 0
    sizes = {
        "general": (query, key),
        "general_bias": (1, key),
        "activated_bias": (1, 1),
        "additive_query": (query, hidden),
        "additive_key": (key, hidden),
        "additive_vector": (1, hidden),
    }
    for name, table in given.items():
        if table.shape != sizes[name]:
            raise InputError(misfit(name, table, *sizes[name]))


def _normalised(values: Numbers) -> Numbers:
    """Return rows of length 1; one of zeros stays, as `torch.nn.functional.normalize` has it."""
    return np.asarray(values / np.maximum(np.linalg.norm(values, axis=-1, keepdims=True), 1e-12))


def misfit(name: str, table: Numbers, rows: int, columns: int) -> Message:
    """Return the message that a table has not the rows and columns that it needs here.

    Shapes: `table` [row, column].
    """
    return Message(
        "{name} has {got_rows} and {got_columns}. It must be {rows} \u00d7 {columns}.",
        name=NAMES[name],
        got_rows=CountMessage("{count} row", "{count} rows", table.shape[0]),
        got_columns=CountMessage("{count} column", "{count} columns", table.shape[1]),
        rows=rows,
        columns=columns,
    )
