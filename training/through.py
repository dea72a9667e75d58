"""Keep the points of a run that the app shows: ``python -m training.through RECIPE --out DIR --data DIR``.

A run keeps its averaged weights, in float16, at `training.progress.kept_points`. They are written into one file,
``models/weights/training/<key>/model.safetensors``, the names of each point's tensors behind its number (``07.``), with
a card that says of each point what it had seen, its held-out loss and its alignment error rate. Which map, head and
reading the rate is of was chosen on the trial set with the last point alone, and is the same for all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import torch
from safetensors.torch import load_file
from torch import Tensor
from tqdm import tqdm

from models.command import Threads, run
from models.experiments.alignment import Choice, choose, error_rate, error_rates
from models.keys import at_point
from models.loading import load
from models.translation.checkpoints import WEIGHTS, file_hash, kept_folders, write_card, write_checkpoint
from models.translation.translator import Translator
from training.evaluate import EXTRACTORS, GOLD, TRIAL, gold_sentences
from training.options import Data, Out, RecipeFile
from training.progress import read_progress
from training.publish import make_card
from training.recipes import Recipe, read_recipe
from training.trainer import Trainer

FOLDER = WEIGHTS / "training"
SETS = ("hansards_en-fr.odd", "everyday.gold")
"""The gold alignments that the rate is measured on."""


def points_of(recipe: Recipe, out: Path, data: Path) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    """Return the weights of all points of a run, named by point, and what is known of each without its maps."""
    trainer = Trainer(recipe, data, out, "cpu", precision=torch.float32)
    every: dict[str, Tensor] = {}
    points = []
    for number, path in enumerate(
        tqdm(sorted((trainer.folder / "kept").glob("*.safetensors")), desc="loss", disable=None), 1
    ):
        weights = load_file(path)
        trainer.average = {name: values.float() for name, values in weights.items()}
        progress = read_progress(path)
        loss = round(trainer.held_out_loss(), 4)
        points.append({"target_tokens_seen": progress.tokens, "updates": progress.step, "held_out_loss": loss})
        every |= {f"{number:02}.{name}": values for name, values in weights.items()}
    return every, points


def alignment_errors(key: str, count: int, data: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the map that the trial set chooses at the last point, and of each point its rates by both extractors."""
    models = [cast("Translator", load(at_point(key, each))) for each in range(1, count + 1)]
    pair = models[-1].entry.pair
    chosen: Choice = choose(error_rates(gold_sentences(models[-1], TRIAL[pair], data)))
    rates = []
    for model in tqdm(models, desc="alignment error", disable=None):
        sets = {name: gold_sentences(model, name, data) for name in SETS if name in GOLD[pair]}
        ways = {"aer": EXTRACTORS["strongest"], "aer_grown": EXTRACTORS["grown"]}
        rates.append(
            {
                way: {name: round(error_rate(each, (chosen,), extractor), 4) for name, each in sets.items()}
                for way, extractor in ways.items()
            }
        )
    site, head, reading = chosen
    return {"site": site, "head": head, "reading": reading, "chosen_on": TRIAL[pair]}, rates


def keep(recipe: Recipe, out: Path, data: Path) -> None:
    """Write the points of the run of `recipe` in `out`, and what is measured of them."""
    weights, points = points_of(recipe, out, data)
    last = sorted((out / recipe.key / "kept").glob("*.safetensors"))[-1]
    card = make_card(recipe, read_progress(last), sum(v.numel() for v in load_file(last).values()))
    tokenizer = WEIGHTS / recipe.pair / f"{recipe.tokenizer}.json"
    card |= {"tokenizer": tokenizer.name, "tokenizer_sha256": file_hash(tokenizer), "points": points}
    folder = FOLDER / recipe.key
    card = write_checkpoint(folder, weights, card)
    kept_folders.cache_clear()
    chosen, rates = alignment_errors(recipe.key, len(points), data)
    measured = [point | rate for point, rate in zip(points, rates, strict=True)]
    write_card(folder, {**card, "alignment": chosen, "points": measured})


def main(recipe: RecipeFile, *, out: Out, data: Data, threads: Threads = 1) -> None:
    """Keep and measure the points of a run."""
    torch.set_num_threads(threads)
    keep(read_recipe(recipe), out, data)


if __name__ == "__main__":
    run(main)
