"""What all visitors of one server share: the models, loaded in the background, their latest traces, and what follows.

The models that are shipped are loaded once and stay. Pretrained models are loaded when somebody first wants one, and
at most `MOST_PRETRAINED` of them are kept: the one that nobody has used for longest goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import nullcontext, suppress
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Unpack

import streamlit as st

import models
from models.mechanisms import mechanisms
from models.messages import Message
from models.trace import AttentionTrace
from viz.server.caching import BoundedCache
from viz.server.configuration import configuration
from viz.server.cores import collect_garbage, load_for_serving
from viz.server.crew import Crew, Elsewhere, possible_workers
from viz.server.limits import check_length
from viz.server.queueing import Turns, settle, wait_for
from viz.server.runs import Run, RunOptions, Runs
from viz.server.service import Service, service_at
from viz.server.service_crew import ServedCrew
from viz.server.service_model import ServedModel
from viz.server.traces import TRACE_BYTES, TraceCache
from viz.server.used import note

if TYPE_CHECKING:
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
    crew : Elsewhere or None, optional
        Where our own models run, or all; None for this process, where one runs at a time.
    """

    def __init__(
        self,
        load: Callable[[str, Progress], Model],
        *,
        trace_limit: int = TRACE_BYTES,
        most_pretrained: int = MOST_PRETRAINED,
        seconds: float = LOAD_SECONDS,
        crew: Elsewhere | None = None,
    ) -> None:
        self.traces = TraceCache(trace_limit)
        self._runs = Runs(self.traces, crew)
        self.workings: BoundedCache[Any] = BoundedCache(WORKING_BYTES)
        self._load, self._most = load, most_pretrained
        self._lock = Lock()
        self._models: OrderedDict[str, Future[Model]] = OrderedDict()  # the one used last at the end
        self._progress: dict[str, tuple[int, int]] = {}
        self._turns = Turns(MOST_WAITING, seconds)
        self._crew, self._elsewhere = crew, crew is not None and crew.has_all

    def warm_up(self, keys: Iterable[str]) -> Thread:
        """Load the models of `keys` in the background, one after another.

        Parameters
        ----------
        keys : iterable of str
            Of models, as `models.load` takes them.
        """
        keys = tuple(keys)
        if self._crew is not None:
            self._crew.warm_up(keys)
        thread = Thread(target=self._load_all, args=(keys,), name="warm-up", daemon=True)
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
        if mine and (self._elsewhere or models.is_pretrained(key)):  # whoever asked may leave, and it may never end
            Thread(target=self._open, args=(key, future), name=f"open {key}", daemon=True).start()
        elif mine:
            self._open(key, future)
        return future

    def _open(self, key: str, future: Future[Model]) -> None:
        def load() -> Model:
            takes_turns = models.is_pretrained(key) and not self._elsewhere
            with self._turns.turn(key) if takes_turns else nullcontext():
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
        return self._identity(Run(key, source, target, options))

    def _identity(self, run: Run) -> Hashable:
        known = self.model(run.key) if models.is_pretrained(run.key) else models.describe(run.key)
        return (run.key, known.sha256, run.source, run.target, *run.every_option.values())

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
        return self.attend_each([Run(key, source, target, options)])[0]

    def attend_each(self, runs: Sequence[Run]) -> list[AttentionTrace]:
        """Return what `attend` returns for each of `runs`; what is in no cache is asked for all at once.

        Parameters
        ----------
        runs : sequence of Run
        """
        for run in runs:
            check_length(run.source, run.target, run.options.get("pair"))
        return list(
            map(note, self._runs.attend_each([(self.model(run.key), self._identity(run), run) for run in runs]))
        )


@st.cache_resource(show_spinner=False)
def shared_host() -> Host:
    """Return the host of this server; the first call starts loading the shipped models, unless they run elsewhere."""
    said = configuration()
    if said.serve:
        return served_host(service_at(said.serve, said.serve_token))
    workers = possible_workers(said.workers)
    load = partial(load_for_serving, at_rest=bool(workers))
    host = Host(load, crew=Crew(workers) if workers else None)
    halls = tuple(
        f"{name}-" for name, each in mechanisms().items() if each.is_hall
    )  # these load when they are asked for
    host.warm_up(key for key in models.catalog() if not key.startswith(halls))
    return host


def served_host(service: Service) -> Host:
    """Return a host whose models all run in a service; each is asked for when somebody first wants it.

    Parameters
    ----------
    service : Service
    """
    return Host(lambda key, _progress: ServedModel(service, key), crew=ServedCrew(service))
