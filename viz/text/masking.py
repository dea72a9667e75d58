"""Masked words of a text: which can be masked, and the text with masks."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from models.translation.words import split_words


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with masks in it."""

    text: str
    hidden: tuple[str, ...] = ()  # the word behind each mask, in their order; empty for a mask that was typed


def maskable(text: str, mask: str) -> dict[int, str]:
    """Return the words of a text that can be hidden, by their numbers from 0."""
    return {number: word for number, (_, word) in enumerate(_placed(text)) if word and not _typed(text, mask, number)}


def hide(text: str, mask: str, numbers: Collection[int]) -> Masked:
    """Return `text` with a mask in place of some of its words."""
    words = maskable(text, mask)
    found = [(match.start(), "") for match in re.finditer(re.escape(mask), text)]
    shown, end = "", 0
    for number, (start, word) in enumerate(_placed(text)):
        if number in numbers and number in words:
            found.append((start, word))
            shown, end = shown + text[end:start] + mask, start + len(word)
    return Masked(shown + text[end:], tuple(word for _, word in sorted(found)))


def _placed(text: str) -> list[tuple[int, str]]:
    """Return each word without the white space before it, and where it begins."""
    placed, end = [], 0
    for word in split_words(text):
        bare = word.strip()
        placed.append((end + len(word) - len(word.lstrip()), bare))
        end += len(word)
    return placed


def _typed(text: str, mask: str, number: int) -> bool:
    """Return whether a word is a part of a mask that was typed."""
    start = _placed(text)[number][0]
    return any(match.start() <= start < match.end() for match in re.finditer(re.escape(mask), text))
