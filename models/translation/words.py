"""Text as our models see it, cut into words.

A word is a run without white space; each punctuation mark is a word of its own; a French elision ends after its
apostrophe (``l'`` | ``accord``); each Han character is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from models.errors import InputError, check_text
from models.messages import Message

HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ranges of Chinese characters, for a regular expression's brackets."""

MOST_CHARACTERS = 10_000
"""Characters of a text that are looked at: what is longer is cut, or refused, before it is split into anything."""

_LONGEST_KEPT = 32  # characters of a run whose parts are kept
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=\w)", re.IGNORECASE)
_WORD = re.compile(rf"[{HAN}]|[^\s{HAN}]+")
_COUNTED = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['\u2019][^\W{HAN}]+)*|[^\w\s]")


def normalise(text: str) -> str:
    r"""Return `text` as the models see it: NFC, straight apostrophes, single spaces, none at the ends.

    Control characters count as white space; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
    """
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    composed = unicodedata.normalize("NFC", whole).replace("\u2019", "'")
    if not composed.isprintable():
        composed = "".join(" " if unicodedata.category(each) in ("Cc", "Zs", "Zl", "Zp") else each for each in composed)
    return " ".join(composed.split())


def beginning(text: str) -> tuple[str, int]:
    """Return what is looked at of `text`, cut after a word if it has more than `MOST_CHARACTERS`, and what is not."""
    check_text(text)
    if len(text) <= MOST_CHARACTERS:
        return text, 0
    begun = text.lstrip()
    first = begun[:MOST_CHARACTERS]
    if len(first) < len(begun):
        words = first.rsplit(maxsplit=1)
        first = words[0] if len(words) > 1 else first
    return first, sum(1 for _ in _COUNTED.finditer(begun, len(first)))


def check_characters(text: str) -> None:
    """Refuse a text that is longer than `MOST_CHARACTERS`, white space at its ends left out."""
    check_text(text)
    if len(text) > MOST_CHARACTERS and (count := len(text.strip())) > MOST_CHARACTERS:
        message = Message(
            "The text has {count:,} characters; the limit is {most:,}. Shorten it.",
            count=count,
            most=MOST_CHARACTERS,
        )
        raise InputError(message)


def is_mark(character: str) -> bool:
    """Return whether a character is a word of its own: punctuation, currency and mathematical signs."""
    return unicodedata.category(character)[0] == "P" or unicodedata.category(character) in ("Sc", "Sm")


def split_words(text: str) -> list[str]:
    """Cut normalised text into words, the white space before a word kept with it.

    An apostrophe between two letters belongs to their word (``don't``) unless it ends a French elision.
    Joining the words gives the text back.
    """
    words: list[str] = []
    end = 0
    for run in _WORD.finditer(text):
        found = run.group()
        for start, stop in _parts(found) if len(found) <= _LONGEST_KEPT else _split_run(found):
            words.append(text[end : run.start() + start] + run.group()[start:stop])
            end = run.start() + stop
    if end < len(text):
        words.append(text[end:])  # white space at the end, which normalised text has not
    return words


def bare(word: str) -> str:
    """Return how a word is written where capitals and blanks do not count; empty for a mark."""
    return word.strip().lower() if any(map(str.isalnum, word)) else ""


def bare_words(text: str) -> list[str]:
    """Return the words of a text as the vectors know them: `split_words`, small letters, no marks."""
    return [word for word in map(bare, split_words(normalise(text))) if word]


@lru_cache(maxsize=8192)
def _parts(run: str) -> tuple[tuple[int, int], ...]:
    """Return what `_split_run` gives of a short run, and keep it: texts have the same words again and again."""
    return tuple(_split_run(run))


def _split_run(run: str) -> Iterator[tuple[int, int]]:
    """Cut a run without white space at its punctuation marks and elisions, as (start, stop) pairs."""
    start = 0
    for index, character in enumerate(run):
        if not is_mark(character):
            continue
        inside = 0 < index < len(run) - 1 and run[index - 1].isalpha() and run[index + 1].isalpha()
        if character == "'" and inside:
            elision = _ELISION.match(run, start)
            if elision and elision.end() == index + 1:
                yield start, index + 1
                start = index + 1
            continue
        if start < index:
            yield start, index
        yield index, index + 1
        start = index + 1
    if start < len(run):
        yield start, len(run)
