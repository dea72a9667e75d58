"""The second segment of a text, read with the memory of the first or without: run by a model of this process."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from models.readers.segment_table import WAYS, Way
from models.trace import AttentionTrace
from viz.server.caching import BoundedCache
from viz.server.queueing import one_at_a_time

if TYPE_CHECKING:
    from models.readers.segments import SegmentRead
    from viz.server.runtime import Host

_TURN = Lock()
_KEPT: BoundedCache[dict[Way, SegmentRead]] = BoundedCache(16 * 2**20)


def reads_segments(host: Host, key: str) -> bool:
    """Return whether the model of `key` runs here, so that it can be given positions."""
    return hasattr(host.model(key), "watched")


def segments_of(host: Host, key: str, trace: AttentionTrace, first: int) -> dict[Way, SegmentRead]:
    """Return what the tokens of `trace` from `first` on attend to and predict, by the way in which they are read."""
    model: Any = host.model(key)
    ids = list(trace.source.ids)

    def work_out() -> dict[Way, SegmentRead]:
        from models.readers.segments import read_segment

        with one_at_a_time(_TURN):
            return {way: read_segment(model, ids, first, way) for way in WAYS}

    return _KEPT.get((key, model.sha256, tuple(ids), first), work_out)
