"""Main loop of a worker process: answers requests of `viz.server.worker` over a pipe.

What is asked is JSON, what is answered a record (`AttentionTrace.save`) or an error in words: nothing is unpickled. It
answers one after another in the order in which it is asked, and leaves out what nobody waits for any more.
"""

from __future__ import annotations

import gc
import json
import signal
import struct
import sys
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from models.error_codec import tell
from models.errors import InputError
from models.messages import Message
from models.trace.codec import to_bytes
from models.waiting import asking

HEAD = struct.Struct("<Qd?")
"""Of an answer: the number of its question, the milliseconds that it took, whether a record follows."""


class _LeftError(Exception):
    """Nobody waits for the answer any more."""


class WorkerLoop:
    """Takes questions from a connection and answers them with models that are loaded when they are first needed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._questions: deque[dict[str, Any]] = deque()
        self._to_warm: deque[str | int] = deque()  # keys, and after them the number of who wants to know it
        self._dropped: set[int] = set()
        self._models: dict[str, Any] = {}

    def work(self) -> None:
        """Answer until the other end closes."""
        with suppress(EOFError, OSError):
            while True:
                while self._connection.poll(0 if self._questions or self._to_warm else None):
                    self._take()
                if self._questions:
                    self._answer(self._questions.popleft())
                else:
                    self._warm(self._to_warm.popleft())

    def _take(self) -> None:
        question = json.loads(self._connection.recv_bytes())
        if "drop" in question:
            self._dropped.add(question["drop"])
        elif "warm" in question:
            self._to_warm.extend((*question["warm"], question["number"]))
        else:
            self._questions.append(question)

    def _warm(self, what: str | int) -> None:
        if isinstance(what, int):
            self._connection.send_bytes(HEAD.pack(what, 0.0, False) + b"{}")
            return
        with suppress(Exception):  # whoever asks for it is told
            self._model(what)

    def _look(self, number: int) -> None:
        """Take what has come meanwhile; end the run of question `number` if nobody waits for it."""
        while self._connection.poll():
            self._take()
        if number in self._dropped:
            raise _LeftError

    def _answer(self, question: dict[str, Any]) -> None:
        number = question["number"]
        try:
            self._look(number)
            model = self._model(question["key"])
            start = perf_counter()
            with asking(lambda: self._look(number)):
                trace = _run(model, question)
            head = HEAD.pack(number, 1000 * (perf_counter() - start), True)
            self._connection.send_bytes(b"".join((head, to_bytes(trace))))
        except _LeftError:
            pass
        except (EOFError, OSError):
            raise
        except Exception as error:
            self._connection.send_bytes(HEAD.pack(number, 0.0, False) + json.dumps(tell(error)).encode())
        finally:
            self._dropped.discard(number)

    def _model(self, key: str) -> Any:
        if key not in self._models:
            import models

            model = models.load(key)
            model.attend("A first run.")
            self._models[key] = model
            gc.collect()
            gc.freeze()
        return self._models[key]


def _run(model: Any, question: dict[str, Any]) -> Any:
    from models.edits import read_edit
    from models.writing import read_writing

    edits = tuple(read_edit(each) for each in question["edits"])
    write = read_writing(question["write"]) if "write" in question else None
    try:
        return model.attend(question["source"], question["target"], edits=edits, sites=question["sites"], write=write)
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Rust
        said = Message("{title} cannot read this text ({reason}).", title=model.title, reason=error)
        raise InputError(said) from error


def main() -> None:
    """Answer what comes over the file descriptor that the command line names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and the closed line ends this
    connection = Connection(int(sys.argv[1]))
    import torch

    torch.set_num_threads(1)
    WorkerLoop(connection).work()


if __name__ == "__main__":
    main()
