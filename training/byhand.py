"""Sentences written by hand: which words they should hold, and which of them may be trained on.

``python -m training.byhand lacking PAIR --words FILE --data DIR`` lists the words of FILE, one a line, that
fewer than `ENOUGH` sentences of the everyday training text hold. Such a list comes from the package wordfreq
(``top_n_list("en", 6000)``, ``top_n_list("zh", 3500)``), which nothing else needs.
``python -m training.byhand add PAIR FILE ... --data DIR`` adds the pairs of FILEs, ``source<TAB>target`` a line,
to ``phrases-sentences.tsv``, and takes out what is there twice or too near a sentence that is measured.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from tqdm import tqdm

from models.command import CommandError, run
from models.translation.examples import EXAMPLES
from models.translation.words import normalise
from training.choose import TYPED_FILE
from training.data import KEPT, read_pairs
from training.options import Data
from training.typed import read_typed
from training.unseen import bare
from training.varying import Pair

SENTENCES = "phrases-sentences.tsv"
ENOUGH = 5
NEAR = 0.6
"""Share of the words of two sentences, together, that both hold: from here on they count as one sentence."""
NOT_EVERYDAY = ("novels", "europarl", "bible", "mlqe")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a sentence in lower case, marks left out; of Chinese, its characters."""
    spaced = re.sub("([\u4e00-\u9fff])", r" \1 ", text.casefold())
    return frozenset(each.strip("'") for each in re.findall(r"[\w']+", spaced)) - {""}


def is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two sentences, as `words_of` them, are too alike for one to train and one to test."""
    return len(one & other) >= NEAR * len(one | other) > 0


def kept_apart(pair: str, data: Path) -> tuple[frozenset[str], list[frozenset[str]]]:
    """Return sentences that training text must not equal (dev, test, examples) or be near (typed lists)."""
    files = [path for part in ("dev", "val", "test") for path in sorted((data / pair).glob(f"*.{part}.tsv.xz"))]
    typed = [*read_typed(data / "typed" / f"{pair}.tsv"), *read_typed(KEPT / pair / TYPED_FILE)]
    equal = {bare(source) for path in tqdm(files, unit="file", disable=None) for source, _target in read_pairs(path)}
    equal |= {bare(text) for text in (*(each.sentence for each in typed), *EXAMPLES[pair].values())}
    return frozenset(equal), [words_of(each.sentence) for each in typed]


def allowed(pairs: Iterable[Pair], equal: Collection[str], near: Iterable[frozenset[str]]) -> Iterator[Pair]:
    """Return those of `pairs` that may be trained on, each source once."""
    by_word = defaultdict(list)
    for words in near:
        for word in words:
            by_word[word].append(words)
    seen: set[str] = set()
    for source, target in pairs:
        name, words = bare(source), words_of(source)
        meets = (other for word in words for other in by_word[word])
        if name not in seen and name not in equal and not any(is_near(words, other) for other in meets):
            seen.add(name)
            yield source, target


def everyday_sources(pair: str, data: Path) -> Iterator[str]:
    """Return the sources of all training text of everyday kind."""
    files = [*sorted((data / pair).glob("*.train.tsv.xz")), *sorted((KEPT / pair).glob("phrases*.tsv"))]
    for path in tqdm(files, unit="file", disable=None):
        if not path.name.startswith(NOT_EVERYDAY):
            yield from (source for source, _target in read_pairs(path))


def lacking(words: Iterable[str], sources: Iterable[str]) -> dict[str, int]:
    """Return in how many of `sources` each of `words` is, of those that fewer than `ENOUGH` hold.

    A word of Latin letters is counted as a whole word, a Chinese one wherever its characters are.
    """
    known = dict.fromkeys(words)
    latin = {each for each in known if re.fullmatch("[a-z']+", each)}
    chinese = {each for each in known if re.fullmatch("[\u4e00-\u9fff]+", each)}
    counts: Counter[str] = Counter()
    for source in sources:
        found = (words_of(source) & latin) | {each for each in chinese if each in source}
        counts.update(found)
        enough = {each for each in found if counts[each] >= ENOUGH}
        latin, chinese = latin - enough, chinese - enough
    return {each: counts[each] for each in known if each in latin or each in chinese}


def add(pair: str, files: Iterable[Path], data: Path) -> tuple[int, int]:
    """Add the pairs of `files` to those written by hand, and return how many were there before and are there now."""
    path = KEPT / pair / SENTENCES
    before = list(read_pairs(path))
    new = [(normalise(source), normalise(target)) for file in files for source, target in read_pairs(file)]
    kept = list(allowed([*before, *new], *kept_apart(pair, data)))
    path.write_text("".join(f"{source}\t{target}\n" for source, target in kept), encoding="utf8")
    return len(before), len(kept)


def main(
    task: Annotated[Literal["lacking", "add"], typer.Argument(help="List words, or add sentences.")],
    pair: Annotated[Literal["en-fr", "zh-en"], typer.Argument(help="Language pair.")],
    files: Annotated[list[Path] | None, typer.Argument(help="Pairs to add: source, tab, target.")] = None,
    *,
    data: Data,
    words: Annotated[Path | None, typer.Option(help="Common words, one a line.")] = None,
) -> None:
    """List words or add sentences."""
    if task == "add":
        before, now = add(pair, files or [], data)
        typer.echo(f"{before} sentences before, {now} now")
        return
    if words is None:
        message = "lacking takes --words FILE."
        raise CommandError(message)
    found = lacking(words.read_text(encoding="utf8").split(), everyday_sources(pair, data))
    sys.stdout.writelines(f"{word}\t{count}\n" for word, count in found.items())


if __name__ == "__main__":
    run(main)
