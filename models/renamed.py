"""Commands that have moved: each says its new name."""

from __future__ import annotations

import sys


def say_new_name(old: str, new: str) -> None:
    """End a command ``python -m old...`` with its new name; do nothing where the module is only imported."""
    given = sys.orig_argv
    command = given[given.index("-m") + 1] if "-m" in given[:-1] else ""
    if command == old or command.startswith(f"{old}."):
        sys.exit(f"This command has moved: python -m {command.replace(old, new, 1)}")
