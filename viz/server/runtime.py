"""What all visitors of one server share: the models, loaded in the background, their latest traces, and what follows.

The models that are shipped are loaded once and stay. Pretrained models are loaded when somebody first wants one, and
at most `MOST_PRETRAINED` of them are kept: the one that nobody has used for longest goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import nullcontext, suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

import models
from models.messages import Message
from models.trace import AttentionTrace
from models.waiting import asking
from viz.server.caching import BoundedCache
from viz.server.cores import collect_garbage, cores_for, load_for_serving
from viz.server.limits import check_length
from viz.server.queueing import Turns, leave_if_asked, settle, wait_for
from viz.server.traces import TRACE_BYTES, TraceCache
from viz.server.used import note

if TYPE_CHECKING:
    from models.edits import Edit
    from models.huggingface.hub import Progress
    from models.model import Model

WORKING_BYTES = 64 * 2**20
"""Memory for what is computed of traces: small maps, measures, divergences."""

MOST_PRETRAINED = 3
"""How many pretrained models are held in memory at once."""

MOST_WAITING = 8
"""How many pretrained models wait to be opened, one after another."""

LOAD_SECONDS = 600
"""How long one may take, fetching it included."""

MOST_FAILURES = 32
"""How many pretrained models that could not be loaded are remembered, each with the reason."""


class RunOptions(TypedDict, total=False):
    """What a run may be given besides its texts.

    Parameters
    ----------
    pair : str, optional
        A second text, for a pretrained encoder.
    edits, sites : optional
        As in the model's ``attend``.
    """

    pair: str | None
    edits: tuple[Edit, ...]
    sites: tuple[str, ...]


_USUAL: RunOptions = {"pair": None, "edits": (), "sites": ("*.weights",)}


class ModelUnavailableError(RuntimeError):
    """A model could not be loaded; the message says which and why."""


class Host:
    """The models of a server, and the caches of what they did.

    Parameters
    ----------
    load : callable
        Gives the model of a key, ready to run; may report, as `models.huggingface.hub.fetch` does, how much of it is
        here.
    trace_limit : int, optional
        Bytes that traces may take.
    most_pretrained : int, optional
        How many pretrained models are kept.
    seconds : float, optional
        How long opening a pretrained model may take.
    """

    def __init__(
        self,
        load: Callable[[str, Progress], Model],
        *,
        trace_limit: int = TRACE_BYTES,
        most_pretrained: int = MOST_PRETRAINED,
        seconds: float = LOAD_SECONDS,
    ) -> None:
        self.traces = TraceCache(trace_limit)
        self.workings: BoundedCache[Any] = BoundedCache(WORKING_BYTES)
        self._load, self._most = load, most_pretrained
        self._lock = Lock()
        self._models: OrderedDict[str, Future[Model]] = OrderedDict()  # the one used last at the end
        self._progress: dict[str, tuple[int, int]] = {}
        self._turns = Turns(MOST_WAITING, seconds)

    def warm_up(self, keys: Iterable[str]) -> Thread:
        """Load the models of `keys` in the background, one after another.

        Parameters
        ----------
        keys : iterable of str
            Of models, as `models.load` takes them.
        """
        thread = Thread(target=self._load_all, args=(tuple(keys),), name="warm-up", daemon=True)
        thread.start()
        return thread

    def _load_all(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            with suppress(ModelUnavailableError):  # whoever asks for it is told
                self.model(key)

    def is_settled(self, key: str) -> bool:
        """Return whether the model of `key` has been loaded, or has failed to load.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        """
        with self._lock:
            future = self._models.get(key)
        if future is None:
            return False
        self._give_up_if_late(key, future)
        return future.done()

    def is_begun(self, key: str) -> bool:
        """Return whether somebody has begun to load the model of `key`.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        """
        with self._lock:
            return key in self._models

    def progress(self, key: str) -> tuple[int, int] | None:
        """Return how many bytes of the model of `key` are here and how many there are, while it is being fetched.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        """
        with self._lock:
            return self._progress.get(key)

    def forget(self, key: str) -> None:
        """Forget that the model of `key` failed to load, so that the next call tries again.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        """
        with self._lock:
            if key in self._models and self._models[key].done() and self._models[key].exception() is not None:
                del self._models[key]

    def model(self, key: str) -> Model:
        """Return the model of `key`, waiting until it is loaded.

        Parameters
        ----------
        key : str
            As `models.load` takes it.

        Raises
        ------
        ModelUnavailableError
            If it cannot be loaded; a later call tries again only after `forget`.
        """
        try:
            future = self._future(key)
            return wait_for(future, lambda: self._give_up_if_late(key, future))
        except Exception as error:
            known = isinstance(error, models.InputError)
            message = error.args[0] if known else Message("{key}: {reason}", key=key, reason=error)
            raise ModelUnavailableError(message) from error

    def _future(self, key: str) -> Future[Model]:
        with self._lock:
            mine = key not in self._models
            future = self._models.setdefault(key, Future())
            self._models.move_to_end(key)
        if mine and models.is_pretrained(key):  # whoever asked may leave, and it may never end
            Thread(target=self._open, args=(key, future), name=f"open {key}", daemon=True).start()
        elif mine:
            self._open(key, future)
        return future

    def _open(self, key: str, future: Future[Model]) -> None:
        def load() -> Model:
            with self._turns.turn(key) if models.is_pretrained(key) else nullcontext():
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
            there = [each for each, one in ended.items() if one.exception() is None]
            failed = [each for each, one in ended.items() if one.exception() is not None]
            gone = [each for each in there[: -self._most] if each != key]
            for each in (*gone, *failed[:-MOST_FAILURES]):
                del self._models[each]
        if gone:
            collect_garbage(anew=True)

    def identify(self, key: str, source: str, target: str | None = None, **options: Unpack[RunOptions]) -> Hashable:
        """Return what names the trace that `attend` gives for the same arguments: small, and equal for equal traces.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        source : str
            What the model reads.
        target : str or None, optional
            What it is made to write; None for its own.
        **options
            See `RunOptions`.
        """
        sha256 = self.model(key).sha256 if models.is_pretrained(key) else models.describe(key).sha256
        return (key, sha256, source, target, *(_USUAL | options).values())

    def attend(self, key: str, source: str, target: str | None = None, **options: Unpack[RunOptions]) -> AttentionTrace:
        """Return the trace of `source` through the model of `key`, from the cache if it was run before.

        Parameters
        ----------
        key : str
            A key of `models.catalog`, or of a pretrained model.
        source, target
            As in the model's ``attend``.
        **options
            See `RunOptions`.

        Returns
        -------
        AttentionTrace

        Raises
        ------
        ModelUnavailableError
            If the model cannot be loaded.
        models.InputError
            If the text is not one that the model takes.
        """
        check_length(source, target, options.get("pair"))
        model = self.model(key)
        identity = self.identify(key, source, target, **options)

        def run() -> AttentionTrace:
            # Ours write a token a step: what is shared out among cores is so small that they spend most of it waiting.
            with cores_for(source) if models.is_pretrained(key) else nullcontext():
                try:
                    with asking(leave_if_asked):
                        return model.attend(source, target, **(_USUAL | options))
                except (Exception, StopException, RerunException):
                    raise
                except BaseException as error:  # a panic of Rust, which would end the thread of whoever asks
                    said = Message("{title} cannot read this text ({reason}).", title=model.title, reason=error)
                    raise models.InputError(said) from error

        return note(self.traces.get(identity, run))


@st.cache_resource(show_spinner=False)
def shared_host() -> Host:
    """Return the host of this server; the first call starts loading the shipped models in the background."""
    host = Host(load_for_serving)
    host.warm_up(models.catalog())
    return host
