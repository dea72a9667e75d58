"""Text files of the program, each read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def file_text(path: Path) -> str:
    """Return the text of a file of the program."""
    return path.read_text(encoding="utf8")
