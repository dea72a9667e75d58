"""Main loop of a worker process: answers requests of `viz.server.worker` over a pipe.

What is asked is JSON, what is answered a record (`AttentionTrace.save`) or an error in words: nothing is unpickled. It
answers one after another in the order in which it is asked, together what waits for one translator
(`models.translation.batching`), one alone from a draft where that is faster (`models.translation.drafting`), and leaves
out what nobody waits for any more.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import struct
import sys
from collections import deque
from contextlib import suppress
from functools import cached_property
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from time import perf_counter
from typing import TYPE_CHECKING, Any

from models.error_codec import tell
from models.errors import InputError
from models.messages import Message
from models.trace.codec import to_bytes
from models.waiting import asking
from viz.server.heap import give_back_memory

if TYPE_CHECKING:
    from models.trace import AttentionTrace
    from models.translation.batching import BatchItem
    from models.translation.drafting import Drafts

HEAD = struct.Struct("<Qd?")
"""Of an answer: the number of its question, the milliseconds that it took, whether a record follows."""


class _LeftError(Exception):
    """Nobody waits for the answer any more."""


class WorkerLoop:
    """Takes questions from a connection and answers them with models that are loaded when they are first needed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._questions: deque[dict[str, Any]] = deque()
        self._to_warm: deque[str | int | Connection] = deque()  # keys, who wants to know when, the line of a copy
        self._dropped: set[int] = set()
        self._models: dict[str, Any] = {}
        self._copies: list[int] = []

    @cached_property
    def _drafts(self) -> Drafts:
        from models.translation.drafting import Drafts

        return Drafts()

    def work(self) -> None:
        """Answer until the other end closes."""
        with suppress(EOFError, OSError):
            while True:
                while self._connection.poll(0 if self._questions or self._to_warm else None):
                    self._take()
                if self._questions:
                    self._answer_all(self._taken())
                else:
                    self._warm(self._to_warm.popleft())

    def _take(self) -> None:
        question = json.loads(self._connection.recv_bytes())
        if "drop" in question:
            self._dropped.add(question["drop"])
        elif "warm" in question:
            self._to_warm.extend((*question["warm"], question["number"]))
        elif "copy" in question:
            self._to_warm.append(Connection(recv_handle(self._connection)))
        else:
            self._questions.append(question)

    def _warm(self, what: str | int | Connection) -> None:
        if isinstance(what, int):
            self._connection.send_bytes(HEAD.pack(what, 0.0, False) + b"{}")
        elif isinstance(what, Connection):
            self._copy(what)
        else:
            with suppress(Exception):  # whoever asks for it is told
                self._model(what)

    def _copy(self, connection: Connection) -> None:
        """Let a copy of this process answer over `connection`; what is loaded is in memory once for both."""
        self._copies = [each for each in self._copies if os.waitpid(each, os.WNOHANG) == (0, 0)]
        give_back_memory()  # which would be taken twice once it is written to
        if copy := os.fork():
            self._copies.append(copy)
            connection.close()
            return
        self._connection.close()
        self._connection, self._copies = connection, []
        self._questions.clear()
        self._to_warm.clear()

    def _look(self, *numbers: int) -> None:
        """Take what has come meanwhile; end the run of the questions `numbers` if nobody waits for any of them."""
        while self._connection.poll():
            self._take()
        if self._dropped.issuperset(numbers):
            raise _LeftError

    def _taken(self) -> list[dict[str, Any]]:
        """Return the question that has waited longest, and those that run together with it, if any."""
        from models.translation.batching import company

        questions = [each for each in self._questions if each["number"] not in self._dropped]
        self._dropped.clear()  # of what was answered before, too
        first, waiting = questions[:1], questions[1:]
        alike = [_sentence(each) if each["key"] == first[0]["key"] else None for each in waiting]
        joined = company(_sentence(first[0]), alike) if first else []
        self._questions = deque(each for place, each in enumerate(waiting) if place not in joined)
        return first + [waiting[place] for place in joined]

    def _answer_all(self, questions: list[dict[str, Any]]) -> None:
        traces: list[AttentionTrace | None] = [None] * len(questions)
        took = 0.0
        if len(questions) > 1:
            with suppress(_LeftError):
                traces, took = self._run_together(questions)
        for question, trace in zip(questions, traces, strict=True):
            if trace is None:
                self._answer(question)
            elif question["number"] not in self._dropped:
                self._send(question["number"], trace, took)

    def _run_together(self, questions: list[dict[str, Any]]) -> tuple[list[AttentionTrace | None], float]:
        """Return the runs, None of what must run alone, and the share of each in the milliseconds that all took."""
        from models.translation.batching import attend_together, can_batch
        from models.translation.drafting import can_draft

        try:
            model = self._model(questions[0]["key"])
        except Exception:  # whoever asks alone is told
            return [None] * len(questions), 0.0
        if not can_batch(model):
            return [None] * len(questions), 0.0
        start = perf_counter()
        with asking(lambda: self._look(*(each["number"] for each in questions))):
            found = attend_together(model, list(filter(None, map(_sentence, questions))))
        if can_draft(model):
            for trace in filter(None, found):
                self._drafts.remember(trace)
        return found, 1000 * (perf_counter() - start) / len(questions)

    def _answer(self, question: dict[str, Any]) -> None:
        number = question["number"]
        try:
            self._look(number)
            model = self._model(question["key"])
            start = perf_counter()
            with asking(lambda: self._look(number)):
                trace = _run(model, question, self._drafts)
            self._send(number, trace, 1000 * (perf_counter() - start))
        except _LeftError:
            pass
        except (EOFError, OSError):
            raise
        except Exception as error:
            self._connection.send_bytes(HEAD.pack(number, 0.0, False) + json.dumps(tell(error)).encode())
        finally:
            self._dropped.discard(number)

    def _send(self, number: int, trace: AttentionTrace, milliseconds: float) -> None:
        head = HEAD.pack(number, milliseconds, True)
        self._connection.send_bytes(b"".join((head, to_bytes(trace))))

    def _model(self, key: str) -> Any:
        if key not in self._models:
            import models
            from models.captioning.entry import first_text

            model = models.load(key)
            model.attend(first_text(key))
            self._models[key] = model
            gc.collect()
            gc.freeze()
        return self._models[key]


def _sentence(question: dict[str, Any]) -> BatchItem | None:
    """Return what is asked if it may run together with others: nothing edited, nothing begun."""
    from models.translation.batching import BatchItem

    if question["edits"] or "write" in question:
        return None
    return BatchItem(question["source"], question["target"], tuple(question["sites"]))


def _run(model: Any, question: dict[str, Any], drafts: Drafts) -> Any:
    from models.edits import read_edit
    from models.translation.drafting import can_draft
    from models.writing import read_writing

    edits = tuple(read_edit(each) for each in question["edits"])
    write = read_writing(question["write"]) if "write" in question else None
    sentence = _sentence(question)
    try:
        if sentence is not None and sentence.target is None and can_draft(model):
            return drafts.attend(model, sentence)
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
