"""Trace cache with the milliseconds of each run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter
from time import perf_counter

from models.trace import AttentionTrace
from viz.server.caching import BoundedCache

TRACE_BYTES = 640 * 2**20
"""Memory that traces may take on a server: one of 144 heads and 1,024 tokens takes 604 MiB of it."""

MOST_TRACES = 1536
"""How many traces are kept: those of a class of forty, three sentences of all mechanisms each."""

MOST_TIMES = 4096
"""How many run times are remembered."""


class TraceCache(BoundedCache[AttentionTrace]):
    """The latest traces, as many as fit into `limit` bytes. They are frozen: all visitors are given the same."""

    def __init__(self, limit: int = TRACE_BYTES, most: int = MOST_TRACES) -> None:
        super().__init__(limit, attrgetter("nbytes"), most)
        self._milliseconds: dict[Hashable, float] = {}
        self._told: dict[Hashable, float] = {}

    def get(self, key: Hashable, compute: Callable[[], AttentionTrace]) -> AttentionTrace:
        """Return the trace kept under `key`, or compute and keep it, and how long that took."""

        def timed() -> AttentionTrace:
            started = perf_counter()
            trace = compute()
            self._milliseconds[key] = self._told.pop(key, 1000 * (perf_counter() - started))
            if len(self._milliseconds) > MOST_TIMES:
                del self._milliseconds[next(iter(self._milliseconds))]
            return trace

        return super().get(key, timed)

    def tell(self, key: Hashable, milliseconds: float) -> None:
        """Note what the run under `key` took, which is being computed, where it was not this process that ran it."""
        self._told[key] = milliseconds

    def milliseconds(self, key: Hashable) -> float | None:
        """Return what the trace of `key` took when it was computed; None if that is no longer known."""
        return self._milliseconds.get(key)
