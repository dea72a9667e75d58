"""The language model that `python -m models.huggingface.get smollm2` brings: 93 MB, fetched once for all tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from models.huggingface.offers import OFFERS, origin

OFFER = next(each for each in OFFERS if each.name == "smollm2")
ROOT = Path(__file__).parents[2]
PATIENCE = 600


def get_smollm2() -> str:
    """Return its key once it is here."""
    OFFER.folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(OFFER.folder.with_suffix(".lock"), timeout=PATIENCE):  # one of several processes of the tests
        if origin(OFFER.folder) is None:
            subprocess.run([sys.executable, "-m", "models.huggingface.get", OFFER.name], cwd=ROOT, check=True)
    return OFFER.key
