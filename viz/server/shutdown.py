"""Graceful shutdown with a deadline, whoever is connected."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

SECONDS = 5.0
"""So long may those who are connected take to leave."""

_ASKED = (signal.SIGTERM, signal.SIGINT)


@asynccontextmanager
async def ends_in_time(_app: object) -> AsyncIterator[None]:
    """Serve; from the signal that asks the server to end, give it `SECONDS`, then end it by an alarm.

    The server waits for its connections without a limit: one client that stops reading in the middle of an answer would
    keep it for ever. The alarm is the system's, so that nothing in the process can hold it up; where there is none, or
    the server does not run in the main thread, which alone may set it, all stays as it is.
    """
    if hasattr(signal, "setitimer") and current_thread() is main_thread():
        for each in _ASKED:
            _set_alarm_before(each)
    yield


def _set_alarm_before(asked: signal.Signals) -> None:
    """Have the alarm set first when `asked` comes, and then all done that was done before."""
    before = signal.getsignal(asked)

    def end(number: int, frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        if callable(before):
            before(number, frame)

    signal.signal(asked, end)
