"""The tokens of a text, and the words that they belong to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from models.trace.record import TraceError
from models.vocabulary import FIRST_POSITION

UNKNOWN = "…"
"""What labels the row of a step that wrote what is not known."""

_TOKEN_BYTES = 200  # about what Python spends on one token: its texts, its number, its word

_MARK = re.compile(r"<[^<>\s]+>|\[[A-Z]+\]")


def is_mark(text: str) -> bool:
    """Return whether a token reads as the mark of a beginning or an end, such as ``</s>`` and ``[CLS]``."""
    return _MARK.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def is_punctuation(text: str) -> bool:
    """Return whether a token is nothing but punctuation."""
    signs = text.strip()
    return bool(signs) and all(unicodedata.category(each).startswith("P") for each in signs)


@dataclass(frozen=True, slots=True, eq=True)
class TokenSequence:
    """The tokens of one text, in order, and the words that they belong to.

    Parameters
    ----------
    texts : tuple of str
        What each token reads, white space kept as it is in the text.
    ids : tuple of int
        Vocabulary indices; -1 for a word merged from pieces.
    words : tuple of int
        For each token the 0-based index of its word; never decreasing, no index left out.
    word_texts : tuple of str
        What each word reads. Kept beside `texts` because a word cut inside a character
        (an emoji in four byte pieces) cannot be put together from its pieces' texts.
    specials : tuple of int, optional
        Positions of tokens that stand for no text (``[CLS]``, ``</s>``), where the tokenizer tells.
    segments : tuple of int, optional
        For a pair of texts, for each token: 0 of the first, 1 of the second, -1 of neither.

    Raises
    ------
    TraceError
        If lengths differ, the word indices skip or go back, or a special token stands nowhere.
    """

    texts: tuple[str, ...]
    ids: tuple[int, ...]
    words: tuple[int, ...]
    word_texts: tuple[str, ...]
    specials: tuple[int, ...] = ()
    segments: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.ids) == len(self.words):
            message = (
                f"token sequence: got {len(self.texts)} texts, {len(self.ids)} ids, {len(self.words)} word indices; "
                "expected as many of each"
            )
            raise TraceError(message)
        known = list(dict.fromkeys(self.words))
        if known != list(range(len(known))) or sorted(self.words) != list(self.words):
            message = f"token sequence: word indices {self.words} skip or go back; expected 0, 0, 1, 2, 2, ..."
            raise TraceError(message)
        if len(self.word_texts) != (self.words[-1] + 1 if self.words else 0):
            message = f"token sequence: got {len(self.word_texts)} word texts for {len(set(self.words))} words"
            raise TraceError(message)
        if not set(self.specials) <= set(range(len(self))) or len(self.segments) not in (0, len(self)):
            message = f"token sequence of {len(self)}: special positions {self.specials}, segments {self.segments}"
            raise TraceError(message)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes in memory."""
        return _TOKEN_BYTES * len(self)

    @classmethod
    def from_words(cls, texts: Iterable[str], ids: Iterable[int] | None = None) -> TokenSequence:
        """Make a sequence in which every token is a word.

        Parameters
        ----------
        texts : iterable of str
        ids : iterable of int, optional
            Vocabulary indices; -1 each if left out.
        """
        words = tuple(texts)
        return cls(words, tuple(ids) if ids is not None else (-1,) * len(words), tuple(range(len(words))), words)

    def to_words(self) -> TokenSequence:
        """Return the sequence of words, each one token; special if all its pieces are, of its first piece's segment."""
        words = TokenSequence.from_words(self.word_texts)
        if not (self.specials or self.segments):
            return words
        plain = {word for position, word in enumerate(self.words) if position not in self.specials}
        starts = [self.words.index(word) for word in words.words] if self.segments else []
        return replace(
            words,
            specials=tuple(word for word in words.words if word not in plain),
            segments=tuple(self.segments[start] for start in starts),
        )


@dataclass(frozen=True, slots=True)
class RecordedTexts:
    """What labels the axes of the maps of a run."""

    source: TokenSequence  # what was read
    read_in: TokenSequence  # what the decoder read in: of a model of one stack the source
    written: TokenSequence  # what was written; empty for a model of one stack


def followed(tokens: TokenSequence, text: str) -> TokenSequence:
    """Return tokens and one more, which is of no word of theirs and stands for no text."""
    return TokenSequence(
        (*tokens.texts, text),
        (*tokens.ids, -1),
        (*tokens.words, len(tokens.word_texts)),
        (*tokens.word_texts, text),
        (*tokens.specials, len(tokens)),
    )


def hop_tokens(count: int) -> TokenSequence:
    """Return what labels the rows of hops, which are no words of a text: learned vectors, the same for every text."""
    return TokenSequence.from_words(f"hop-{number + FIRST_POSITION}" for number in range(count))


def word_positions(tokens: TokenSequence, positions: Iterable[int]) -> tuple[int, ...]:
    """Return the words of which every piece stands at one of `positions`."""
    chosen = set(positions)
    kept = {word for place, word in enumerate(tokens.words) if place not in chosen}
    return tuple(word for word in range(len(tokens.word_texts)) if word not in kept)
