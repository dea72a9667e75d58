"""Whether anybody still waits for what is being worked out: a long run asks at each step, and ends if nobody does.

Stands on nothing. Who waits says how to ask, by `asking`; without that, every run goes to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _nobody_asks() -> None:
    """Go on."""


_ASK: ContextVar[Callable[[], None]] = ContextVar("ask", default=_nobody_asks)


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Have `ask` called at each step of the runs of this thread while the block lasts."""
    token = _ASK.set(ask)
    try:
        yield
    finally:
        _ASK.reset(token)


def go_on() -> None:
    """Ask whether somebody still waits; what ends the run is raised here."""
    _ASK.get()()
