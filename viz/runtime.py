"""What all visitors of one server share: the models, loaded once in the background, and their latest traces."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING

import streamlit as st

import models
from models.trace import AttentionTrace

if TYPE_CHECKING:
    from models.edits import Edit
    from models.registry import Model

TRACE_BYTES = 128 * 2**20
"""Memory that traces may take on a server."""

_TOKEN_BYTES = 400  # about what Python spends on one token: text, step, alternatives


class ModelUnavailableError(RuntimeError):
    """A model could not be loaded; the message says which and why."""


def trace_bytes(trace: AttentionTrace) -> int:
    """Give about how much memory `trace` takes, in bytes."""
    arrays = sum(each.weights.nbytes + sum(array.nbytes for array in each.companions.values()) for each in trace)
    return arrays + _TOKEN_BYTES * (len(trace.source) + 2 * len(trace.target) + 1)


class TraceCache:
    """The latest traces, as many as fit into a number of bytes. Safe for threads.

    Traces are frozen, so that all visitors can be given the same one. A trace that several ask for at once
    is computed once.

    Parameters
    ----------
    limit : int
        Bytes. A trace larger than that is given out but not kept.
    """

    def __init__(self, limit: int = TRACE_BYTES) -> None:
        self._limit = limit
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, AttentionTrace] = OrderedDict()
        self._running: dict[Hashable, Future[AttentionTrace]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes that the kept traces take."""
        return self._size

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, compute: Callable[[], AttentionTrace]) -> AttentionTrace:
        """Give the trace kept under `key`, or compute and keep it; what `compute` raises is raised and not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            mine = key not in self._running
            future = self._running.setdefault(key, Future())
        if not mine:
            return future.result()
        return self._compute(key, compute, future)

    def _compute(
        self, key: Hashable, compute: Callable[[], AttentionTrace], future: Future[AttentionTrace]
    ) -> AttentionTrace:
        try:
            trace = compute()
        except BaseException as error:
            with self._lock:
                del self._running[key]
            future.set_exception(error)
            raise
        with self._lock:
            self._keep(key, trace)
            del self._running[key]
        future.set_result(trace)
        return trace

    def _keep(self, key: Hashable, trace: AttentionTrace) -> None:
        self._kept[key] = trace
        self._size += trace_bytes(trace)
        while self._size > self._limit:
            _, oldest = self._kept.popitem(last=False)
            self._size -= trace_bytes(oldest)


class Host:
    """The models of a server, each loaded once, and the cache of what they did.

    Parameters
    ----------
    load : callable
        Gives the model of a key, ready to run.
    trace_limit : int, optional
        Bytes that traces may take.
    """

    def __init__(self, load: Callable[[str], Model], *, trace_limit: int = TRACE_BYTES) -> None:
        self.traces = TraceCache(trace_limit)
        self._load = load
        self._lock = Lock()
        self._models: dict[str, Future[Model]] = {}

    def warm_up(self, keys: Iterable[str]) -> Thread:
        """Load the models of `keys` in the background, one after another."""
        thread = Thread(target=self._load_all, args=(tuple(keys),), name="warm-up", daemon=True)
        thread.start()
        return thread

    def _load_all(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._future(key)

    def is_settled(self, key: str) -> bool:
        """Tell whether the model of `key` has been loaded, or has failed to load."""
        with self._lock:
            return key in self._models and self._models[key].done()

    def model(self, key: str) -> Model:
        """Give the model of `key`, waiting until it is loaded.

        Raises
        ------
        ModelUnavailableError
            If it cannot be loaded; a later call does not try again.
        """
        try:
            return self._future(key).result()
        except Exception as error:
            message = f"{key}: {error}"
            raise ModelUnavailableError(message) from error

    def _future(self, key: str) -> Future[Model]:
        with self._lock:
            mine = key not in self._models
            future = self._models.setdefault(key, Future())
        if mine:
            try:
                future.set_result(self._load(key))
            except Exception as error:
                future.set_exception(error)
        return future

    def attend(
        self,
        key: str,
        source: str,
        target: str | None = None,
        *,
        edits: tuple[Edit, ...] = (),
        sites: tuple[str, ...] = ("*.weights",),
    ) -> AttentionTrace:
        """Give the trace of `source` through the model of `key`, from the cache if it was run before.

        Parameters
        ----------
        key : str
            A key of `models.catalog`.
        source, target, edits, sites
            As in the model's ``attend``.

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
        identity = (models.describe(key).sha256, source, target, edits, sites)
        return self.traces.get(identity, lambda: model.attend(source, target, edits=edits, sites=sites))


def load_for_serving(key: str) -> Model:
    """Load the model of `key` for a server of many threads: one torch thread, first run done, collector at rest.

    Streamlit collects garbage after every rerun; what is frozen it need not look through.
    """
    import torch

    torch.set_num_threads(1)
    model = models.load(key)
    model.attend("A first run.")
    gc.collect()
    gc.freeze()
    return model


@st.cache_resource(show_spinner=False)
def shared_host() -> Host:
    """Give the host of this server; the first call starts loading all models in the background."""
    host = Host(load_for_serving)
    host.warm_up(models.catalog())
    return host
