"""Runs whose whole record would not fit: pooled layer by layer, the maps of a few layers kept."""

from __future__ import annotations

from collections.abc import Iterable

from models.model import Model
from models.sites import Site
from models.trace import AttentionTrace
from viz.canvas.layerwise import LayerPooling
from viz.canvas.overview import SmallMaps
from viz.server.runtime import Host
from viz.server.traces import TRACE_BYTES

_NUMBER = 4  # bytes of a weight in float32


def record_bytes(model: Model, text: str) -> int:
    """Return the bytes of all maps of a causal model on `text`; 0 if they fit, and for another kind of model."""
    from models.huggingface.model import PretrainedModel

    if not isinstance(model, PretrainedModel) or model.kind != "decoder" or not model.editable:
        return 0
    heads = sum(model.heads.values())
    if _NUMBER * heads * (len(text.encode("utf8", "replace")) + 2) ** 2 <= TRACE_BYTES:  # no more tokens than bytes
        return 0
    size = _NUMBER * heads * len(model.reader.read(text).tokens) ** 2
    return size if size > TRACE_BYTES else 0


def attend_layerwise(host: Host, key: str, text: str, whole: Iterable[Site]) -> tuple[AttentionTrace, SmallMaps]:
    """Return the trace of `text` with the maps of the places `whole` alone, and all heads as small pictures."""
    from models.hooks import taking

    places, identity = tuple(sorted(whole)), host.identify(key, text)
    pooled: list[SmallMaps] = []

    def run() -> AttentionTrace:
        pooling = LayerPooling(whole=places)
        with taking(pooling.take):
            trace = host.run_here(key, text)
        pooled.append(pooling.small)
        return trace

    def small() -> SmallMaps:
        if not pooled:
            run()
        return pooled[0]

    trace = host.traces.get((identity, "layers", places), run)
    return trace, host.workings.get((identity, "layers"), small)
