"""The end of a process waits for work that must not be cut off: a thread inside torch aborts an interpreter that ends.

Stands on nothing.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

LONGEST = 10.0
"""Seconds that the end waits at most: a download may hang."""

_changed = Condition()
_inside = 0
_is_ending = False


class EndingError(RuntimeError):
    """The process is about to end: nothing new is begun."""


@contextmanager
def before_end() -> Iterator[None]:
    """Have the process end after the block, in whatever thread.

    Raises
    ------
    EndingError
        If its end has begun.
    """
    global _inside
    with _changed:
        if _is_ending:
            raise EndingError
        _inside += 1
    try:
        yield
    finally:
        with _changed:
            _inside -= 1
            _changed.notify_all()


@atexit.register
def _end() -> None:
    global _is_ending
    with _changed:
        _is_ending = True
        _changed.wait_for(lambda: not _inside, LONGEST)
