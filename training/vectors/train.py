"""Train word vectors: ``python -m training.vectors.train RECIPE --data DIR --out DIR``."""

from __future__ import annotations

import torch

from models.command import Threads, run
from training.options import Data, Out, RecipeFile
from training.vectors.recipe import read_vector_recipe
from training.vectors.trainer import VectorTrainer


def main(recipe: RecipeFile, *, data: Data, out: Out, threads: Threads = 1) -> None:
    """Train word vectors."""
    torch.set_num_threads(threads)
    VectorTrainer(read_vector_recipe(recipe), data, out).run()


if __name__ == "__main__":
    run(main)
