"""Catalogues as translators make them: Babel collects the messages of the code; a language made of them, for tests."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.frontend import CommandLineInterface
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
COMMAND = "pybabel -q extract -F pyproject.toml -k _n:1,2 -k mark -k Message -k CountMessage:1,2 -o bench.pot ."
"""What collects the messages, as it stands in pyproject.toml."""

OPEN, CLOSE = "⟦⟧"
_KEPT = re.compile(
    r"\{[^{}]*\}"  # the place of a value
    r"|%\{[^{}]*\}"  # the place of a value in a figure
    r"|<[^<>\s][^<>]*>"  # markup, and tokens such as </s>
    r"|\\[A-Za-z]+"  # LaTeX
    r"|:[a-z]+/\w+:"  # an icon
    r"|`[^`]*`"  # code
)


@cache
def messages(folder: Path) -> Catalog:
    """Run Babel on the code, and return what it found; `folder` is for its file."""
    target = folder / "bench.pot"
    words = COMMAND.split()
    words[words.index("bench.pot")], words[-1] = str(target), str(ROOT)
    words[words.index("pyproject.toml")] = str(ROOT / "pyproject.toml")
    CommandLineInterface().run(words)
    with target.open("rb") as file:
        return read_po(file)


def pseudo(text: str) -> str:
    """Return `text` in the pseudo-language: in brackets, its letters wide, values and markup as they were."""
    parts = re.split(f"({_KEPT.pattern})", text)
    return OPEN + "".join(part if number % 2 else wide(part) for number, part in enumerate(parts)) + CLOSE


def wide(text: str) -> str:
    """Return `text` with letters that no English word has: full-width ones."""
    return re.sub(r"[A-Za-z]", lambda letter: chr(ord(letter[0]) + 0xFEE0), text)


def write_pseudo_language(folder: Path, code: str) -> None:
    """Write the catalogue of the pseudo-language where catalogues lie: all that adding a language takes."""
    translated = Catalog(locale="en")
    for each in messages(folder):
        if each.id:
            texts = each.id if isinstance(each.id, tuple) else (each.id,)
            said = tuple(map(pseudo, texts))
            translated.add(each.id, said if isinstance(each.id, tuple) else said[0])
    path = folder / code / "LC_MESSAGES" / "bench.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_mo(file, translated)
