"""Scores that a causal mask hides: those of the words after the query, which are not written yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionMap, AttentionTrace
from viz.views.view import View

FARTHEST = 80.0
"""A score whose exponential float32 holds."""


def later_words(trace: AttentionTrace) -> AttentionTrace:
    """Return `trace` with the exponentials of the hidden scores in the place of the weights, 0 elsewhere.

    So they are merged and hidden as weights are: of a word of several subwords the score is the one whose exponential
    is their sum. Maps whose scores were not captured are left out.
    """
    return replace(
        trace, maps=tuple(map(_later, (each for each in trace if each.causal and "scores" in each.companions)))
    )


def _later(shown: AttentionMap) -> AttentionMap:
    scores = np.clip(shown.companions["scores"], -FARTHEST, FARTHEST)
    hidden = np.triu(np.exp(scores, dtype=np.float32), 1)  # [head, query, key]
    return replace(shown, weights=hidden, companions={}, rows_sum_to_one=False, causal=False)


def scores_of(later: View) -> NDArray[np.float64]:
    """Return the scores of the cells of a view of `later_words` that the mask hides, nan in the others.

    Shapes: returns [query, key].
    """
    hidden = np.array(later.weights, np.float64)
    if later.hidden_keys:
        hidden[:, -1] = 0  # the sum of what is left out
    return np.log(hidden, out=np.full_like(hidden, np.nan), where=hidden > 0)
