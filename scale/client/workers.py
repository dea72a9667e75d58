"""The service as what answers questions, beside the crew of this machine's own processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from models.trace import AttentionTrace
from scale.client.model import record_in
from scale.client.service import Service
from scale.serve.wire import Request
from viz.server.queueing import wait_for

if TYPE_CHECKING:
    from scale.client.service import Call
    from viz.server.run_request import RunRequest


class ServedAnswer:
    """What the service was asked, and will answer; see `viz.server.worker_pool.Awaited`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def wait(self) -> tuple[AttentionTrace, float]:
        """Return the record, and the milliseconds that the run took; raises as the model does."""
        try:
            data, milliseconds = wait_for(self._call.future)
        finally:
            self.leave()
        return record_in(data), milliseconds

    def leave(self) -> None:
        """Take the question back, if it is not answered."""
        if not self._call.future.done():
            self._call.leave()


class ServiceWorkers:
    """The service as what answers questions; see `viz.server.worker_pool.Elsewhere`."""

    has_all = True

    def __init__(self, service: Service) -> None:
        self._service = service

    def warm_up(self, keys: Iterable[str]) -> None:
        """Load nothing: the service does, by itself."""

    def ask(self, questions: Sequence[RunRequest]) -> list[ServedAnswer]:
        """Ask several questions at once."""
        begun = []
        for each in questions:
            asked = (each.key, each.source, each.target, each.pair, each.edits, each.sites)
            request = Request("attend", *asked, write=each.write)
            begun.append(ServedAnswer(self._service.begin(request)))
        return begun
