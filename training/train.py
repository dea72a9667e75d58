"""Train a recipe: ``python -m training.train RECIPE --data DIR --out DIR [--resume]``.

What it writes is said in `training.trainer`.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(8 << 30), "MALLOC_TRIM_THRESHOLD_": str(8 << 30)}


def _restart_with_allocator_settings() -> None:
    """Start this command again with glibc told to keep large buffers: steps run 1.6 times faster on a CPU."""
    if sys.platform == "linux" and "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        command = [sys.executable, "-m", "training.train", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | _ALLOCATOR)


if __name__ == "__main__":
    _restart_with_allocator_settings()

import torch  # noqa: E402

from training.recipes import read_recipe  # noqa: E402
from training.trainer import Trainer  # noqa: E402


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("recipe", type=Path, help="a TOML file, such as training/en-fr/bahdanau.toml")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps runs")
    parser.add_argument("--resume", action="store_true", help="go on from the last save in OUT")
    parser.add_argument("--start-from", type=Path, help="weights to begin with, where they fit: a sibling's")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--workers", type=int, default=1, help="batches of an update, each on a thread of its own")
    parser.add_argument("--precision", default="bfloat16", choices=("bfloat16", "float32"))
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time; --resume goes on")
    choices = parser.parse_args()
    torch.set_num_threads(1 if choices.workers > 1 else choices.threads)
    trainer = Trainer(
        read_recipe(choices.recipe),
        choices.data,
        choices.out,
        choices.device,
        workers=choices.workers,
        precision=getattr(torch, choices.precision),
    )
    if choices.resume:
        trainer.resume()
    if choices.start_from and not trainer.progress.step:
        trainer.start_from(choices.start_from)
    trainer.run(choices.minutes * 60)


if __name__ == "__main__":
    main()
