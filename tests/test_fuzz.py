"""The fuzzers that need no browser, bounded; `python -m benchmarks.fuzz NAME --minutes N` runs one longer."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from benchmarks.fuzz import edits, folders, identities, threads
from benchmarks.fuzz.running import Fuzz, run


@pytest.mark.parametrize(
    ("module", "examples"),
    [(identities, 60), (edits, 25), (threads, 4), (folders, 25)],
    ids=("names", "edits", "threads", "folders"),
)
def test_what_strangers_make_up_breaks_nothing(module: object, examples: int) -> None:
    fuzz, check = module.FUZZ, module.check  # type: ignore[attr-defined]
    assert run(fuzz, check, examples=examples) >= examples


def test_a_fuzzer_tells_what_fails() -> None:
    def check(number: int) -> None:
        assert number < 7

    with pytest.raises(AssertionError, match="7"):
        run(Fuzz(st.integers(0, 100), 10), check, examples=100)


@pytest.mark.parametrize("name", ["a/b", "google-bert/bert-base-uncased", "a/b.c", "A_b/9"])
def test_the_fuzzers_own_rule_knows_names(name: str) -> None:
    assert identities.is_well_formed(name)
    for wrong in (f"{name}.git", f"/{name}", f"{name}/c", f"../{name}", f"{name}..", f"-{name}"):
        assert not identities.is_well_formed(wrong)
