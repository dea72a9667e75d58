"""What heads add to a prediction, and what each layer would predict: asked of a model here or in the service."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from models.experiments.logits import LogitAttribution, LogitLens
from models.trace import AttentionTrace
from viz.server.caching import BoundedCache
from viz.server.queueing import one_at_a_time

if TYPE_CHECKING:
    from viz.server.runtime import Host

Logits = tuple[LogitAttribution, LogitLens]

_TURN = Lock()
_KEPT: BoundedCache[Logits] = BoundedCache(16 * 2**20)


@runtime_checkable
class ServedLogits(Protocol):
    """A model of the service, which is asked for its logits."""

    def logits(self, trace: AttentionTrace, position: int) -> Logits:
        """Return what makes up the prediction at `position`, and what each layer would predict there."""


def logits_of(host: Host, key: str, trace: AttentionTrace, position: int) -> Logits:
    """Return what makes up the prediction at `position`, and what each layer would predict there; kept."""
    model = host.model(key)

    def work_out() -> Logits:
        if isinstance(model, ServedLogits):
            return model.logits(trace, position)
        from models.experiments.logit_attribution import logit_attribution, logit_lens
        from models.experiments.residual_stream import residual_stream

        with one_at_a_time(_TURN):
            stream = residual_stream(model, trace, position)
            return logit_attribution(stream), logit_lens(stream)

    return _KEPT.get((key, model.sha256, trace.source.ids, trace.target.ids, position), work_out)
