"""Walk parts of local attention: the position of its window."""

from __future__ import annotations

import numpy as np

from viz.text.counting import position_name, position_number
from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.digits import from_zero, number, products, products_fall
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, query_strip, row_of
from viz.walk.steps import Part, Worked


def _centre_strip(scene: Scene) -> Strip:
    return Strip(
        _("window: its centre, counted from 0, and its half-width"),
        "p, D",
        scene.of_query("centre")[None],
        columns=("p", "D"),
        marked=(None, 0),
        made=True,
    )


def _monotonic_centre(scene: Scene) -> Built:
    last = scene.count - 1
    computed = float(min(scene.row, last))
    named = {"row": scene.row_name, "place": position_name(int(computed))}
    if scene.row > last:
        says = _("The source has no token {row}: the window stays at the last one, {place}.", **named)
    else:
        says = _("The window moves by one token a step: step {row} looks around source token {place}.", **named)
    line = rf"p_{{{scene.row_name}}} &= \min({scene.row}, {last}) = {number(computed)} \quad {from_zero()}"
    return says, (_centre_strip(scene),), Worked((line,), computed, float(scene.of_query("centre")[0]))


def _predicted_centre(scene: Scene) -> Built:
    matrix, vector = scene.parameters["position_weight.weight"], scene.parameters["position_vector"]
    query = scene.of_query("query")
    hidden = np.tanh(exact(matrix) @ exact(query))
    k = int(np.abs(hidden * vector).argmax())
    inner, projected = products(matrix[k], query)
    digits, share = products(vector, hidden)
    computed = scene.count / (1 + float(np.exp(-share)))
    says = _(
        "From the decoder state, {reader} predicts where to look: around token {centre} of {count}.",
        reader=scene.reader,
        centre=f"{position_number(computed):.2f}",
        count=scene.count,
    )
    strips = (
        query_strip(scene),
        row_of(matrix, k, "W_p"),
        Strip(_("hidden layer, computed here"), "tanh(W_p s)", hidden[None], marked=(None, k)),
        Strip(_("parameters: a vector"), "v_p", vector[None], marked=(None, k)),
        _centre_strip(scene),
    )
    centre = rf"p_{{{scene.row_name}}} &= {scene.count} \cdot \sigma({number(share)}) = {number(computed, 4)}"
    lines = (
        rf"\tanh(W_p s)_{{{k}}} &= \tanh({inner}) = \tanh({number(projected)}) = {number(float(hidden[k]))}",
        rf"v_p^\top \tanh(W_p s) &= {digits} = {number(share)}",
        rf"{centre} \quad {from_zero()}",
    )
    fall = products_fall(_("Input of the sigmoid, a sum of products"), vector, hidden)
    return says, strips, Worked(lines, computed, float(scene.of_query("centre")[0]), fall)


MONOTONIC_CENTRE = Part("centre", mark("Window: its position"), _monotonic_centre)
PREDICTED_CENTRE = Part(
    "centre", mark("Window: its position"), _predicted_centre, ("position_weight.weight", "position_vector")
)
