"""Train a captioner of scenes: ``python -m training.captions.train RECIPE [--out DIR] [--threads N]``.

No data are read: scenes and captions are made by the seed of the recipe. The folder gets the weights, the log of the
run and a card with the figures on scenes that training never drew.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from models.captioning.entry import CAPTIONERS, MECHANISMS, PAIR
from models.command import Threads, run
from models.translation.checkpoints import write_checkpoint
from training.captions.evaluate import measured_figures
from training.captions.recipe import read_caption_recipe
from training.captions.trainer import CaptionTrainer
from training.options import RecipeFile


def main(
    recipe: RecipeFile,
    *,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder of the recipe's key.")] = CAPTIONERS,
    threads: Threads = 1,
) -> None:
    """Train a captioner, measure it, and write it with its card."""
    torch.set_num_threads(threads)
    what = read_caption_recipe(recipe)
    trainer, folder = CaptionTrainer(what), out / what.key
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log.jsonl"
    log.write_text("", encoding="utf8")

    def note(told: dict[str, Any]) -> None:
        with log.open("a", encoding="utf8") as file:
            file.write(json.dumps(told) + "\n")

    network = trainer.run(note).half().float()  # as it is shipped
    mechanism = MECHANISMS[what.key.removesuffix(f"-{PAIR}")]
    card = {
        "key": what.key,
        "mechanism": mechanism.key,
        "pair": PAIR,
        "network": mechanism.sizes(**trainer.sizes),
        "paper": mechanism.paper,
        "year": mechanism.year,
        "departures": list(mechanism.departures),
        "licence": "Apache-2.0",
        "parameters": sum(each.numel() for each in network.parameters()),
        "data": [],
        "recipe": asdict(what),
        "seconds": round(trainer.progress.seconds),
        "figures": measured_figures(network),
    }
    write_checkpoint(folder, network.state_dict(), card)


if __name__ == "__main__":
    run(main)
