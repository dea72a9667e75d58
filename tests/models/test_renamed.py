"""Commands that have moved say their new name."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOVED = {
    "models.training.train": "training.train",
    "models.training.readers.train": "training.readers.train",
    "models.serve": "scale.serve",
    "models.corpus": "scale.corpus",
}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_command_says_its_new_name(old: str) -> None:
    ran = subprocess.run([sys.executable, "-m", old, "x"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.strip()) == (1, f"This command has moved: python -m {MOVED[old]}")


@pytest.mark.parametrize("old", ["models.training", "models.serve", "models.corpus.__main__"])
def test_importing_an_old_module_ends_nothing(old: str) -> None:
    import_module(old)
