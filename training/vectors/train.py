"""Train word vectors: ``python -m training.vectors.train RECIPE --data DIR --out DIR``."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.vectors.recipe import read_vector_recipe
from training.vectors.trainer import VectorTrainer


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", type=Path, help="a TOML file, training/vectors/recipes/skip-gram-en.toml")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps runs")
    parser.add_argument("--threads", type=int, default=1)
    choices = parser.parse_args()
    torch.set_num_threads(choices.threads)
    VectorTrainer(read_vector_recipe(choices.recipe), choices.data, choices.out).run()


if __name__ == "__main__":
    main()
