"""Where requests wait for the models of this process: one thread runs them, what can be run together is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Condition, Thread
from time import perf_counter
from typing import TYPE_CHECKING, cast

from models.trace.codec import to_bytes
from models.waiting import asking
from scale.serve import batching
from scale.serve.answers import answer, unreadable
from scale.serve.model_cache import ModelCache
from scale.serve.wire import Request

if TYPE_CHECKING:
    from models.model import Model
    from models.translation.translator import Translator

MOST_WAITING = 96
"""Requests that may wait; who comes then is told to ask again."""


class BusyError(RuntimeError):
    """Too many wait already."""


class _LeftError(Exception):
    """Nobody waits for the answer any more."""


class PendingRequest:
    """A request that will be answered."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.left = False
        """Whether nobody waits for it any more."""
        self.future: Future[tuple[bytes, float]] = Future()
        """The answer, and the milliseconds that it took."""

    def settle(self, make: Callable[[], tuple[bytes, float]]) -> None:
        """Give what `make` makes, or the error that it raises."""
        try:
            value = make()
        except BaseException as error:
            self.fail(error)
            return
        with suppress(InvalidStateError):  # nobody waits for it any more
            self.future.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Give an error."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class RequestHandler:
    """Answers requests one after another, by the models of a shelf.

    Requests that wait when the thread is free are run together if they are for one of our translators, with nothing
    edited: those of one length in one pass. Nobody waits for others to come.
    """

    def __init__(self, shelf: ModelCache, most_waiting: int = MOST_WAITING, *, batched: bool = True) -> None:
        self.shelf, self._most, self._batched = shelf, most_waiting, batched
        self._jobs: deque[PendingRequest] = deque()
        self._come = Condition()
        Thread(target=self._work, name="serve-desk", daemon=True).start()

    def ask(self, request: Request) -> PendingRequest:
        """Return the job of a request, which waits its turn."""
        job = PendingRequest(request)
        with self._come:
            if len(self._jobs) >= self._most:
                raise BusyError
            self._jobs.append(job)
            self._come.notify()
        return job

    def _work(self) -> None:
        import torch

        torch.set_num_threads(1)
        while True:
            with self._come:
                self._come.wait_for(lambda: bool(self._jobs))
                jobs = self._taken()
            self._answer([each for each in jobs if not each.left])

    def _taken(self) -> list[PendingRequest]:
        """Return the job that has waited longest, and those that can be run together with it."""
        first = self._jobs.popleft()
        if not (self._batched and batching.can_join(first.request)):
            return [first]
        joined = [each for each in self._jobs if each.request.key == first.request.key]
        joined = [each for each in joined if batching.can_join(each.request)][: batching.MOST - 1]
        for each in joined:
            self._jobs.remove(each)
        return [first, *joined]

    def _answer(self, jobs: list[PendingRequest]) -> None:
        if not jobs:
            return
        try:
            model = self.shelf.model(jobs[0].request.key)
        except Exception as error:
            for each in jobs:
                each.fail(error)
            return
        if len(jobs) > 1 and batching.is_ours(model):
            self._answer_together(cast("Translator", model), jobs)
            return
        for job in jobs:
            job.settle(lambda job=job: self._answer_one(model, job))  # type: ignore[misc]

    def _answer_one(self, model: Model, job: PendingRequest) -> tuple[bytes, float]:
        start = perf_counter()
        with asking(lambda: _leave_if([job])):
            data = answer(model, job.request)
        return data, 1000 * (perf_counter() - start)

    def _answer_together(self, model: Translator, jobs: list[PendingRequest]) -> None:
        start = perf_counter()
        try:
            with asking(lambda: _leave_if(jobs)):
                found = batching.attend_together(model, [each.request for each in jobs])
        except BaseException as error:
            said = error if isinstance(error, Exception) else unreadable(model, error)
            for each in jobs:
                each.fail(said)
            return
        took = 1000 * (perf_counter() - start) / len(jobs)
        for job, trace in zip(jobs, found, strict=True):
            if isinstance(trace, Exception):
                job.fail(trace)
            else:
                job.settle(lambda trace=trace: (to_bytes(trace), took))  # type: ignore[misc]


def _leave_if(jobs: list[PendingRequest]) -> None:
    """End a run for which nobody waits."""
    if all(each.left for each in jobs):
        raise _LeftError
