"""What is added up before the first layer: token, segment and position vectors, by a model of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.trace import AttentionTrace
from viz.server.caching import BoundedCache

if TYPE_CHECKING:
    from models.huggingface.embedding_sum import EmbeddingSum
    from viz.server.runtime import Host

_KEPT: BoundedCache[EmbeddingSum] = BoundedCache(16 * 2**20)


def has_embedding_sum(host: Host, key: str) -> bool:
    """Return whether the model of `key` runs here and adds up vectors of tokens and positions."""
    model = host.model(key)
    if not hasattr(model, "watched"):
        return False
    from models.huggingface.embedding_sum import adds_embeddings

    return adds_embeddings(model)


def embedding_sum_of(host: Host, trace: AttentionTrace) -> EmbeddingSum:
    """Return what was added up for each token of `trace`."""
    model: Any = host.model(trace.provenance.checkpoint)
    source, _line, pair = trace.source_text.partition("\n") if trace.source.segments else (trace.source_text, "", "")

    def work_out() -> EmbeddingSum:
        from models.huggingface.embedding_sum import embedding_sum

        return embedding_sum(model, source, pair or None)

    return _KEPT.get((model.key, model.sha256, source, pair), work_out)
