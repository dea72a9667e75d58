"""Queues: serialise memory-heavy work with a time limit, and wait for results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Condition, Lock
from time import monotonic, sleep
from typing import Literal, TypeVar

from models.errors import InputError
from models.messages import CountMessage, Message
from viz.shell.script_run import leave_if_asked

T = TypeVar("T")

LOOK = 0.2
"""Seconds between two looks at whether something is done."""


Why = Literal["busy", "away"]
"""Why a visitor waits: too many ask at once, or the models, which run elsewhere, cannot be reached."""


def _tell_nobody(_why: Why | None) -> None:
    """Tell nobody why they wait."""


_TELL: ContextVar[Callable[[Why | None], None]] = ContextVar("tell-why", default=_tell_nobody)
_AWAY: list[Callable[[], bool]] = []


def watch(is_away: Callable[[], bool]) -> None:
    """Have `is_away` asked, while somebody waits for something, whether it is because the models cannot be reached."""
    _AWAY[:] = [is_away]


@contextmanager
def telling(tell: Callable[[Why | None], None]) -> Iterator[None]:
    """Have `tell` called, while the block lasts, when the visitor of this thread must wait for room, and afterwards."""
    token = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(token)


def wait_while(full: Callable[[], bool]) -> None:
    """Wait as long as `full` says that there is no room, and tell the visitor so; nothing is lost meanwhile."""
    if not full():
        return
    tell = _TELL.get()
    tell("busy")
    while full():
        leave_if_asked()
        sleep(LOOK)
    tell(None)


def wait_for(future: Future[T], overdue: Callable[[], None] | None = None) -> T:
    """Return what `future` gives, as long as somebody waits for it."""
    told = False
    while True:
        with suppress(TimeoutError):
            future.exception(LOOK)
        if future.done():
            break
        if not told and any(is_away() for is_away in _AWAY):
            _TELL.get()("away")
            told = True
        if overdue is not None:
            overdue()
        leave_if_asked()
    if told:
        _TELL.get()(None)
    return future.result()


@contextmanager
def one_at_a_time(lock: Lock) -> Iterator[None]:
    """Hold `lock` while the block runs; whoever leaves waits for it no longer."""
    while not lock.acquire(timeout=LOOK):
        leave_if_asked()
    try:
        yield
    finally:
        lock.release()


def settle(future: Future[T], make: Callable[[], T]) -> None:
    """Give `future` what `make` makes, or the error that it raises; whatever it raises becomes an `Exception`."""
    with suppress(InvalidStateError):
        try:
            value = make()
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # a panic of Rust is none, and would end the thread of whoever asks
            future.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))
        else:
            future.set_result(value)


class Turns:
    """Lets one in at a time; who takes too long is waited for no longer."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._free = Condition()
        self._waiting = 0
        self._inside: tuple[str, float] | None = None  # who, and until when

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Wait until nobody is inside, then be inside."""
        with self._free:
            if self._waiting >= self._most:
                message = Message("Too many models are being opened at once. Try again in a minute.")
                raise InputError(message)
            self._waiting += 1
            try:
                while self._inside is not None and (left := self._inside[1] - monotonic()) > 0:
                    self._free.wait(left)
                mine = self._inside = name, monotonic() + self._seconds
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            with self._free:
                if self._inside is mine:
                    self._inside = None
                    self._free.notify_all()

    def check(self, name: str) -> None:
        """Raise InputError if `name` is inside and has taken too long."""
        with self._free:
            late = self._inside is not None and self._inside[0] == name and self._inside[1] <= monotonic()
        if late:
            message = CountMessage(
                "{name} did not open within {count} second.",
                "{name} did not open within {count} seconds.",
                round(self._seconds),
                name=name,
            )
            raise InputError(message)
