"""Turn a run into shipped vectors: ``python -m training.vectors.publish RECIPE --out DIR``.

Writes ``models/weights/vectors/<key>/``: both tables as float16, the words, the card, and ``log.jsonl``, the held-out
loss as the run went on. Figures come from `training.vectors.evaluate`, which writes them into the card.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file, save

from models.command import run
from models.experiments.word_vectors import TABLES_FILE, VECTORS, WORDS_FILE
from models.translation.checkpoints import file_hash, write_card
from training.options import Out, RecipeFile
from training.progress import curve_of
from training.publish import CREDITS
from training.trainer import LOG_FILE
from training.vectors.pairs import SPAN
from training.vectors.recipe import VectorRecipe, read_vector_recipe

DEPARTURES = [
    "{words:,} words, the commonest of the training text, in small letters, marks left out; {width} numbers each. "
    "Words rarer than that have no vector, and there are no phrases: New York is two words.",
    "Some 11 million words of text instead of a billion, so t of the subsampling is {subsampling:g} instead of 1e-5; "
    "{negatives} words of noise a pair; the window is drawn from 1 to {window}, as in word2vec's own code.",
    "Adam on the mean of {pairs_per_batch:,} pairs, drawn together from {span:,} words of text, instead of plain "
    "stochastic gradients word by word; its rate falls linearly to 0 over {epochs} epochs.",
]


def make_card(recipe: VectorRecipe, told: dict[str, Any], counted: dict[str, int]) -> dict[str, Any]:
    """Return the card of a run, its figures and hashes not yet in it."""
    names = [file.path.rpartition("/")[2] for file in recipe.files]
    return {
        "key": recipe.key,
        "title": "Static word vectors (trained here)",
        "paper": "Mikolov, Sutskever, Chen, Corrado and Dean 2013, Distributed Representations of Words and Phrases "
        "and their Compositionality, NIPS, arXiv:1310.4546",
        "equation": "log s(v'_O . v_I) + sum_i log s(-v'_i . v_I), i of k words from P_n(w)",
        "year": 2013,
        "departures": [each.format(**asdict(recipe), span=SPAN) for each in DEPARTURES],
        "licence": "Apache-2.0",
        "parameters": 2 * recipe.words * recipe.width,
        "data": [credit for start, credit in sorted(CREDITS.items()) if any(name.startswith(start) for name in names)],
        "recipe": asdict(recipe),
        "training_text": counted,
        "pairs_seen": told["pairs"],
        "updates": told["step"],
        "training_seconds": round(told["seconds"]),
        "weights": "those at the end of the run, stored as float16",
    }


def publish(recipe: VectorRecipe, out: Path, vectors: Path = VECTORS) -> dict[str, Any]:
    """Write the vectors of the run of `recipe` in `out` to `vectors`; return their card."""
    run, folder = out / recipe.key, vectors / recipe.key
    folder.mkdir(parents=True, exist_ok=True)
    halves = {name: table.half() for name, table in load_file(run / "state.safetensors").items()}
    (folder / TABLES_FILE).write_bytes(save(halves))
    copyfile(run / WORDS_FILE, folder / WORDS_FILE)
    (folder / WORDS_FILE).chmod(0o644)
    with safe_open(run / "state.safetensors", framework="pt") as state:
        told = json.loads(state.metadata()["progress"])
    counted = json.loads((run / LOG_FILE).read_text(encoding="utf8").splitlines()[0])
    card = make_card(recipe, told, counted)
    card["sha256"] = {name: file_hash(folder / name) for name in (TABLES_FILE, WORDS_FILE)}
    write_card(folder, card)
    (folder / LOG_FILE).write_text(curve_of(run / LOG_FILE), encoding="utf8")
    return card


def main(recipe: RecipeFile, *, out: Out) -> None:
    """Write the vectors of a run."""
    publish(read_vector_recipe(recipe), out)


if __name__ == "__main__":
    run(main)
