"""Next sentence on held-out pairs: ``python -m training.readers.next_sentence RECIPE --data DIR [--run STATE]``.

Half of the pairs are two parts of one line, half have the second part of another line: of the same file, and of any.
The control tells them by how many tokens both parts share; its threshold is the best one on the held-out files, the
measure is on the test files.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from safetensors.torch import load_file
from tokenizers import Tokenizer

from models.command import run
from models.huggingface.embedded import READERS
from models.huggingface.files import TOKENIZER_FILE
from training.options import Data, RecipeFile
from training.readers.batches import TextRow, encode, epoch_batches, read_batch
from training.readers.networks import open_network
from training.readers.recipe import ReaderRecipe, TextFile, read_reader_recipe
from training.readers.texts import BERT_SPECIALS, read_lines

State = Annotated[Path | None, typer.Option("--run", help="The state of a run, instead of the shipped weights.")]


def pairs_of(recipe: ReaderRecipe, data: Path, files: tuple[TextFile, ...]) -> list[list[TextRow]]:
    """Return the pairs of some files, in batches of one length each."""
    tokenizer = Tokenizer.from_file(str(READERS / recipe.start / TOKENIZER_FILE))
    corpus = encode(tokenizer, [(1.0, read_lines(file, data)) for file in files], recipe.context - 3)
    batches = epoch_batches(corpus, replace(recipe, files=files), 0)
    found = [[row for row in rows if row.follows >= 0] for rows in batches]
    return [rows for rows in found if rows]


def shared(row: TextRow) -> float:
    """Return the share of the tokens of the shorter part that the other part has too."""
    marks = set(range(len(BERT_SPECIALS)))
    first, second = (set(part.tolist()) - marks for part in np.split(row.ids, [row.second]))
    return len(first & second) / max(1, min(len(first), len(second)))


def by_overlap(known: list[list[TextRow]], tested: list[list[TextRow]]) -> float:
    """Return the share of `tested` told by the number of shared tokens, with the threshold that is best on `known`."""
    given, asked = ([(shared(row), row.follows) for rows in some for row in rows] for some in (known, tested))

    def right(threshold: float, pairs: list[tuple[float, int]]) -> float:
        return float(np.mean([(value > threshold) == follows for value, follows in pairs]))

    return right(max(sorted({value for value, _follows in given}), key=lambda each: right(each, given)), asked)


@torch.inference_mode()
def by_network(network: Any, batches: list[list[TextRow]]) -> float:
    """Return the share of pairs that a BERT tells, nothing masked; class 0 says that the second part follows."""
    told = []
    for rows in batches:
        ids, segments, follows = read_batch(rows)
        said = network.cls.seq_relationship(network.bert(ids, token_type_ids=segments).pooler_output)
        told.append(said.argmax(dim=1) == 1 - follows)
    return float(torch.cat(told).double().mean())


def main(recipe: RecipeFile, *, data: Data, state: State = None) -> None:
    """Measure next sentence of the model that a recipe starts from, or of a run of it."""
    torch.set_num_threads(1)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    read = read_reader_recipe(recipe)
    network = open_network(read, READERS / read.start)
    if state is not None:
        own = {k.removeprefix("model."): v for k, v in load_file(state).items() if k.startswith("model.")}
        network.load_state_dict(own)
    found = {}
    for wrong_from in ("file", "corpus"):
        asked = replace(read, wrong_from=wrong_from)
        known, tested = pairs_of(asked, data, asked.held_out), pairs_of(asked, data, asked.test)
        found[wrong_from] = {
            "pairs": sum(map(len, tested)),
            "network": round(by_network(network, tested), 4),
            "overlap": round(by_overlap(known, tested), 4),
        }
    typer.echo(json.dumps(found))


if __name__ == "__main__":
    run(main)
