"""Presence of members: who is connected, or was a moment ago."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

IDLE = 120.0
"""Seconds after which a member who no longer listens counts as idle."""


class Presence:
    """Who listens to a room, and who was seen within the last `IDLE` seconds. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._listening: Counter[str] = Counter()
        self._seen: dict[str, float] = {}  # in the order of their times

    def see(self, member: str) -> None:
        """Note that a member is there now."""
        with self._lock:
            now = self._clock()
            self._seen.pop(member, None)
            self._seen[member] = now
            for each in [each for each, seen in self._seen.items() if seen <= now - IDLE]:
                del self._seen[each]

    @contextmanager
    def listening(self, member: str) -> Iterator[None]:
        """Count a member as there while the block runs."""
        with self._lock:
            self._listening[member] += 1
        try:
            yield
        finally:
            self.see(member)
            with self._lock:
                self._listening[member] -= 1
                if not self._listening[member]:
                    del self._listening[member]

    def is_there(self, member: str) -> bool:
        """Return whether a member listens, or was seen a moment ago."""
        with self._lock:
            return member in self._listening or self._seen.get(member, float("-inf")) > self._clock() - IDLE
