"""Broadcaster: tells listeners that a room has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from viz.rooms.room import Counters


class Broadcaster:
    """Who listens to which room, and what they are told. Safe for threads: pages ring, the event loop listens."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listeners: dict[str, set[Callable[[Counters | None], None]]] = {}

    @contextmanager
    def listening(self, channel: str, tell: Callable[[Counters | None], None]) -> Iterator[None]:
        """Have `tell` called, from any thread, when something has changed in the room of a channel."""
        with self._lock:
            self._listeners.setdefault(channel, set()).add(tell)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[channel].discard(tell)
                if not self._listeners[channel]:
                    del self._listeners[channel]

    def ring(self, channel: str, counters: Counters | None) -> None:
        """Tell those who listen to a channel."""
        with self._lock:
            told = list(self._listeners.get(channel, ()))
        for each in told:
            each(counters)
