"""Commands run in the process of a test."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.core import TyperGroup

from models.command import run


def exit_code(main: Callable[..., None] | TyperGroup, *arguments: str) -> int:
    """Run a command on arguments as the terminal gives them, and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        run(main, arguments)
    return int(ended.value.code or 0)
