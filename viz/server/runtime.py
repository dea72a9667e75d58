"""Host of the models: what all visitors of a server share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Unpack

import streamlit as st

import models
from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from models.trace.asked import asked_of
from viz.server.caching import BoundedCache
from viz.server.configuration import configuration
from viz.server.cores import collect_garbage, load_for_serving
from viz.server.elsewhere import Remote, remote
from viz.server.limits import check_length
from viz.server.opening import LOAD_SECONDS, MOST_PRETRAINED, ModelUnavailableError, OpenedModels
from viz.server.runs import Run, RunOptions, Runs
from viz.server.traces import TRACE_BYTES, TraceCache
from viz.server.used import note
from viz.server.worker_pool import Elsewhere, WorkerPool, possible_workers

if TYPE_CHECKING:
    from models.huggingface.hub import Progress
    from models.model import Model

WORKING_BYTES = 64 * 2**20
"""Memory for what is computed of traces: small maps, measures, divergences."""


class Host(OpenedModels):
    """The models of a server, and the caches of what they did."""

    def __init__(
        self,
        load: Callable[[str, Progress], Model],
        *,
        trace_limit: int = TRACE_BYTES,
        most_pretrained: int = MOST_PRETRAINED,
        seconds: float = LOAD_SECONDS,
        crew: Elsewhere | None = None,
    ) -> None:
        super().__init__(
            load, most_pretrained=most_pretrained, seconds=seconds, elsewhere=crew is not None and crew.has_all
        )
        self.traces = TraceCache(trace_limit)
        self._runs = Runs(self.traces, crew)
        self.workings: BoundedCache[Any] = BoundedCache(WORKING_BYTES)
        self._crew = crew

    def warm_up(self, keys: Iterable[str]) -> Thread:
        """Load the models of `keys` in the background, one after another.

        Where they run elsewhere, what is there comes first: whoever opens the first page waits for that.
        """
        keys = tuple(keys)
        elsewhere = self._crew.warm_up(keys) if self._crew is not None else None
        thread = Thread(target=self._load_all, args=(keys, elsewhere), name="warm-up", daemon=True)
        thread.start()
        return thread

    def _load_all(self, keys: tuple[str, ...], elsewhere: Thread | None) -> None:
        for key in keys:
            with suppress(ModelUnavailableError):  # whoever asks for it is told
                self.model(key)
            if elsewhere is not None:
                elsewhere.join()
        collect_garbage()

    def identify(self, key: str, source: str, target: str | None = None, **options: Unpack[RunOptions]) -> Hashable:
        """Return what names the trace that `attend` gives for the same arguments: small, and equal for equal traces."""
        return self._identity(Run(key, source, target, options))

    def _identity(self, run: Run) -> Hashable:
        known = self.model(run.key) if models.is_pretrained(run.key) else models.describe(run.key)
        return (run.key, known.sha256, run.source, run.target, *run.every_option.values())

    def attend(self, key: str, source: str, target: str | None = None, **options: Unpack[RunOptions]) -> AttentionTrace:
        """Return the trace of `source` through the model of `key`, from the cache if it was run before."""
        return self.attend_each([Run(key, source, target, options)])[0]

    def attend_each(self, runs: Sequence[Run]) -> list[AttentionTrace]:
        """Return what `attend` returns for each of `runs`; what is in no cache is asked for all at once."""
        for run in runs:
            check_length(run.source, run.target, run.options.get("pair"))
        return list(
            map(note, self._runs.attend_each([(self.model(run.key), self._identity(run), run) for run in runs]))
        )

    def run_here(self, key: str, source: str) -> AttentionTrace:
        """Run the model of `key` on `source` in this process; no cache is asked, and none keeps the trace."""
        check_length(source)
        return note(self._runs.run_here(self.model(key), Run(key, source, None, {})))

    def alone(self, trace: AttentionTrace) -> AttentionTrace:
        """Return `trace` as a run alone gives it, so that what is saved can be made again to the last bit."""
        if not trace.provenance.is_approximate:
            return trace
        asked = asked_of(trace)
        run = Run(asked.model, asked.source, asked.target, {"sites": asked.sites})
        again = self._runs.run_here(self.model(run.key), run)
        pairs = zip(trace.maps, again.maps, strict=True)
        maps = tuple(replace(new, companions={**old.companions, **new.companions}) for old, new in pairs)
        return replace(again, maps=maps, provenance=replace(trace.provenance, batched=False, drafted=False))

    @property
    def runs_all_elsewhere(self) -> bool:
        """Whether pretrained models run in other processes."""
        return self._crew is not None and self._crew.has_all


@st.cache_resource(show_spinner=False)
def shared_host() -> Host:
    """Return the host of this server; the first call starts loading the shipped models, unless they run elsewhere."""
    served = remote()
    if served is not None:
        return served_host(served)
    workers = possible_workers(configuration().workers)
    load = partial(load_for_serving, at_rest=bool(workers))
    host = Host(load, crew=WorkerPool(workers) if workers else None)
    halls = tuple(
        f"{name}-" for name, each in mechanisms().items() if each.is_small
    )  # these load when they are asked for
    host.warm_up(key for key in models.catalog() if not key.startswith(halls))
    return host


def served_host(served: Remote) -> Host:
    """Return a host whose models all run in a service; each is asked for when somebody first wants it."""
    return Host(lambda key, _progress: served.model(key), crew=served.crew)
