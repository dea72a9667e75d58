"""What the quick run leaves out is there, and is left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import conftest

TESTS = Path(__file__).parent


def test_each_that_is_named_slow_is_there_and_named_once() -> None:
    named = [TESTS / each for each in conftest.SLOW]
    assert all(each.exists() for each in named)
    assert not [each for each in named if any(each.is_relative_to(other) for other in named if other != each)]


def test_the_quick_run_takes_no_slow_test_and_the_whole_takes_each() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "tests/test_notebooks.py",
        "tests/test_quick.py",
    ]
    quick, slow = (
        subprocess.run([*command, "-m", mark], capture_output=True, text=True, cwd=TESTS.parent).stdout
        for mark in ("not slow", "slow")
    )
    assert "test_notebooks" not in quick
    assert "test_quick" in quick
    assert "test_notebooks" in slow
    assert "test_quick" not in slow
