"""Rate limits per minute: guessed codes, new rooms, joins, answers."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

MINUTE = 60.0
MOST_KNOWN = 1000
"""Of so many it is known what they did in the last minute; the one who was seen first is forgotten first."""


class Allowance:
    """So many times a minute for each, and so many for all together. Safe for threads."""

    def __init__(self, each: int, together: int, clock: Callable[[], float] = monotonic) -> None:
        self._each, self._together, self._clock = each, together, clock
        self._lock = Lock()
        self._all: deque[float] = deque()
        self._of: OrderedDict[str, deque[float]] = OrderedDict()

    def is_left(self, who: str) -> bool:
        """Return whether `who` may do it once more now."""
        with self._lock:
            self._forget()
            return len(self._all) < self._together and len(self._of.get(who, ())) < self._each

    def count(self, who: str) -> None:
        """Note that `who` has done it."""
        with self._lock:
            self._forget()
            now = self._clock()
            self._all.append(now)
            self._of.setdefault(who, deque()).append(now)
            while len(self._of) > MOST_KNOWN:
                self._of.popitem(last=False)

    def _forget(self) -> None:
        before = self._clock() - MINUTE
        for each in (self._all, *self._of.values()):
            while each and each[0] <= before:
                each.popleft()
        for who in [who for who, times in self._of.items() if not times]:
            del self._of[who]


class Burst:
    """So many at once for each, and then so many a minute. Safe for threads."""

    def __init__(self, most: int, a_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._each, self._clock = MINUTE / a_minute, clock
        self._longest = (most - 0.5) * self._each  # half a place: sums of seconds are not exact
        self._lock = Lock()
        self._whole_at: dict[str, float] = {}  # who has taken something, until when all of it is given back

    def take(self, who: str) -> bool:
        """Return whether one was left for `who`, which is then taken."""
        with self._lock:
            now = self._clock()
            self._whole_at = {each: whole for each, whole in self._whole_at.items() if whole > now}
            waits = self._whole_at.get(who, now) - now
            if waits > self._longest:
                return False
            self._whole_at[who] = now + waits + self._each
            return True


class OpenCount:
    """How many connections each has open. For one event loop."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def place(self, who: str, most: int) -> Iterator[bool]:
        """Say whether one more is left, and count it while the block runs."""
        if self._open[who] >= most:
            yield False
            return
        self._open[who] += 1
        try:
            yield True
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
