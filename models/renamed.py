"""Commands that have moved: each says its new name."""

from __future__ import annotations

import sys


def say_new_name(old: str, new: str) -> None:
    """End a ``python -m`` command of the old name with its new one; do nothing where the module is only imported."""
    if sys.argv[0] == "-m":  # as long as Python looks for the module to run
        sys.exit(f"This command has moved: python -m {old}... is now python -m {new}...")
