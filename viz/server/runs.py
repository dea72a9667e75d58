"""Runs of models: from the trace cache, the worker pool, or this process one at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, TypedDict

import models
from models.messages import Message
from models.trace import AttentionTrace
from models.waiting import asking
from viz.server.cores import cores_for
from viz.server.queueing import one_at_a_time
from viz.server.run_request import RunRequest
from viz.server.traces import TraceCache
from viz.server.worker import WorkerLostError
from viz.server.worker_pool import Awaited, Elsewhere
from viz.shell.script_run import ENDINGS, leave_if_asked

if TYPE_CHECKING:
    from models.edits import Edit
    from models.model import Model
    from models.writing import Writing


class RunOptions(TypedDict, total=False):
    """What a run may be given besides its texts."""

    pair: str | None  # A second text, for a pretrained encoder
    edits: tuple[Edit, ...]  # as in the model's ``attend``
    sites: tuple[str, ...]  # as in the model's ``attend``
    write: Writing | None  # as in the model's ``attend``


_USUAL: RunOptions = {"pair": None, "edits": (), "sites": ("*.weights",), "write": None}


@dataclass(frozen=True, slots=True)
class Run:
    """A text that a model is to read."""

    key: str  # A key of `models.catalog`, or of a pretrained model
    source: str  # as in the model's ``attend``
    target: str | None  # as in the model's ``attend``
    options: RunOptions

    @property
    def every_option(self) -> RunOptions:
        """The options, those that are left out as they are usually."""
        return _USUAL | self.options

    def question(self, *, of_any: bool) -> RunRequest | None:
        """Return what is asked for it elsewhere; None if our own models alone run there, and this is none of them."""
        options = self.every_option
        if not of_any and (models.is_pretrained(self.key) or options["pair"] is not None):
            return None
        edits, sites = tuple(options["edits"]), tuple(options["sites"])
        return RunRequest(self.key, self.source, self.target, edits, sites, options["pair"], options["write"])


class Runs:
    """What runs the models of a server."""

    def __init__(self, traces: TraceCache, crew: Elsewhere | None) -> None:
        self._traces, self._crew = traces, crew
        self._one = Lock()

    def attend_each(self, wanted: Sequence[tuple[Model, Hashable, Run]]) -> list[AttentionTrace]:
        """Return a trace for each of what is wanted; what is in no cache is asked for all at once."""
        missing = [place for place, (_model, identity, _run) in enumerate(wanted) if not self._traces.knows(identity)]
        answers = dict(zip(missing, self._ask([wanted[place][2] for place in missing]), strict=True))
        try:
            return [self._attend(*each, answers.get(place)) for place, each in enumerate(wanted)]
        finally:
            for answer in answers.values():
                if answer is not None:
                    answer.leave()

    def _ask(self, runs: Sequence[Run]) -> list[Awaited | None]:
        """Ask the worker for those of `runs` that it can do; None for the others."""
        if self._crew is None:
            return [None] * len(runs)
        questions = [run.question(of_any=self._crew.has_all) for run in runs]
        if not any(questions):
            return [None] * len(runs)
        try:
            answers = iter(self._crew.ask([each for each in questions if each is not None]))
        except WorkerLostError:
            return [None] * len(runs)
        return [next(answers) if each is not None else None for each in questions]

    def _attend(self, model: Model, identity: Hashable, run: Run, answer: Awaited | None) -> AttentionTrace:
        def compute() -> AttentionTrace:
            with suppress(WorkerLostError):
                asked = answer or self._ask([run])[0]
                if asked is not None:
                    trace, milliseconds = asked.wait()
                    self._traces.tell(identity, milliseconds)
                    return trace
            return self.run_here(model, run)

        return self._traces.get(identity, compute)

    def run_here(self, model: Model, run: Run) -> AttentionTrace:
        """Run a model in this process: ours one at a time, since two that share the lock take longer than in turn."""
        # Ours write a token a step: what is shared out among cores is so small that they spend most of it waiting.
        with cores_for(run.source) if models.is_pretrained(run.key) else one_at_a_time(self._one):
            try:
                with asking(leave_if_asked):
                    return model.attend(run.source, run.target, **run.every_option)
            except (Exception, *ENDINGS):
                raise
            except BaseException as error:  # a panic of Rust, which would end the thread of whoever asks
                said = Message("{title} cannot read this text ({reason}).", title=model.title, reason=error)
                raise models.InputError(said) from error
