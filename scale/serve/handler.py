"""Where requests wait for the models of this process: one thread runs them, what can be run together is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Condition, Thread
from time import perf_counter
from typing import TYPE_CHECKING

from models.trace.codec import to_bytes
from models.translation import batching
from models.waiting import asking
from scale.serve.answers import answer
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
    edited: those of like lengths in one pass (`models.translation.batching`). Nobody waits for others to come.
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
        if not self._batched:
            return [first]
        alike = [_sentence(each.request) if each.request.key == first.request.key else None for each in self._jobs]
        joined = [self._jobs[place] for place in batching.company(_sentence(first.request), alike)]
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
        traces = self._run_together(model, jobs) if len(jobs) > 1 and batching.can_batch(model) else [None] * len(jobs)
        for job, found in zip(jobs, traces, strict=True):
            job.settle(lambda job=job, found=found: found or self._answer_one(model, job))  # type: ignore[misc]

    def _answer_one(self, model: Model, job: PendingRequest) -> tuple[bytes, float]:
        start = perf_counter()
        with asking(lambda: _leave_if([job])):
            data = answer(model, job.request)
        return data, 1000 * (perf_counter() - start)

    def _run_together(self, model: Translator, jobs: list[PendingRequest]) -> list[tuple[bytes, float] | None]:
        """Return the answers; None of what must run alone, or is waited for no more."""
        start = perf_counter()
        sentences = list(filter(None, (_sentence(each.request) for each in jobs)))
        try:
            with asking(lambda: _leave_if(jobs)):
                found = batching.attend_together(model, sentences)
        except _LeftError:
            return [None] * len(jobs)
        took = 1000 * (perf_counter() - start) / len(jobs)
        return [None if trace is None else (to_bytes(trace), took) for trace in found]


def _sentence(request: Request) -> batching.BatchItem | None:
    """Return what is asked if it may run together with others: nothing edited, nothing begun."""
    if (request.asked, request.pair, request.edits, request.write, request.alone) != ("attend", None, (), None, False):
        return None
    return batching.BatchItem(request.source, request.target, request.sites)


def _leave_if(jobs: list[PendingRequest]) -> None:
    """End a run for which nobody waits."""
    if all(each.left for each in jobs):
        raise _LeftError
