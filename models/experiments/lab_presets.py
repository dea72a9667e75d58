"""Numbers to start from in the lab: each shows one thing about attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.experiments.lab import Numbers
from models.experiments.lab_layer import LabLayer, run_layer


@dataclass(frozen=True, eq=False)
class Preset:
    """Numbers to start from."""

    tables: Mapping[str, Numbers]  # as `run_layer` takes them
    mask: NDArray[np.bool_] | None = None
    scaled: bool = True
    heads: int = 1
    names: tuple[str, ...] = field(default=())  # of the tokens; empty where they have none

    def run(self) -> LabLayer:
        """Return what the numbers give as they are."""
        return run_layer(self.tables, heads=self.heads, mask=self.mask, scaled=self.scaled)


def _of(query: Numbers, key: Numbers, value: Numbers) -> dict[str, Numbers]:
    return {"query": query, "key": key, "value": value}


def book() -> Preset:
    """Return the textbook's example, unscaled: scores 0.36, 2.4, -0.36, 0.36, result 1.98, 2.98, 3.98, 4.98.

    The last two keys are made here to the book's scores.
    """
    key = np.array([[-0.2, 0.4, 1.2, 0.8], [0.2, 0.4, -0.6, 0.6], [0.2, -0.4, 0, 0], [0.6, 0, 0, 0]])
    value = np.array([[4.0, 5, 6, 7], [1, 2, 3, 4], [5, 6, 7, 8], [6, 7, 8, 9]])
    return Preset(_of(np.array([[0.6, 1.2, -1.2, 1.8]]), key, value), scaled=False)


def one_hot() -> Preset:
    """Return queries so much like one key each that the result is that key's value: a look-up in a table."""
    return Preset(_of(20 * np.eye(3), np.eye(3), np.array([[1.0, 2], [3, 4], [5, 6]])), scaled=False)


def uniform() -> Preset:
    """Return queries of zeros: all keys score alike, and the result is the mean of the values."""
    return Preset(_of(np.zeros((2, 3)), np.eye(3), np.array([[3.0, 0], [0, 3], [3, 3]])))


def causal() -> Preset:
    """Return self-attention of four tokens in which none reads a later one: the first can only read itself."""
    tokens = np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    return Preset(_of(tokens, tokens, tokens), mask=np.tri(4, dtype=bool))


def written_so_far() -> Preset:
    """Return the contexts of 我吃了一个苹果 in four units, each attending to itself and to those before it.

    Queries are the logarithms of the weights and keys are rows of the identity, so that the softmax gives back rows
    (1), (0.5 0.5), (0.45 0.45 0.1), (0.3 0.3 0.1 0.3).
    """
    weights = ((1.0,), (0.5, 0.5), (0.45, 0.45, 0.1), (0.3, 0.3, 0.1, 0.3))
    query = np.zeros((4, 4))
    for row, shares in enumerate(weights):
        query[row, : len(shares)] = np.log(shares).round(4)
    names = ("我", "吃了", "一个", "苹果")
    return Preset(_of(query, np.eye(4), np.eye(4)), np.tri(4, dtype=bool), scaled=False, names=names)


def projections() -> Preset:
    """Return four tokens with three matrices: the same tokens ask, are found and are carried over in three ways."""
    tables = {
        "inputs": np.array([[1.0, 0, 1], [0, 2, 0], [1, 1, 1], [0, 0, 2]]),
        "query_weight": np.array([[1.0, 0], [0, 1], [0, 0]]),
        "key_weight": np.array([[0.0, 1], [1, 0], [1, 0]]),
        "value_weight": np.array([[1.0, 0], [0, 1], [1, 1]]),
    }
    return Preset(tables)


def two_heads() -> Preset:
    """Return four tokens that two heads read: the first what is alike, the second what stands next, joined by W_O."""
    inputs = np.eye(4)
    alike = np.array([[2.0, 0], [2, 0], [0, 2], [0, 2]])
    tables = {
        "inputs": inputs,
        "query_weight": np.concatenate((alike, 3 * np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])), axis=1),
        "key_weight": np.concatenate((alike, 3 * np.array([[0.0, -1], [1, 0], [0, 1], [-1, 0]])), axis=1),
        "value_weight": np.concatenate((np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), np.eye(4)[:, 2:]), axis=1),
        "output_weight": np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]]),
    }
    return Preset(tables, heads=2)


def permuted(order: Sequence[int] = (2, 0, 3, 1)) -> tuple[Preset, Preset]:
    """Return self-attention of four tokens, and of the same tokens in another order.

    The results are the same rows in that order: without positions self-attention does not know which token is first.
    """
    tokens = np.array([[1.0, 0, 1], [0, 2, 1], [1, 1, 0], [0, 1, -1]])
    other = tokens[list(order)]
    return Preset(_of(tokens, tokens, tokens)), Preset(_of(other, other, other))


def random_vectors(size: int, *, keys: int = 8, seed: int = 0) -> Preset:
    """Return one query and `keys` keys of `size` numbers drawn from N(0, 1): the products' variance is `size`.

    That is why they are divided by sqrt(size): else the softmax of long vectors picks one key and passes no gradient
    to the others (Vaswani et al. 2017, section 3.2.1).
    """
    generator = np.random.default_rng(seed)
    query, key = generator.standard_normal((1, size)), generator.standard_normal((keys, size))
    return Preset(_of(query, key, np.eye(keys)))


def score_tables(query: int, key: int) -> dict[str, Numbers]:
    """Return the tables with which the other scores start: matrices that change nothing, and vectors of ones."""
    hidden = max(query, key)
    return {
        "general": np.eye(query, key),
        "general_bias": np.ones((1, key)),
        "activated_bias": np.zeros((1, 1)),
        "additive_query": np.eye(query, hidden),
        "additive_key": np.eye(key, hidden),
        "additive_vector": np.ones((1, hidden)),
    }
