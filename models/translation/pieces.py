"""The pieces of a text by their bytes, and the words that they make up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from models.trace import TokenSequence
from models.translation.words import split_words


def token_sequence(ids: Sequence[int], texts: Sequence[str], raws: Sequence[bytes | None]) -> TokenSequence:
    """Return pieces as a record."""
    words: list[int] = []
    word_texts: list[str] = []
    for special, run in groupby(range(len(ids)), key=lambda position: raws[position] is None):
        positions = list(run)
        if special:
            indices, new = list(range(len(positions))), [texts[position] for position in positions]
        else:
            indices, new = group_words([raw for position in positions if (raw := raws[position]) is not None])
        words.extend(len(word_texts) + index for index in indices)
        word_texts.extend(new)
    specials = tuple(position for position, raw in enumerate(raws) if raw is None)
    return TokenSequence(tuple(texts), tuple(ids), tuple(words), tuple(word_texts), specials)


def group_words(raws: list[bytes]) -> tuple[list[int], list[str]]:
    """Return, for pieces as bytes, the index of each one's word and the words' texts.

    A model may write pieces that make no whole character or that meet inside one word; a piece belongs to the word
    of its first byte.
    """
    text = b"".join(raws).decode("utf-8", "surrogateescape")  # a stray byte becomes one lone surrogate
    words = [word.encode("utf-8", "surrogateescape") for word in split_words(text)]
    starts = [0]
    for raw in raws:
        starts.append(starts[-1] + len(raw))
    indices, bounds = assign_words(starts[:-1], [len(word) for word in words])
    return indices, [b"".join(words[a:b]).decode("utf-8", "replace").strip() for a, b in bounds]


def assign_words(starts: Sequence[int], lengths: Sequence[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return each piece to the word in which it begins; a word in which none begins goes to the one before it."""
    owners = [index for index, length in enumerate(lengths) for _ in range(length)]  # [unit]
    first = [owners[start] for start in starts]
    begun = sorted(set(first))
    place = {word: index for index, word in enumerate(begun)}
    return [place[word] for word in first], list(zip(begun, [*begun[1:], len(lengths)], strict=True))
