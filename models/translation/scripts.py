"""What can be told of a text before a translator reads it: which language its script suggests, whether it shouts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from models.translation.words import HAN

_LONGEST_READ = 2_000  # characters that are looked at
_HAN = re.compile(rf"[{HAN}]")
_FEWEST_CAPITALS = 5  # letters; "USA", "OK" and "NATO" are written so by everybody
_I = re.compile(r"\bi\b")
_BEGINNING = r"(^\W*|[.!?]\s+)"
_WORD = re.compile(r"(?<!\w)[A-Z]+(?:['\u2019][A-Z]+)*(?!\w)")


def suggested_language(text: str) -> str | None:
    """Return the language that most letters of `text` suggest by their script."""
    letters = [each for each in text[:_LONGEST_READ] if each.isalpha()]
    han = sum(1 for each in letters if _HAN.match(each))
    latin = sum(1 for each in letters if "LATIN" in unicodedata.name(each, ""))
    counts = {"zh": han, "en": latin, "other": len(letters) - han - latin}
    language = max(counts, key=lambda each: counts[each])
    return language if 2 * counts[language] > len(letters) else None


def without_capitals(text: str) -> str:
    """Return a text in capitals as lower case, except its first letter and the word I; any other unchanged."""
    letters = [each for each in text if each.isalpha()]
    if len(letters) < _FEWEST_CAPITALS or not all(map(str.isupper, letters)):
        return text
    small = _I.sub("I", text.lower())
    return re.sub(rf"{_BEGINNING}(\w)", lambda found: found[1] + found[2].upper(), small)


def quietened(text: str, known: Callable[[str, str], bool]) -> str:
    """Return a text with the words that are all in capitals in lower case, where a reader knows them better so."""

    def read(found: re.Match[str]) -> str:
        small = found[0].lower()
        if len(small) < 2 or not known(found[0], small):
            return found[0]
        return small.capitalize() if re.search(rf"{_BEGINNING}$", text[: found.start()]) else small

    return _WORD.sub(read, text)
