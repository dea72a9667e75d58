"""How a fuzzer is run: so many examples, or so long; hypothesis makes them up, and what fails as small as it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

Check = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Fuzz:
    """What is made up, and how much of it in one go."""

    made_up: SearchStrategy[Any]
    batch: int  # examples between two looks at the clock


def run(fuzz: Fuzz, check: Check, *, examples: int) -> int:
    """Check that many examples and return their number; raises what the check raises for the smallest failure."""
    count = 0

    def counted(example: Any) -> None:
        nonlocal count
        count += 1
        check(example)

    wanted = settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
    wanted(given(fuzz.made_up)(counted))()
    return count


def run_for(fuzz: Fuzz, check: Check, *, minutes: float) -> int:
    """Check examples until the time is up, and return how many there were."""
    end, count = monotonic() + 60 * minutes, 0
    while monotonic() < end:
        count += run(fuzz, check, examples=fuzz.batch)
    return count
