"""What a pattern leaves of a map, and which tokens meet, against sets that grow layer by layer."""

from __future__ import annotations

import numpy as np
import pytest

import models
from models.edits import PATTERNS, near, top_k
from viz.measures.limited import pairs_met, share_kept

WEIGHTS = np.array([[[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.1, 0.3]]])


def test_the_share_kept_is_what_lies_on_the_keys_left() -> None:
    assert share_kept(WEIGHTS, near("encoder.0.self", 1)) == pytest.approx((0.8 + 1.0 + 0.4) / 3)
    assert share_kept(WEIGHTS, top_k("encoder.0.self", 1)) == pytest.approx((0.5 + 0.7 + 0.6) / 3)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_pairs_that_met_are_those_of_sets_that_grow_layer_by_layer(name: str) -> None:
    trace = models.load("transformer-en-fr").attend(
        "The cat drank the milk.", edits=[PATTERNS[name]("encoder.*.self", 2)]
    )
    tokens = range(len(trace.source))
    known = {token: {token} for token in tokens}
    for layer in range(3):
        weights = trace[f"encoder.{layer}.self"].weights
        known = {i: set().union(*(known[j] for j in tokens if weights[:, i, j].max() > 0)) for i in tokens}
    assert pairs_met(trace) == pytest.approx(sum(map(len, known.values())) / len(tokens) ** 2)
