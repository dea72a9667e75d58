"""Traces for the canvas overview: small, large, long, and with tokens that must not be taken for markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from models.sites import Site
from models.trace import AttentionMap, AttentionTrace
from tests.support.figure_samples import pieces, provenance
from tests.support.head_samples import transformer

SITES = "encoder.*.self"
HOSTILE = "<img src=x onerror=window.harmed=1>"


def encoder(count: int, *, layers: int, heads: int, seed: int = 0) -> AttentionTrace:
    """Make the trace of an encoder whose heads do different things: near and far, first and last, broad."""
    text = pieces([f"word{place}" for place in range(count - 1)] + ["</s>"])
    generator = np.random.default_rng(seed)
    place = np.arange(count)
    maps = []
    for layer in range(layers):
        offset = generator.integers(-2, 3, size=(heads, 1, 1))
        near = -np.abs(place[None, None, :] - place[None, :, None] - offset) * generator.uniform(0, 3, (heads, 1, 1))
        sinks = generator.uniform(0, 6, (heads, 1, 2)) * (generator.random((heads, 1, 2)) < 0.3)
        scores = near + generator.normal(size=(heads, count, count))
        scores[:, :, [0, -1]] += sinks
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)
        maps.append(AttentionMap(Site("encoder", layer, "self"), weights, text, text))
    nothing = pieces(())
    return AttentionTrace(text, nothing, nothing, tuple(maps), (), "", "", provenance(decoding="none"))


SAMPLES: Mapping[str, Callable[[], AttentionTrace]] = {
    "small": lambda: transformer("the old cat saw the other cat , 我 🔥 أحب </s>".split()),
    "large": lambda: encoder(128, layers=6, heads=12),
    "hostile": lambda: transformer(
        (HOSTILE, "<s>", "<b>bold</b>", "{head}", "", "\u202eabc", "</s>"), layers=2, heads=3
    ),
}
