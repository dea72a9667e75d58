"""Thread-safe LRU cache bounded by bytes."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from viz.server.heap import give_back_memory
from viz.server.queueing import wait_for

T = TypeVar("T")

OBJECT_BYTES = 64  # about what Python spends on a small object


def bytes_of(value: Any) -> int:
    """Return about how many bytes `value` takes: arrays, byte strings, texts, and records and collections of them."""
    if isinstance(value, (bytes, str)):
        return OBJECT_BYTES + len(value)
    if value is None or isinstance(value, (int, float)):  # most of a record, told before what takes long to ask
        return OBJECT_BYTES
    if hasattr(value, "nbytes"):
        return OBJECT_BYTES + int(value.nbytes)
    parts: list[Any] = []
    if is_dataclass(value):
        parts = [getattr(value, each.name) for each in fields(value)]
    elif isinstance(value, Mapping):
        parts = [*value, *value.values()]
    elif isinstance(value, (tuple, list, frozenset, set)):
        parts = list(value)
    return OBJECT_BYTES + sum(map(bytes_of, parts))


class _AbandonedError(Exception):
    """Whoever computed a value left before it was there."""


class BoundedCache(Generic[T]):
    """The latest values, as many as fit into a number of bytes. Safe for threads.

    Values must never be changed: all who ask are given the same one. A value that several ask for at once is
    computed once.
    """

    def __init__(self, limit: int, measure: Callable[[T], int] = bytes_of, most: int = sys.maxsize) -> None:
        self._limit, self._measure, self._most = limit, measure, most
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._running: dict[Hashable, Future[T]] = {}
        self._large: list[Hashable] = []  # what takes more than half of the room
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes that the kept values take."""
        return self._size

    def __len__(self) -> int:
        return len(self._kept)

    def knows(self, key: Hashable) -> bool:
        """Return whether a value is kept under `key`, or being computed."""
        with self._lock:
            return key in self._kept or key in self._running

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value kept under `key`, or compute and keep it; what `compute` raises is raised and not kept."""
        while True:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key][0]
                mine = key not in self._running
                if mine:
                    self._make_way()
                future = self._running.setdefault(key, Future())
            if mine:
                return self._compute(key, compute, future)
            with suppress(_AbandonedError):  # then it is this one's to compute
                return wait_for(future)

    def _compute(self, key: Hashable, compute: Callable[[], T], future: Future[T]) -> T:
        try:
            value = compute()
            size = self._measure(value)
        except BaseException as error:
            with self._lock:
                del self._running[key]
            future.set_exception(error if isinstance(error, Exception) else _AbandonedError())
            raise
        with self._lock:
            self._keep(key, value, size)
            del self._running[key]
        future.set_result(value)
        return value

    def _make_way(self) -> None:
        large = [each for each in self._large if each in self._kept]
        self._large.clear()
        for key in large:
            self._size -= self._kept.pop(key)[1]
        if large:
            give_back_memory()

    def _keep(self, key: Hashable, value: T, size: int) -> None:
        if size > self._limit:
            return
        self._kept[key] = value, size
        self._size += size
        if size > self._limit / 2:
            self._large.append(key)
        while self._size > self._limit or len(self._kept) > self._most:
            _, (_value, oldest) = self._kept.popitem(last=False)
            self._size -= oldest
