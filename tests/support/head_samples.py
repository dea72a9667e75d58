"""Traces of a Transformer made by hand: self maps of both stacks and cross maps, all heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, TokenSequence
from tests.support.figure_samples import rows, translation

KINDS = {
    "encoder.*.self": ("encoder", "self"),
    "decoder.*.self": ("decoder", "self"),
    "decoder.*.cross": ("decoder", "cross"),
}


def transformer(
    source: Sequence[str] | TokenSequence = ("the", "cat", "sleeps", "</s>"),
    target: Sequence[str] | TokenSequence = ("le", "chat", "dort", "</s>"),
    *,
    layers: int = 3,
    heads: int = 8,
    seed: int = 0,
    **changes: object,
) -> AttentionTrace:
    """Make the trace of a Transformer; `changes` go to its provenance."""
    trace = translation(source, target, heads=heads, layers=layers, seed=seed, title="Multi-head", year=2017, **changes)
    read, written = trace.source, trace.target_input
    maps = list(trace.maps)
    for layer in range(layers):
        own = rows(heads, len(read), len(read), seed=seed + 100 + layer)
        maps.append(AttentionMap(Site("encoder", layer, "self"), own, read, read))
        own = np.tril(rows(heads, len(written), len(written), seed=seed + 200 + layer)) + 1e-6 * np.eye(len(written))
        own = np.tril(own / own.sum(axis=-1, keepdims=True))
        maps.append(AttentionMap(Site("decoder", layer, "self"), own, written, written, causal=True))
    return replace(trace, maps=tuple(maps))


def weights_of(trace: AttentionTrace, sites: str, layer: int, head: int, *, unit: str = "word") -> np.ndarray:
    """Return the weights of one head: float32 [query, key]."""
    stack, kind = KINDS[sites]
    found = trace[Site(stack, layer, kind)]
    return (found.to_words() if unit == "word" else found).weights[head]
