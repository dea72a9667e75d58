"""Train a reader: ``python -m training.readers.train RECIPE --data DIR --out DIR [--resume]``."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch

from training.readers.recipe import read_reader_recipe
from training.readers.trainer import ReaderTrainer


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", type=Path, help="a TOML file, such as training/readers/recipes/gpt-en.toml")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps runs")
    parser.add_argument("--resume", action="store_true", help="go on from the last save in OUT")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time; --resume goes on")
    choices = parser.parse_args()
    torch.set_num_threads(choices.threads)
    trainer = ReaderTrainer(read_reader_recipe(choices.recipe), choices.data, choices.out)
    if choices.resume:
        trainer.resume()
    trainer.run(choices.minutes * 60)


if __name__ == "__main__":
    main()
