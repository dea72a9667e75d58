"""Rate limits per visitor: changes a second, characters, concurrent sweeps.

A change waits until its turn, and only the newest is answered; `docs/configuration.md` has the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, sleep

from models.errors import InputError
from models.messages import Message
from viz.server.configuration import configuration
from viz.server.queueing import LOOK
from viz.shell.script_run import leave_if_asked

BURST_SECONDS = 2.0
"""So many seconds' worth of changes may come at once, as when a page opens."""

_GRAIN = 1e-6  # seconds, as exact as the sum of many fractions is


class Pace:
    """Of one visitor: how many changes are left, of so many a second."""

    def __init__(self, now: float) -> None:
        self._full_at = now

    def wait(self, now: float, *, rate: float) -> float:
        """Count a change and return 0.0, or the seconds until one is left; then nothing is counted."""
        full_at = max(self._full_at, now) + 1 / rate
        if (left := full_at - now - BURST_SECONDS) > _GRAIN:
            return left
        self._full_at = full_at
        return 0.0


def keep_pace(pace: Pace, say: Callable[[], object]) -> None:
    """Wait until it is the turn of this change; ends the run if the visitor has typed something newer meanwhile."""
    rate, told = configuration().edits_a_second, False
    while left := pace.wait(monotonic(), rate=rate):
        if not told:
            say()
            told = True
        sleep(min(left, LOOK))
        leave_if_asked()


def check_length(*texts: str | None) -> None:
    """Raise InputError if texts have more characters together than a visitor may send to a model."""
    most, count = configuration().most_characters, sum(len(each) for each in texts if each)
    if count > most:
        message = Message(
            "The text has {count:,} characters; the limit is {most:,}. Shorten it.", count=count, most=most
        )
        raise InputError(message)


class Places:
    """So many may be inside at once; who comes then waits, as long as somebody waits for them."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    @contextmanager
    def place(self, most: int, say: Callable[[], object]) -> Iterator[None]:
        """Wait for a place, then have it."""
        told = False
        while not self._enter(most):
            if not told:
                say()
                told = True
            sleep(LOOK)
            leave_if_asked()
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1

    def _enter(self, most: int) -> bool:
        with self._lock:
            free = self._inside < most
            self._inside += free
        return free


_SWEEPS = Places()


@contextmanager
def sweeping(say: Callable[[], object]) -> Iterator[None]:
    """Wait until one of the places for sweeps is free, then have it: each runs a model hundreds of times."""
    with _SWEEPS.place(configuration().sweeps_at_once, say):
        yield
