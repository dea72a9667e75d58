"""A piece for every character that a tokenizer's text holds often: no common one is read as bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from models.trace.marks import byte_characters
from models.translation.tokenizer import SPECIAL_TOKENS, PairTokenizer
from models.translation.words import normalise

OFTEN = 5
"""A character that occurs as often as this has a piece."""
BYTES = 256


def learn(texts: Iterable[str], vocabulary: int) -> PairTokenizer:
    """Return a tokenizer of `texts` with a piece for each character in them that occurs `OFTEN` times.

    No space is put before a text that begins with a Han character.
    """
    counts: Counter[str] = Counter()

    def counted() -> Iterator[str]:
        for text in texts:
            counts.update(text)
            yield text

    learned = PairTokenizer.train(counted(), vocabulary, leading_space=False)
    often = [character for character, count in counts.most_common() if count >= OFTEN and normalise(character)]
    return with_pieces(learned, often, vocabulary)


def with_pieces(tokenizer: PairTokenizer, characters: Iterable[str], vocabulary: int) -> PairTokenizer:
    """Return a tokenizer of `vocabulary` pieces in which each of `characters` is a piece.

    The rarest of its merges make way for those that are missing. New merges come last, so that they change no other
    text than such as holds one of the characters.
    """
    stored = tokenizer.stored()
    learned = [tuple(merge) for merge in stored["model"]["merges"]]
    first = sorted(stored["model"]["vocab"], key=stored["model"]["vocab"].get)[: len(SPECIAL_TOKENS) + BYTES]
    symbols = [byte_characters(character) for character in characters]
    kept = len(learned)
    while True:
        merges = [*learned[:kept], *_missing_merges(learned[:kept], symbols)]
        pieces = list(dict.fromkeys([*first, *map("".join, merges)]))
        if len(pieces) <= vocabulary:
            break
        kept -= len(pieces) - vocabulary
    for merge in learned[kept:]:
        if len(pieces) < vocabulary and "".join(merge) not in pieces:
            merges.append(merge)
            pieces.append("".join(merge))
    stored["model"]["vocab"] = {piece: index for index, piece in enumerate(pieces)}
    stored["model"]["merges"] = [list(merge) for merge in merges]
    return PairTokenizer.restored(stored)


def _missing_merges(merges: Sequence[tuple[str, ...]], symbols: Iterable[list[str]]) -> list[tuple[str, str]]:
    """Return the merges that, put after `merges`, make one piece of each of some byte sequences."""
    ranks = {merge: rank for rank, merge in enumerate(merges)}
    added: list[tuple[str, str]] = []
    for each in symbols:
        parts = list(each)
        while len(parts) > 1:
            rank, place = min((ranks.get(pair, len(ranks)), index) for index, pair in enumerate(pairwise(parts)))
            if rank == len(ranks):
                ranks[parts[0], parts[1]] = rank
                added.append((parts[0], parts[1]))
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return added
