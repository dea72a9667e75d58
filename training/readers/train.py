"""Train a reader: ``python -m training.readers.train RECIPE --data DIR --out DIR [--resume]``."""

from __future__ import annotations

import math

import torch

from models.command import Threads, run
from training.options import Data, Minutes, Out, RecipeFile, Resume
from training.readers.recipe import read_reader_recipe
from training.readers.trainer import ReaderTrainer


def main(
    recipe: RecipeFile,
    *,
    data: Data,
    out: Out,
    resume: Resume = False,
    threads: Threads = 1,
    minutes: Minutes = math.inf,
) -> None:
    """Train a reader."""
    torch.set_num_threads(threads)
    trainer = ReaderTrainer(read_reader_recipe(recipe), data, out)
    if resume:
        trainer.resume()
    trainer.run(minutes * 60)


if __name__ == "__main__":
    run(main)
