"""Two texts, or one text in two models: which words are the same, and how differently heads read them. numpy only.

What is compared is the part of two maps that both have: rows and columns of words that are matched. What a query gives
to all other words stands in one more column, so that nothing is renormalised and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = tuple[tuple[int, int], ...]
BLOCK_BYTES = 16 * 2**20


def match_words(first: Sequence[str], second: Sequence[str]) -> Pairs:
    """Match the words of two texts that are equal and in one order.

    Parameters
    ----------
    first, second : sequence of str
        White space around a word does not count; capitals do.

    Returns
    -------
    tuple of (int, int)
        Positions in the first and in the second text, rising in both.

    Notes
    -----
    The blocks of Python's difflib (Ratcliff and Obershelp's gestalt matching), no word being junk.

    Examples
    --------
    >>> match_words("it was hungry .".split(), "it was very sweet .".split())
    ((0, 0), (1, 1), (3, 4))
    """
    one, other = ([text.strip() for text in texts] for texts in (first, second))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return tuple((block.a + step, block.b + step) for block in blocks for step in range(block.size))


@dataclass(frozen=True, slots=True)
class Matching:
    """Which rows and which columns of two maps are of the same words.

    Parameters
    ----------
    queries, keys : tuple of (int, int)
        As `match_words` gives them.
    """

    queries: Pairs
    keys: Pairs

    @classmethod
    def of(cls, first: tuple[Sequence[str], Sequence[str]], second: tuple[Sequence[str], Sequence[str]]) -> Matching:
        """Match two maps by the texts of their (queries, keys)."""
        queries, keys = (match_words(one, other) for one, other in zip(first, second, strict=True))
        return cls(queries, keys)

    @property
    def empty(self) -> bool:
        """Whether there is nothing that both maps have."""
        return not (self.queries and self.keys)

    def first(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Give what is matched of the weights of the first map; see `matched`."""
        return matched(weights, [one for one, _ in self.queries], [one for one, _ in self.keys])

    def second(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Give what is matched of the weights of the second map; see `matched`."""
        return matched(weights, [other for _, other in self.queries], [other for _, other in self.keys])


def matched(weights: NDArray[Any], queries: Sequence[int], keys: Sequence[int]) -> NDArray[np.float32]:
    """Give the weights of some queries on some keys, and what each of these queries gives to all other keys.

    Parameters
    ----------
    weights : array, [..., query, key]
    queries, keys : sequence of int

    Returns
    -------
    float32 array, [..., chosen query, chosen key and all others]
        Each row sums to what it summed to.

    Examples
    --------
    >>> matched(np.array([[0.5, 0.25, 0.25]]), [0], [1]).tolist()
    [[0.25, 0.75]]
    """
    rows = weights[..., list(queries), :]
    chosen = set(keys)
    others = [place for place in range(weights.shape[-1]) if place not in chosen]
    rest = rows[..., others].sum(axis=-1, dtype=np.float64)[..., None]
    return np.concatenate([rows[..., list(keys)], rest], axis=-1).astype(np.float32)


def changes(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Give how differently each head reads in two runs: the total variation distance, averaged over queries.

    Parameters
    ----------
    first, second : array, [head, query, key]
        Matched, as `Matching.first` and `Matching.second` give them.

    Returns
    -------
    float64 array, [head]
        0 where a head reads alike, 1 where it reads nothing that it read before: the share of the reading, of the
        average word, that went elsewhere. Half the sum of absolute differences of a row. A change among words that
        are not matched is not seen.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> changes(np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([[[0.0, 1.0], [0.5, 0.5]]])).tolist()
    [0.5]
    """
    if np.shape(first) != np.shape(second):
        message = f"the same heads on the same words are compared; got {np.shape(first)} and {np.shape(second)}"
        raise ValueError(message)
    distance: NDArray[np.float64] = np.abs(first - second).sum(axis=-1, dtype=np.float64) / 2  # [head, query]
    return distance.mean(axis=-1) if distance.shape[-1] else np.zeros(len(distance))


def distances(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Give how differently every head of one model and every head of another read the same words.

    Parameters
    ----------
    first : array, [head, query, key]
    second : array, [other head, query, key]
        Both matched.

    Returns
    -------
    float64 array, [head, other head]
        As in `changes`.
    """
    found = np.empty((len(first), len(second)))
    step = max(int(BLOCK_BYTES / max(first[0].nbytes, 1)), 1)
    for number, head in enumerate(first):
        for start in range(0, len(second), step):
            block = second[start : start + step]
            found[number, start : start + step] = changes(np.broadcast_to(head, block.shape), block)
    return found


def ranking(values: NDArray[np.float64]) -> tuple[int, ...]:
    """Give positions by value, the largest first, the earlier first among equals.

    Examples
    --------
    >>> ranking(np.array([0.1, 0.5, 0.5]))
    (1, 2, 0)
    """
    return tuple(int(place) for place in np.argsort(-values, kind="stable"))
