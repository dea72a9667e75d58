"""The walk of the captioner of scenes: Bahdanau's score, on annotation vectors of cells."""

from __future__ import annotations

from viz.walk import scores, weights
from viz.walk.scene import Letters
from viz.walk.steps import Walk

SHOW_TELL = Walk(
    (
        r"[[context:z_t = \sum_i [[softmax:\operatorname{softmax}_i\big([[scores:v^\top "
        r"[[features:\tanh(W h_{t-1} + U a_i)]]]]\big)]]\, a_i]]",
    ),
    (scores.FEATURES, scores.ADDITIVE, weights.SOFTMAX, weights.CONTEXT),
    Letters(query="h", key="U a", value="a", weight=r"\alpha", context="z"),
)
