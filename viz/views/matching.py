"""Two texts, or one text in two models: which words are the same, and how differently heads read them.

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

from models.trace import AttentionMap, TokenSequence

Pairs = tuple[tuple[int, int], ...]
BLOCK_BYTES = 16 * 2**20


def match_words(
    first: Sequence[str], second: Sequence[str], *, parts: tuple[Sequence[int], Sequence[int]] | None = None
) -> Pairs:
    """Match the words of two texts that are equal and in one order.

    Parameters
    ----------
    first, second : sequence of str
        White space around a word does not count; capitals do.
    parts : tuple of (sequence of int, sequence of int), optional
        A number for each word of the first and of the second: words of different parts are never matched.

    Returns
    -------
    tuple of (int, int)
        Positions in the first and in the second text, rising in both.

    Raises
    ------
    ValueError
        If there are not as many parts as words.

    Notes
    -----
    The blocks of Python's difflib (Ratcliff and Obershelp's gestalt matching), no word being junk.

    Examples
    --------
    >>> match_words("it was hungry .".split(), "it was very sweet .".split())
    ((0, 0), (1, 1), (3, 4))
    >>> match_words(["cat", "cat"], ["cat"], parts=((0, 1), (1,)))
    ((1, 0),)
    """
    numbers = ((0,) * len(first), (0,) * len(second)) if parts is None else parts
    one, other = (
        [(part, text.strip()) for part, text in zip(each, texts, strict=True)]
        for each, texts in zip(numbers, (first, second), strict=True)
    )
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return tuple((block.a + step, block.b + step) for block in blocks for step in range(block.size))


def match_tokens(
    first: TokenSequence, second: TokenSequence, *, specials: bool = True, text: int | None = None
) -> Pairs:
    """Match the tokens of two records, those of the first of two texts read together with those of the first alone.

    Parameters
    ----------
    first, second : TokenSequence
        Each of one text or of a pair. One text counts as the first of a pair.
    specials : bool, optional
        Whether tokens that stand for no text are matched too.
    text : int, optional
        0 or 1: only the tokens of this text of a pair are matched.

    Returns
    -------
    tuple of (int, int)
        As `match_words` gives them.
    """
    parts = None
    if first.segments or second.segments or text is not None:
        parts = _parts(first), _parts(second)
    found = match_words(first.texts, second.texts, parts=parts)
    if parts is not None and text is not None:
        found = tuple(pair for pair in found if parts[0][pair[0]] == text)
    if specials:
        return found
    return tuple((one, other) for one, other in found if one not in first.specials and other not in second.specials)


def _parts(tokens: TokenSequence) -> tuple[int, ...]:
    """Return of which text of a pair each token is; -1 of neither."""
    return tokens.segments or tuple(-1 if place in tokens.specials else 0 for place in range(len(tokens)))


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

    @classmethod
    def of_maps(
        cls,
        first: AttentionMap,
        second: AttentionMap,
        *,
        specials: bool = True,
        between: tuple[int, int] | None = None,
    ) -> Matching:
        """Match two maps by their tokens; of texts that are read in pairs, the first with the first alone.

        Parameters
        ----------
        first, second : AttentionMap
            With nothing hidden.
        specials : bool, optional
            Whether tokens that stand for no text are matched too.
        between : tuple of int, optional
            Of a pair of texts, the one whose tokens are rows and the one whose tokens are columns, 0 or 1 each.
        """
        rows, columns = (None, None) if between is None else between
        return cls(
            match_tokens(first.query_tokens, second.query_tokens, specials=specials, text=rows),
            match_tokens(first.key_tokens, second.key_tokens, specials=specials, text=columns),
        )

    @property
    def empty(self) -> bool:
        """Whether there is nothing that both maps have."""
        return not (self.queries and self.keys)

    def first(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return what is matched of the weights of the first map; see `matched`."""
        return matched(weights, [one for one, _ in self.queries], [one for one, _ in self.keys])

    def second(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return what is matched of the weights of the second map; see `matched`."""
        return matched(weights, [other for _, other in self.queries], [other for _, other in self.keys])


def matched(weights: NDArray[Any], queries: Sequence[int], keys: Sequence[int]) -> NDArray[np.float32]:
    """Return the weights of some queries on some keys, and what each of these queries gives to all other keys.

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
    """Return how differently each head reads in two runs: the total variation distance, averaged over queries.

    Parameters
    ----------
    first, second : array, [head, query, key]
        Matched, as `Matching.first` and `Matching.second` give them.

    Returns
    -------
    float64 array, [head]
        0 where a head reads alike, 1 where it reads nothing that it read before: the share of the reading, of the
        average word, that went elsewhere. Half the sum of absolute differences of a row, what it gives to no token
        one of its terms. A change among words that are not matched is not seen.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> changes(np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([[[0.0, 1.0], [0.5, 0.5]]])).tolist()
    [0.5]
    >>> changes(np.array([[[1.0, 0.0]]]), np.array([[[0.0, 0.0]]])).tolist()
    [1.0]
    """
    if np.shape(first) != np.shape(second):
        message = f"the same heads on the same words are compared; got {np.shape(first)} and {np.shape(second)}"
        raise ValueError(message)
    gaps = first - second
    given = np.abs(gaps.sum(axis=-1, dtype=np.float64))  # more to all tokens together is less to none
    distance: NDArray[np.float64] = (np.abs(gaps).sum(axis=-1, dtype=np.float64) + given) / 2  # [head, query]
    return distance.mean(axis=-1) if distance.shape[-1] else np.zeros(len(distance))


def distances(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return how differently every head of one model and every head of another read the same words.

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
    """Return positions by value, the largest first, the earlier first among equals.

    Examples
    --------
    >>> ranking(np.array([0.1, 0.5, 0.5]))
    (1, 2, 0)
    """
    return tuple(int(place) for place in np.argsort(-values, kind="stable"))
