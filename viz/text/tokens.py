"""Display of tokens: visible, escaped and never cut silently.

The identity of a token is its position; the labels made here may repeat.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from types import MappingProxyType

from models.trace.tokens import is_mark

LONGEST_LABEL = 24
"""Columns that a label may take on an axis; the whole text stands in the hover text."""

BLANK_MARK = "␣"
EMPTY_MARK = "∅"
_ELLIPSIS = "…"
KEPT = 4096  # tokens of which it is kept how they look: a page asks for each of them many times
_DOTTED_CIRCLE = "◌"
_JOINERS = "\u200c\u200d"
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_ARROWS = MappingProxyType({"\n": "↵", "\r": "↵", "\t": "⇥"})
# Plotly reads <b> and &amp; as markup, and $...$ as a formula where MathJax is at hand.
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})


@lru_cache(maxsize=KEPT)
def visible(text: str) -> str:
    """Return `text` with everything that one cannot see made visible."""
    if not text:
        return EMPTY_MARK
    shown = "".join(_visible_character(text, position) for position in range(len(text)))
    return _DOTTED_CIRCLE + shown if unicodedata.category(shown[0]).startswith("M") else shown


def _visible_character(text: str, position: int) -> str:
    character = text[position]
    if character.isprintable() and character != " ":
        return character
    if character in _JOINERS and 0 < position < len(text) - 1:
        return character  # inside an emoji or a Persian word it joins what is seen
    if unicodedata.category(character) == "Zs":
        return BLANK_MARK
    if character in _ARROWS:
        return _ARROWS[character]
    return f"⟨{ord(character):02X}⟩"


@lru_cache(maxsize=KEPT)
def width(text: str) -> int:
    """Return the columns that `text` takes: two for a wide (Chinese, emoji) character, none for a combining one."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_UNIT = re.compile(
    r"\s+|[\u2e80-\u9fff\uff00-\uffef][\uff0c\u3002\uff1b\uff1a\u3001\uff01\uff1f\uff09\u201d\u300b]*|[^\s\u2e80-\u9fff\uff00-\uffef]+"
)
"""What a line is not broken within: a Chinese character with the marks after it, a word, a space."""


def units(text: str) -> list[str]:
    """Return the parts of `text` between which a line may be broken, spaces left out."""
    return [part for part in _UNIT.findall(text) if not part.isspace()]


def wrap(text: str, columns: int) -> list[str]:
    """Break `text` into lines of `columns` at most: at spaces, and between Chinese characters, which take two each."""
    if width(text) == len(text):
        return textwrap.wrap(text, columns)
    lines = [""]
    for part in _UNIT.findall(text.strip()):
        if lines[-1] and width(lines[-1] + part.rstrip()) > columns:
            lines.append("")
        lines[-1] += part.lstrip() if not lines[-1] else part
    return [line.rstrip() for line in lines if line.strip()]


def shorten(text: str, longest: int = LONGEST_LABEL) -> str:
    """Cut `text` to `longest` columns, ``…`` at the end where something was cut."""
    if width(text) <= longest:
        return text
    taken, columns = 0, 0
    for character in text:
        columns += _character_width(character)
        if columns > longest - 1:
            break
        taken += 1
    return text[:taken].rstrip("\u200d") + _ELLIPSIS


def escape(text: str) -> str:
    """Return `text` such that Plotly shows it as it is, instead of reading ``<s>`` as markup.

    A right-to-left word is set apart, so that it does not turn around what stands beside it.
    """
    return isolated(text).translate(_MARKUP)


def runs_rightward(texts: Iterable[str]) -> bool:
    """Return whether a line of `texts` runs from left to right: by the first letter that says so."""
    kinds = (unicodedata.bidirectional(character) for text in texts if not is_mark(text) for character in text)
    return next((kind == "L" for kind in kinds if kind in ("L", "R", "AL")), True)


@lru_cache(maxsize=KEPT)
def isolated(text: str) -> str:
    """Return `text` set apart if it runs from right to left, so that it does not turn around what stands beside it."""
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"
    return text


def label(text: str, longest: int = LONGEST_LABEL) -> str:
    """Return what an axis shows for the token `text`: visible, shortened, escaped for Plotly."""
    return escape(shorten(visible(text), longest))


def full_label(text: str) -> str:
    """Return the token `text` whole: visible and escaped for Plotly, for hover texts."""
    return escape(visible(text))


def is_cut(text: str, longest: int = LONGEST_LABEL) -> bool:
    """Return whether `label` shows less than the whole token."""
    return width(visible(text)) > longest


def is_word(text: str) -> bool:
    """Return whether a token is text with a letter or a digit, and no special token."""
    return not text.startswith("<") and any(character.isalnum() for character in text)


def widest(texts: Iterable[str], longest: int = LONGEST_LABEL) -> int:
    """Return the columns of the widest label among `texts`; 0 without any."""
    return max((width(shorten(visible(text), longest)) for text in texts), default=0)
