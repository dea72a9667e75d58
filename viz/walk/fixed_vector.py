"""Walk parts of models without attention: one fixed vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, _n, mark
from viz.views.strips import Strip
from viz.walk.digits import number, products, products_fall
from viz.walk.recurrence import EMBEDDING, GRU, LSTM, gru_step, lstm_step, read_in_strip, state_strip
from viz.walk.scene import Scene
from viz.walk.scores import Built, row_of
from viz.walk.steps import Part, Worked


def source_vector(scene: Scene) -> tuple[NDArray[Any], Strip]:
    """Return all that the decoder gets of the source, and its strip."""
    if scene.vector is None:
        message = "the walk needs the vector of models.experiments.arithmetic.decoder_run"
        raise KeyError(message)
    name = _n(
        "the one vector: everything the decoder sees of {count} source token",
        "the one vector: everything the decoder sees of {count} source tokens",
        len(scene.trace.source),
    )
    return scene.vector, Strip(name, "c", scene.vector[None])


def _summary(scene: Scene) -> Built:
    vector, strip = source_vector(scene)
    matrix, after = scene.parameters["initial.weight"], scene.states[0][0]
    k = int(np.abs(after).argmax())
    digits, total = products(matrix[k], vector)
    computed = float(np.tanh(total))
    says = _(
        "No scores and no weights: the whole sentence, however long, is in one vector of {size} numbers.",
        size=len(vector),
    )
    strips = (
        strip,
        row_of(matrix, k, "V'"),
        Strip(_("first state of the decoder"), "s_0", after[None], marked=(None, k), made=True),
    )
    line = rf"s_{{0,[{k}]}} &= \tanh({digits}) = {number(computed, 4)}"
    fall = products_fall(_("Component {place} of the state, before tanh", place=k), matrix[k], vector)
    return says, strips, Worked((line,), computed, float(after[k]), fall)


def _copied(scene: Scene) -> Built:
    vector, strip = source_vector(scene)
    first = np.concatenate([states[0] for states in scene.states])
    k = int(np.abs(vector).argmax())
    says = _(
        "No scores and no weights. The source is read in reverse. The decoder starts from the final state ({state} "
        "numbers) and cell ({cell} numbers).",
        state=len(scene.states[0][0]),
        cell=len(scene.states[1][0]),
    )
    name = _("first state of the decoder, then its cell")
    strips = (strip, Strip(name, "s_0", first[None], marked=(None, k), made=True))
    line = rf"s_{{0,[{k}]}} &= v_{{[{k}]}} = {number(float(vector[k]), 4)}"
    return says, strips, Worked((line,), float(vector[k]), float(first[k]))


def _gru_of_vector(scene: Scene) -> Built:
    says = _("Every step gets the same vector, whichever word is written: there is nothing to choose.")
    states = scene.states[0]
    return says, *gru_step(scene, source_vector(scene)[1], states[scene.row], states[scene.row + 1])


def _lstm_alone(scene: Scene) -> Built:
    before, after = scene.states[0][scene.row : scene.row + 2]
    k, worked = lstm_step(scene, scene.row, after, number_after=scene.row + 1)
    says = _("The decoder never looks at the source again. State and cell carry all it knows.")
    strips = (
        state_strip(before, k=k),
        read_in_strip(scene, scene.row),
        state_strip(after, k=k, made=True),
    )
    return says, strips, worked


SUMMARY = Part("vector", mark("The one vector"), _summary, ("initial.weight",))
COPIED = Part("vector", mark("State and cell handed over"), _copied)
GRU_OF_VECTOR = Part("next", mark("Into the GRU"), _gru_of_vector, (*GRU, *EMBEDDING))
LSTM_ALONE = Part("next", mark("The next state"), _lstm_alone, (*LSTM, *EMBEDDING))
