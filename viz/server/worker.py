"""Worker process for models, seen from the server: start, ask, restart.

The interpreter's lock lets one thread of a process run Python at a time, and a model's step is a hundred small calls.
"""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple

from models.error_codec import error_of
from models.trace import AttentionTrace
from viz.server.costs import Costs
from viz.server.queueing import wait_for
from viz.server.run_request import RunRequest
from viz.server.worker_process import HEAD

MOST_STARTS = 5
"""How often it is started again after it has ended by itself."""

_ROOT = Path(__file__).parents[str(__package__).count(".") + 1]


class WorkerLostError(RuntimeError):
    """The process ended before it answered."""


class RunAnswer:
    """What was asked, and will be answered."""

    def __init__(self, worker: Worker, number: int) -> None:
        self._worker, self.number = worker, number
        self.future: Future[bytes] = Future()

    def wait(self) -> tuple[AttentionTrace, float]:
        """Return the record and the milliseconds that the run took; whoever leaves takes the question back."""
        try:
            data = wait_for(self.future)
        finally:
            self.leave()
        _number, milliseconds, is_record = HEAD.unpack_from(data)
        if not is_record:
            raise error_of(json.loads(data[HEAD.size :]))
        return AttentionTrace.load(io.BytesIO(memoryview(data)[HEAD.size :])), milliseconds

    def leave(self) -> None:
        """Take the question back, if it is not answered."""
        if not self.future.done():
            self._worker.drop(self.number)


class _Asked(NamedTuple):
    """What waits for its answer: the future, the question (None for a warming up), what it may take."""

    future: Future[bytes]
    question: RunRequest | None
    milliseconds: float


class Worker:
    """A process, started when it is first asked, and again if it ends by itself."""

    def __init__(self, costs: Costs | None = None) -> None:
        self._costs = costs or Costs()
        self._lock, self._sending = Lock(), Lock()
        self._connection: Connection | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: dict[int, _Asked] = {}
        self._number = self._starts = 0

    @property
    def waiting(self) -> int:
        """How many questions are not answered."""
        return len(self._waiting)

    @property
    def load(self) -> float:
        """About how many milliseconds the questions take that are not answered."""
        with self._lock:
            return sum(each.milliseconds for each in self._waiting.values())

    def awaits(self, key: str) -> bool:
        """Return whether a question for the model of `key` is not answered: another may run together with it."""
        with self._lock:
            return any(each.question is not None and each.question.key == key for each in self._waiting.values())

    def warm_up(self, keys: Iterable[str]) -> RunAnswer:
        """Let the process load the models of `keys` while nobody asks; the answer comes when it has, with no record."""
        return self._ask([{"warm": list(keys)}], [None])[0]

    def begin_as_copy(self, of: Worker) -> None:
        """Begin as a copy of the process of another worker: what that has loaded is in memory once for both.

        Where the system cannot, or that process has ended, this one begins by itself when it is asked.
        """
        if sys.platform != "linux":
            return
        ours, theirs = Pipe()
        with self._sending, of._sending, theirs, suppress(WorkerLostError, OSError):
            if of._connection is not None and self._connection is None:
                of._send(b'{"copy": true}')
                send_handle(of._connection, theirs.fileno(), None)
                self._take_up(ours)

    def ask(self, questions: Sequence[RunRequest]) -> list[RunAnswer]:
        """Ask several questions that belong together: they wait in one row, with none between them."""
        return self._ask([question.asked() for question in questions], questions)

    def _ask(self, asked: Sequence[dict[str, Any]], questions: Sequence[RunRequest | None]) -> list[RunAnswer]:
        costs = [self._costs.of(each) if each else 0.0 for each in questions]
        with self._lock:
            answers = [RunAnswer(self, self._number + each) for each in range(len(asked))]
            self._number += len(asked)
            for answer, question, cost in zip(answers, questions, costs, strict=True):
                self._waiting[answer.number] = _Asked(answer.future, question, cost)
        try:
            with self._sending:
                for answer, each in zip(answers, asked, strict=True):
                    self._send(json.dumps(each | {"number": answer.number}).encode())
        except WorkerLostError:
            for answer in answers:
                self._forget(answer.number)
            raise
        return answers

    def drop(self, number: int) -> None:
        """Take question `number` back: it is not answered, or not to its end."""
        if self._forget(number) is not None:
            with suppress(WorkerLostError), self._sending:
                self._send(json.dumps({"drop": number}).encode())

    def _forget(self, number: int) -> _Asked | None:
        with self._lock:
            return self._waiting.pop(number, None)

    def stop(self) -> None:
        """End the process."""
        with self._sending:
            self._starts = MOST_STARTS
            if self._process is not None:
                self._process.terminate()
                self._process.wait()
            elif self._connection is not None:
                with socket.fromfd(self._connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as line:
                    line.shutdown(socket.SHUT_RDWR)  # a copy of another worker's process ends with its line

    def _send(self, data: bytes) -> None:
        """Send `data`, one at a time; start the process if there is none."""
        connection = self._connection or self._start()
        try:
            connection.send_bytes(data)
        except OSError as error:
            raise WorkerLostError from error

    def _start(self) -> Connection:
        if self._starts >= MOST_STARTS:
            raise WorkerLostError
        self._starts += 1
        ours, theirs = Pipe()
        environment = os.environ | {"PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        environment |= {"TOKENIZERS_PARALLELISM": "false"}
        command = [sys.executable, "-m", "viz.server.worker_process", str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                command, env=environment, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL
            )
        self._take_up(ours)
        return ours

    def _take_up(self, connection: Connection) -> None:
        self._connection = connection
        Thread(target=self._listen, args=(connection,), name="worker-answers", daemon=True).start()

    def _listen(self, connection: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                data = connection.recv_bytes()
                number, milliseconds, _is_record = HEAD.unpack_from(data)
                asked = self._forget(number)
                if asked is not None:
                    if asked.question is not None:
                        self._costs.learn(asked.question, milliseconds)
                    asked.future.set_result(data)
        with self._lock:
            self._connection = None
            lost, self._waiting = self._waiting, {}
        for each in lost.values():
            each.future.set_exception(WorkerLostError())
