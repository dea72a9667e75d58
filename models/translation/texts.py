"""The texts of a translation: read and checked, cut to what a model takes, and what is said of them."""

from __future__ import annotations

from typing import Literal

from models.errors import EMPTY, InputError
from models.messages import CountMessage, Message
from models.sites import Site
from models.softmax import FullyMaskedRowError
from models.trace import TokenSequence
from models.translation.scripts import quietened, suggested_language, without_capitals
from models.translation.tokenizer import PairTokenizer
from models.translation.words import beginning, check_characters
from models.vocabulary import END, FIRST_POSITION

MAX_PIECES = 250
"""Longest source or forced target, in pieces, without ``</s>``."""


def read_text(tokenizer: PairTokenizer, text: str, name: Literal["sentence", "translation"]) -> TokenSequence:
    """Return the tokens of a text."""
    check_characters(text)
    tokens = tokenizer.source(as_read(tokenizer, text) if name == "sentence" else text)
    pieces = len(tokens) - 1
    if not pieces:
        raise InputError(EMPTY[name])
    if pieces > MAX_PIECES:
        raise InputError(_too_long(name, pieces))
    return tokens


def as_read(tokenizer: PairTokenizer, source: str) -> str:
    """Return a sentence as a translator reads it: capitals, which models have hardly seen, in lower case.

    All of it if it is all in capitals. In any other text of Latin letters, each word in capitals that is one piece in
    lower case and several in capitals: "I will NOT go", while NATO and the EU stay.
    """
    small = without_capitals(source)
    if small != source or suggested_language(source) != "en":
        return small

    def known(capitals: str, small: str) -> bool:
        first, second = tokenizer.encode_batch([capitals, small])
        return len(second) == 1 < len(first)

    return quietened(source, known)


def capitals(tokenizer: PairTokenizer, source: str) -> tuple[Message, ...]:
    """Say it if a sentence, or words of it, were read in lower case, because they are in capitals."""
    if without_capitals(source) != source:
        return (Message("the sentence was all in capitals: it was read in lower case"),)
    if as_read(tokenizer, source) != source:
        return (Message("words all in capitals were read in lower case"),)
    return ()


def fit_text(tokenizer: PairTokenizer, text: str) -> tuple[str, int]:
    """Cut `text` after the last word that fits into `MAX_PIECES`."""
    text, unseen = beginning(text)
    tokens = tokenizer.source(text)
    pieces = len(tokens) - 1
    if pieces <= MAX_PIECES:
        return text, unseen
    every = tokens.words[pieces]  # words before </s>
    end = tokens.words.index(tokens.words[MAX_PIECES]) or MAX_PIECES
    kept = tokenizer.decode(tokens.ids[:end])
    while len(tokenizer.encode_batch([kept])[0]) > MAX_PIECES:  # a cut may change how the rest is split
        end -= 1
        kept = tokenizer.decode(tokens.ids[:end])
    return kept, every - tokens.words[end] + unseen


def nothing_to_read(
    tokenizer: PairTokenizer, error: FullyMaskedRowError, source: TokenSequence, forced: TokenSequence | None
) -> Message:
    """Say which word has nothing left to read, where it is known: the word at a step is not, while it is chosen."""
    said = Message("The edits hide every key from a word. {reason}.", reason=error)
    place = Site.parse(str(error).partition(":")[0])
    if place.stack == "encoder":
        queries = source
    elif forced is None:
        return said
    else:
        queries = tokenizer.target_input(forced) if place.kind == "self" else forced
    piece, word = queries.texts[error.row].strip(), queries.word_texts[queries.words[error.row]].strip()
    query: dict[str, object] = {"said": said, "row": error.row + FIRST_POSITION, "piece": piece, "word": word}
    if piece == word:
        return Message("{said} Query {row} is “{word}”.", **query)
    if piece:
        return Message("{said} Query {row} is subword “{piece}” of “{word}”.", **query)
    return Message("{said} Query {row} is a subword of “{word}”.", **query)


def cut_after(written: TokenSequence) -> tuple[Message, ...]:
    """Say it if a translation was ended for the model."""
    if written.ids[-1] == END:
        return ()
    return (
        CountMessage(
            "cut after {count} token: the model did not end its translation",
            "cut after {count} tokens: the model did not end its translation",
            len(written),
        ),
    )


def _too_long(name: str, pieces: int) -> Message:
    """Say that a sentence, or a translation, has too many pieces."""
    if name == "sentence":
        return CountMessage(
            "The sentence has {count} subword; this model takes {most} at most. Shorten it.",
            "The sentence has {count} subwords; this model takes {most} at most. Shorten it.",
            pieces,
            most=MAX_PIECES,
        )
    return CountMessage(
        "The translation has {count} subword; this model takes {most} at most. Shorten it.",
        "The translation has {count} subwords; this model takes {most} at most. Shorten it.",
        pieces,
        most=MAX_PIECES,
    )
