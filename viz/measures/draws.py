"""Statistics of hard-attention samples: how often each word was attended to, and which translations followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionTrace

PROBABILITIES = "probabilities"
"""The companion of a map of hard attention that holds what each row is drawn from, [head, query, key]."""


def as_probabilities(trace: AttentionTrace) -> AttentionTrace:
    """Return `trace` with the probabilities in the place of what was read."""
    (found,) = trace.maps
    return replace(trace, maps=(replace(found, weights=found.companions[PROBABILITIES], companions={}),))


def as_shares(drawn: Sequence[AttentionTrace]) -> AttentionTrace:
    """Return the first of `drawn` with the share of all of them that read each word in the place of what it read.

    Its provenance names no edit: each run had one of its own, its seed.
    """
    first = drawn[0]
    if any((each.source, each.target) != (first.source, first.target) for each in drawn):
        message = "draws are counted on one source and one target; got several"
        raise ValueError(message)
    every = np.stack([each.maps[0].weights for each in drawn])
    shares = np.asarray(every.mean(axis=0, dtype=np.float64), dtype=np.float32)
    told = replace(first.provenance, edits=())
    return replace(first, provenance=told, maps=(replace(first.maps[0], weights=shares, companions={}),))


def share_of_likeliest(drawn: Sequence[AttentionTrace]) -> float:
    """Return in which share of all rows the draw fell on the likeliest place of its own row."""
    hits: list[NDArray[np.bool_]] = []
    for each in drawn:
        (found,) = each.maps
        hits.append((found.weights.argmax(-1) == found.companions[PROBABILITIES].argmax(-1)).ravel())
    return float(np.concatenate(hits).mean())


@dataclass(frozen=True, slots=True)
class DrawnTranslation:
    """A translation, and the draws that it came of."""

    text: str
    seeds: tuple[int, ...]  # in order


def translations_of(written: Mapping[int, str]) -> tuple[DrawnTranslation, ...]:
    """Return each translation once, the most frequent first, of equal ones the one of the lowest seed."""
    seeds: dict[str, list[int]] = {}
    for seed in sorted(written):
        seeds.setdefault(written[seed], []).append(seed)
    ordered = sorted(seeds.items(), key=lambda each: (-len(each[1]), each[1][0]))
    return tuple(DrawnTranslation(text, tuple(found)) for text, found in ordered)
