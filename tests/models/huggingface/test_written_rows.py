"""Rows as they were written: where a cache moves them by more than 1e-5 it is the order of sums, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.tiny_families import build
from benchmarks.written import distances
from models.huggingface.loading import load_folder

PAGE = Path(__file__).parents[3] / "docs" / "families.md"
ROUNDED = ("gemma4", "gpt_neo", "granitemoe", "granitemoehybrid", "granitemoeshared", "kosmos-2.5", "zamba")
"""Families beyond 1e-5, of all 198 that write: `python -m benchmarks.written`."""


@pytest.mark.parametrize("family", [*ROUNDED, "llama", "gemma2", "qwen3_moe"])
def test_in_64_bit_numbers_a_written_row_is_the_forced_one(family: str, tmp_path: Path) -> None:
    build(family, tmp_path / family)
    found = distances(load_folder(tmp_path / family))
    assert found.double is not None
    assert found.double <= 1e-7  # a record holds 32-bit numbers
    if family in ROUNDED:  # of the size of what rounding does to the forced row
        assert found.forced is not None
        assert found.single <= (4 * found.forced if found.kept else 1e-6)  # how sums are split depends on threads
    else:
        assert found.single <= 1e-5


def test_the_page_names_the_families_that_rounding_moves() -> None:
    said = re.search(r"Seven lie beyond 1e-5: (.*?)\.\n", PAGE.read_text(encoding="utf8"), re.DOTALL)
    assert said is not None
    assert tuple(re.findall(r"`([\w.-]+)`", said[1])) == ROUNDED
