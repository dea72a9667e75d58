"""Model cache: opens models on demand and keeps them.

The models that are shipped are loaded once and stay, those trained here too, which are small. Other pretrained models
are loaded when somebody first wants one, and at most `MOST_PRETRAINED` of them are kept: the one that nobody has used
for longest goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import nullcontext, suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING

import models
from models.ending import before_end
from models.huggingface.reader_entries import READER_ENTRIES
from models.messages import Message
from viz.server.cores import collect_garbage
from viz.server.queueing import Turns, settle, wait_for

if TYPE_CHECKING:
    from models.huggingface.hub import Progress
    from models.model import Model

MOST_PRETRAINED = 3
"""How many pretrained models are held in memory at once."""

MOST_WAITING = 8
"""How many pretrained models wait to be opened, one after another."""

LOAD_SECONDS = 600
"""How long one may take, fetching it included."""

MOST_FAILURES = 32
"""How many pretrained models that could not be loaded are remembered, each with the reason."""


class ModelUnavailableError(RuntimeError):
    """A model could not be loaded; the message says which and why, `reason` only why."""

    def __init__(self, message: str, reason: Exception) -> None:
        super().__init__(message)
        self.reason = reason


class OpenedModels:
    """Models by their keys, each opened once, whoever asks for it first."""

    def __init__(
        self, load: Callable[[str, Progress], Model], *, most_pretrained: int, seconds: float, elsewhere: bool
    ) -> None:
        self._load, self._most, self._elsewhere = load, most_pretrained, elsewhere
        self._lock = Lock()
        self._models: OrderedDict[str, Future[Model]] = OrderedDict()  # the one used last at the end
        self._progress: dict[str, tuple[int, int]] = {}
        self._turns = Turns(MOST_WAITING, seconds)

    def is_settled(self, key: str) -> bool:
        """Return whether the model of `key` has been loaded, or has failed to load."""
        with self._lock:
            future = self._models.get(key)
        if future is None:
            return False
        self._give_up_if_late(key, future)
        return future.done()

    def pretrained(self) -> tuple[str, ...]:
        """Return the pretrained models that are open."""
        with self._lock:
            done = {key: one for key, one in self._models.items() if models.is_pretrained(key) and one.done()}
        return tuple(key for key, one in done.items() if one.exception() is None)

    def is_begun(self, key: str) -> bool:
        """Return whether somebody has begun to load the model of `key`."""
        with self._lock:
            return key in self._models

    def progress(self, key: str) -> tuple[int, int] | None:
        """Return how many bytes of the model of `key` are here and how many there are, while it is being fetched."""
        with self._lock:
            return self._progress.get(key)

    def forget(self, key: str) -> None:
        """Forget that the model of `key` failed to load, so that the next call tries again."""
        with self._lock:
            if key in self._models and self._models[key].done() and self._models[key].exception() is not None:
                del self._models[key]

    def model(self, key: str) -> Model:
        """Return the model of `key`, waiting until it is loaded."""
        try:
            future = self._future(key)
            return wait_for(future, lambda: self._give_up_if_late(key, future))
        except Exception as error:
            known = isinstance(error, models.InputError)
            message = error.args[0] if known else Message("{key}: {reason}", key=key, reason=error)
            raise ModelUnavailableError(message, error) from error

    def _future(self, key: str) -> Future[Model]:
        with self._lock:
            mine = key not in self._models
            future = self._models.setdefault(key, Future())
            self._models.move_to_end(key)
        if mine and (self._elsewhere or models.is_pretrained(key)):  # whoever asked may leave, and it may never end
            Thread(target=self._open, args=(key, future), name=f"open {key}", daemon=True).start()
        elif mine:
            self._open(key, future)
        return future

    def _open(self, key: str, future: Future[Model]) -> None:
        def load() -> Model:
            takes_turns = models.is_pretrained(key) and not self._elsewhere
            with self._turns.turn(key) if takes_turns else nullcontext(), before_end():
                return self._load(key, lambda done, total: self._note(key, done, total))

        settle(future, load)
        self._after(key)

    def _give_up_if_late(self, key: str, future: Future[Model]) -> None:
        try:
            self._turns.check(key)
        except models.InputError as error:
            with suppress(InvalidStateError):
                future.set_exception(error)

    def _note(self, key: str, done: int, total: int) -> None:
        with self._lock:
            self._progress[key] = done, total

    def _after(self, key: str) -> None:
        """Let pretrained models go that are too many, those used least recently first; never the one just loaded."""
        with self._lock:
            self._progress.pop(key, None)
            ended = {each: one for each, one in self._models.items() if models.is_pretrained(each) and one.done()}
            there = [each for each, one in ended.items() if one.exception() is None and each not in READER_ENTRIES]
            failed = [each for each, one in ended.items() if one.exception() is not None]
            gone = [each for each in there[: -self._most] if each != key]
            for each in (*gone, *failed[:-MOST_FAILURES]):
                del self._models[each]
        if gone:
            collect_garbage(anew=True)
