"""The classifier on [CLS], before fine-tuning and after: run by a model of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.readers.cls_table import classifies
from models.trace import AttentionTrace
from viz.server.caching import BoundedCache

if TYPE_CHECKING:
    from models.readers.cls_classifier import Classified
    from viz.server.runtime import Host

_KEPT: BoundedCache[Classified] = BoundedCache(16 * 2**20)


def has_classifier(host: Host, key: str) -> bool:
    """Return whether the model of `key` runs here and has a classifier on [CLS]."""
    model = host.model(key)
    return hasattr(model, "watched") and classifies(key, model.sha256)


def classified_of(host: Host, trace: AttentionTrace) -> Classified:
    """Return what both classifiers say of the text of `trace`."""
    model: Any = host.model(trace.provenance.checkpoint)

    def work_out() -> Classified:
        from models.readers.cls_classifier import classify

        return classify(model, trace.source_text)

    return _KEPT.get((model.sha256, trace.source_text), work_out)
