"""Worker-process pool: first come, first served, by the least loaded worker."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Protocol

from models.trace import AttentionTrace
from viz.server.costs import Costs
from viz.server.queueing import wait_while
from viz.server.run_request import RunRequest
from viz.server.worker import RunAnswer, Worker, WorkerLostError

MOST_WAITING = 384
"""Questions that may wait; who comes then is told that it is busy, and asks again."""

SHARE = 0.3
"""What a question adds where another of its model waits, of what it takes alone: they run together."""


class Awaited(Protocol):
    """What was asked, and will be answered."""

    def wait(self) -> tuple[AttentionTrace, float]:
        """Return the record, and the milliseconds that the run took."""

    def leave(self) -> None:
        """Take the question back, if it is not answered."""


class Elsewhere(Protocol):
    """Where models run, if not in this process: a crew of processes here, or a service."""

    @property
    def has_all(self) -> bool:
        """Whether every model runs there, the pretrained ones too, so that none is loaded here."""

    def warm_up(self, keys: Iterable[str]) -> Thread | None:
        """Let the models of `keys` be loaded."""

    def ask(self, questions: Sequence[RunRequest]) -> Sequence[Awaited]:
        """Ask several questions that belong together."""


def possible_workers(wanted: int) -> int:
    """Return how many processes this machine has cores for, of those `wanted`; 0 where they cannot be."""
    cores = os.cpu_count() or 1
    return min(wanted, cores) if os.name == "posix" and cores > 1 else 0


class WorkerPool:
    """Processes that answer questions: the others begin as copies of the first, when that has loaded its models."""

    has_all = False

    def __init__(self, size: int, most_waiting: int = MOST_WAITING) -> None:
        self._costs = Costs()
        self.workers = tuple(Worker(self._costs) for _ in range(size))
        self._most = most_waiting
        self._lock = Lock()
        self._ready = list(self.workers[:1])
        self._line: dict[int, int] = {}  # who waits for room, in the order in which they came, and how much they ask
        self._came = 0

    def warm_up(self, keys: Iterable[str]) -> Thread:
        """Let the first process load the models of `keys`, and the others begin with them, while nobody asks."""
        thread = Thread(target=self._warm_up, args=(tuple(keys),), name="warm-up-workers", daemon=True)
        thread.start()
        return thread

    def _warm_up(self, keys: tuple[str, ...]) -> None:
        for worker in self.workers:
            with suppress(WorkerLostError):
                if worker is not self.workers[0]:
                    worker.begin_as_copy(self.workers[0])
                worker.warm_up(keys).future.result()
                with self._lock:
                    if worker not in self._ready:
                        self._ready.append(worker)

    def ask(self, questions: Sequence[RunRequest]) -> list[RunAnswer]:
        """Ask several questions that belong together: each process answers its share with no other between them.

        Where many wait already, whoever comes first is let in first.
        """
        with self._lock:
            self._came += 1
            mine = self._came
            self._line[mine] = len(questions)
        try:
            wait_while(lambda: not self._has_room(mine))
            return self._deal(questions)
        finally:
            with self._lock:
                del self._line[mine]

    def _has_room(self, who: int) -> bool:
        with self._lock:
            before = sum(count for each, count in self._line.items() if each < who)
            return sum(each.waiting for each in self._ready) + before < self._most

    def _deal(self, questions: Sequence[RunRequest]) -> list[RunAnswer]:
        """Ask each question, longest first, of the process that is soonest done; of the others, where one is lost."""
        with self._lock:
            load = {worker: worker.load for worker in self._ready}
        if not load:
            raise WorkerLostError
        shares: dict[Worker, list[int]] = {worker: [] for worker in load}
        costs = [self._costs.of(question) for question in questions]
        for place in sorted(range(len(questions)), key=costs.__getitem__, reverse=True):
            key, cost = questions[place].key, costs[place]
            added = {each: load[each] + (SHARE * cost if each.awaits(key) else cost) for each in load}
            worker = min(added, key=added.__getitem__)
            load[worker] = added[worker]
            shares[worker].append(place)
        answers: dict[int, RunAnswer] = {}
        for worker, places in shares.items():
            try:
                asked = worker.ask([questions[place] for place in places])
            except WorkerLostError:
                self._lose(worker)
                asked = self._deal([questions[place] for place in places])
            answers |= dict(zip(places, asked, strict=True))
        return [answers[place] for place in range(len(questions))]

    def _lose(self, worker: Worker) -> None:
        with self._lock, suppress(ValueError):
            self._ready.remove(worker)

    def stop(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.stop()
