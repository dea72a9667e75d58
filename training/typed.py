"""How many sentences, as people type them, come out right: ``python -m training.typed KEY LIST [--data DIR]``.

LIST has a sentence and what its translation needs on each line, parted by a tab: regular expressions joined by " & ",
each of which must be found in the translation, in capitals or not. Capitals are read in lower case, as the Bench reads
them. Prints what is missed, then the share; with DIR, the folder of the parallel text, also the share
among the sentences that the training text does not hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
import typer

from models.command import Threads, run
from models.translation.texts import as_read
from models.translation.translator import Translator
from training.evaluate import translate
from training.options import Key, translator
from training.unseen import bare, training_sources


@dataclass(frozen=True, slots=True)
class Typed:
    """A typed sentence and the patterns that its translation must match."""

    sentence: str
    needs: tuple[str, ...]

    def lacks(self, translation: str) -> tuple[str, ...]:
        """Return the needs that `translation` does not meet."""
        return tuple(need for need in self.needs if not re.search(need, translation, re.IGNORECASE))


def read_typed(path: Path) -> list[Typed]:
    """Read a list; ValueError, naming the line, if one is not a sentence, a tab and its needs."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), start=1):
        sentence, tab, needs = line.partition("\t")
        if not (sentence and tab and needs.strip()):
            message = f"{path.name}, line {number}: expected a sentence, a tab and what its translation needs"
            raise ValueError(message)
        found.append(Typed(sentence, tuple(need.strip() for need in needs.split(" & "))))
    return found


@dataclass(frozen=True, slots=True)
class TypedOutcome:
    """A typed sentence, its translation, and what that lacks."""

    typed: Typed
    translation: str

    @property
    def lacking(self) -> tuple[str, ...]:
        """The needs that are not met."""
        return self.typed.lacks(self.translation)


def outcomes(model: Translator, sentences: list[Typed]) -> list[TypedOutcome]:
    """Translate all `sentences`, capitals in lower case, as `Translator.attend` reads them."""
    translations = translate(model, [as_read(model.tokenizer, each.sentence) for each in sentences])
    return [TypedOutcome(typed, text) for typed, text in zip(sentences, translations, strict=True)]


def share(found: list[TypedOutcome]) -> str:
    """Say how many came out right, such as ``23 of 40 (58 %)``."""
    right = sum(not each.lacking for each in found)
    return f"{right} of {len(found)} ({right / len(found):.0%})" if found else "none"


def main(
    key: Key,
    sentences: Annotated[Path, typer.Argument(metavar="LIST", help="Sentences and what their translations need.")],
    *,
    data: Annotated[Path | None, typer.Option(help="Parallel text: tells apart what was trained on.")] = None,
    threads: Threads = 1,
) -> None:
    """Translate the sentences, and count."""
    torch.set_num_threads(threads)
    model = translator(key)
    found = outcomes(model, read_typed(sentences))
    for each in found:
        if each.lacking:
            typer.echo(f"{each.typed.sentence} -> {each.translation}   lacks {', '.join(each.lacking)}")
    typer.echo(share(found))
    if data:
        seen = training_sources([model.card], data)
        new = [each for each in found if bare(each.typed.sentence) not in seen]
        typer.echo(f"not in the training text: {share(new)}")


if __name__ == "__main__":
    run(main)
