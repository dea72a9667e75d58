"""What an aligner reaches on the gold sets: ``python -m training.eflomal en-fr --data DIR --command PATH``.

PATH is ``eflomal-align`` of the package eflomal (Östling and Tiedemann 2016, "Efficient word alignment with Markov
chain Monte Carlo"; GPL-3.0: a tool for measuring, in an environment of its own, which nothing else needs). It aligns
the text that the Transformer of the pair was trained on, references only, and the gold sentences with it; the links of
both directions are grown as those of a map are. The rates are written beside the recipes, and into docs/models.md.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from tqdm import tqdm

from models.command import run
from models.experiments.alignment import ErrorRate, GoldSentence
from models.experiments.links import grow
from models.translation.words import normalise, split_words
from training.data import KEPT, pairs_of
from training.evaluate import GOLD, gold_pairs
from training.options import Data
from training.recipes import read_recipe
from training.varying import Pair

FIGURES = "eflomal.json"
TEACHER = "transformer"
"""The mechanism whose recipe names the text."""


def text_of(pair: str, data: Path) -> Iterator[Pair]:
    """Return each pair of the training text once, cut into words in lower case."""
    recipe = read_recipe(KEPT / pair / f"{TEACHER}.toml")
    known = set()
    for file in tqdm(recipe.files, unit="file", disable=None):
        for source, target in pairs_of(file, data):
            words = _words(source), _words(target)
            if all(words) and words not in known:
                known.add(words)
                yield words


def _words(text: str) -> str:
    return " ".join(split_words(normalise(text).lower()))


def links_of(line: str, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the links of one direction, as eflomal writes them: ``0-0 1-2``, source first.

    Shapes: returns [target, source].
    """
    linked = np.zeros(shape, dtype=bool)
    for link in line.split():
        source, target = link.split("-")
        linked[int(target), int(source)] = True
    return linked


def align(command: Path, text: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    """Return the links of each pair, from source to target and from target to source."""
    with TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("source", "target", "forward", "reverse")]
        with files[0].open("w", encoding="utf8") as sources, files[1].open("w", encoding="utf8") as targets:
            for source, target in text:
                sources.write(f"{source}\n")
                targets.write(f"{target}\n")
        named = zip(("--source", "--target", "--forward-links", "--reverse-links"), files, strict=True)
        subprocess.run([command, *(str(part) for option in named for part in option)], check=True)
        with files[2].open() as forward, files[3].open() as reverse:
            yield from zip(forward, reverse, strict=True)


def rates(command: Path, text: Iterable[Pair], gold: dict[str, list[GoldSentence]]) -> dict[str, Any]:
    """Return the alignment error rate of each gold set, with its interval."""
    sentences = [(name, each) for name, own in gold.items() for each in own]
    asked = [(" ".join(each.source).lower(), " ".join(each.target).lower()) for _, each in sentences]
    counts = {name: ErrorRate() for name in gold}
    for (name, each), (forward, reverse) in zip(sentences, align(command, [*asked, *text]), strict=False):
        shape = len(each.target), len(each.source)
        counts[name].add(grow(links_of(forward, shape), links_of(reverse, shape)), each)
    return {
        "aer": {name: round(each.value, 4) for name, each in counts.items()},
        "interval": {name: [round(end, 4) for end in each.interval()] for name, each in counts.items()},
    }


def main(
    pair: Annotated[str, typer.Argument(help="Language pair, such as en-fr.")],
    *,
    data: Data,
    command: Annotated[Path, typer.Option(help="The program eflomal-align.", exists=True, dir_okay=False)],
) -> None:
    """Measure an aligner on the gold sets of a pair."""
    gold = {name: list(gold_pairs(pair, name, data)) for name in GOLD[pair]}
    figures = rates(command, text_of(pair, data), gold)
    typer.echo(json.dumps(figures, indent=2))
    (KEPT / pair / FIGURES).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
