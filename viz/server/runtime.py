"""What all visitors of one server share: the models, loaded in the background, their latest traces, and what follows.

The models that are shipped are loaded once and stay. Pretrained models are loaded when somebody first wants one, and
at most `MOST_PRETRAINED` of them are kept: the one that nobody has used for longest goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import streamlit as st

import models
from models.messages import Message
from models.trace import AttentionTrace
from viz.server.caching import BoundedCache
from viz.server.cores import collect_garbage, cores_for, load_for_serving
from viz.server.traces import TRACE_BYTES, TraceCache

if TYPE_CHECKING:
    from models.edits import Edit
    from models.huggingface.hub import Progress
    from models.model import Model

WORKING_BYTES = 64 * 2**20
"""Memory for what is computed of traces: small maps, measures, divergences."""

MOST_PRETRAINED = 3
"""How many pretrained models are held in memory at once."""

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
    """

    def __init__(
        self,
        load: Callable[[str, Progress], Model],
        *,
        trace_limit: int = TRACE_BYTES,
        most_pretrained: int = MOST_PRETRAINED,
    ) -> None:
        self.traces = TraceCache(trace_limit)
        self.workings: BoundedCache[Any] = BoundedCache(WORKING_BYTES)
        self._load, self._most = load, most_pretrained
        self._lock = Lock()
        self._models: OrderedDict[str, Future[Model]] = OrderedDict()  # the one used last at the end
        self._progress: dict[str, tuple[int, int]] = {}

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
            self._future(key)

    def is_settled(self, key: str) -> bool:
        """Return whether the model of `key` has been loaded, or has failed to load.

        Parameters
        ----------
        key : str
            As `models.load` takes it.
        """
        with self._lock:
            return key in self._models and self._models[key].done()

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
            return self._future(key).result()
        except Exception as error:
            known = isinstance(error, models.InputError)
            message = error.args[0] if known else Message("{key}: {reason}", key=key, reason=error)
            raise ModelUnavailableError(message) from error

    def _future(self, key: str) -> Future[Model]:
        with self._lock:
            mine = key not in self._models
            future = self._models.setdefault(key, Future())
            self._models.move_to_end(key)
        if mine:
            try:
                future.set_result(self._load(key, lambda done, total: self._note(key, done, total)))
            except Exception as error:
                future.set_exception(error)
            self._after(key)
        return future

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
        model = self.model(key)
        identity = self.identify(key, source, target, **options)

        def run() -> AttentionTrace:
            with cores_for(source):
                return model.attend(source, target, **(_USUAL | options))

        return self.traces.get(identity, run)


@st.cache_resource(show_spinner=False)
def shared_host() -> Host:
    """Return the host of this server; the first call starts loading the shipped models in the background."""
    host = Host(load_for_serving)
    host.warm_up(models.catalog())
    return host
