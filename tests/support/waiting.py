"""Wait for what can be looked at: the one place where a test sleeps, between two looks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

import pytest

T = TypeVar("T")
STEP = 0.02  # seconds between two looks


def until(look: Callable[[], T], *, seconds: float = 60.0, what: object = "") -> T:
    """Return the first true answer of `look`; the test fails if none comes in time, and says `what` then is."""
    end = monotonic() + seconds
    while not (answer := look()):
        if monotonic() > end:
            pytest.fail(f"still {answer!r} after {seconds:g} seconds: {what}")
        sleep(STEP)
    return answer


def end_warm_up() -> None:
    """Wait for models that an earlier test has begun to load in a thread of its own."""
    for thread in threading.enumerate():
        if thread.name == "warm-up":
            thread.join(timeout=60)
