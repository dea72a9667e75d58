"""Benchmarks that open pages in Chromium run in a small form; `pictures` draws the README anew, for a person to see."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = {
    "edits": ("--words 4 --mechanisms bahdanau --rounds 2", "bahdanau: edit to painted, 4 words"),
    "heads": ("draw --tokens 16 --large-tokens 16 --rounds 1 --keys 2 --without-bertviz", "16 tokens"),
    "long_text": ("20", "why"),
    "page": ("--rounds 2 --words 4", "Bench: key to painted, 4 words"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_command_with_a_browser_runs_in_a_small_form(name: str) -> None:
    arguments, expected = SMALL[name]
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments.split()]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert expected in ran.stdout
