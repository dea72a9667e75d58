"""Walk parts of the RCTM: pyramid of convolutions, recurrent language model."""

from __future__ import annotations

import numpy as np

from viz.measures.pyramid import PARAMETERS, embedded, fold
from viz.text.language import _, listed, mark
from viz.views.strips import Strip
from viz.walk.digits import factor, number, products, products_fall, waterfall
from viz.walk.fixed_vector import source_vector
from viz.walk.recurrence import EMBEDDING, parameters_of, read_in, read_in_strip, state_strip
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Worked


def _folded(scene: Scene) -> Built:
    vector, strip = source_vector(scene)
    found = fold(scene.parameters, embedded(scene.parameters, scene.trace.source.ids))
    k = int(np.abs(vector).argmax())
    says = _(
        "No scores and no weights. Convolutions fold the sentence row by row, each component on its own. One "
        "vector of {size} numbers is left. Cells in the rows: {cells}.",
        size=len(vector),
        cells=listed([str(len(row)) for row in found.rows]),
    )
    if not found.kernels:
        line = rf"e_{{[{k}]}} &= {number(float(vector[k]), 4)}"
        return says, (strip,), Worked((line,), float(found.top[k]), float(vector[k]))
    last, kernel = found.rows[-2], found.kernels[-1]
    digits, total = products(kernel[:, k], last[:, k])
    computed = float(np.tanh(total))
    strips = (
        Strip(_("the last row below the top: {count} cells", count=len(last)), "E", last, marked=(None, k)),
        Strip(_("the kernel at the top"), "L", kernel, marked=(None, k)),
        Strip(strip.name, "e", vector[None], marked=(None, k), made=True),
    )
    line = rf"e_{{[{k}]}} = \tanh({digits}) &= {number(computed, 4)}"
    fall = products_fall(_("Component {place} of the vector, before tanh", place=k), kernel[:, k], last[:, k])
    return says, strips, Worked((line,), computed, float(vector[k]), fall)


def _next(scene: Scene) -> Built:
    vector, strip = source_vector(scene)
    before, after = scene.states[0][scene.row : scene.row + 2]
    entering, recurrence, source = parameters_of(scene, _RECURRENT)
    k = int(np.abs(after).argmax())
    parts = np.array(
        [entering[k] @ read_in(scene, scene.row), recurrence[k] @ exact(before), source[k] @ exact(vector)]
    )
    computed = float(np.tanh(parts.sum()))
    says = _("Every step gets the same vector, whichever word is written: there is nothing to choose.")
    strips = (
        read_in_strip(scene, scene.row),
        state_strip(before, k=k),
        Strip(strip.name, "e", vector[None]),
        row_of(scene.parameters["source.weight"], k, "S"),
        state_strip(after, k=k, made=True),
    )
    line = (
        rf"h_{{{scene.row + 1},[{k}]}} = \tanh({number(float(parts[0]))} + {factor(float(parts[1]))} + "
        rf"{factor(float(parts[2]))}) &= {number(computed, 4)}"
    )
    names = (_("the word before"), _("the state before"), _("the one vector"))
    fall = waterfall(_("Component {place} of the state, before tanh", place=k), parts, names.__getitem__)
    return says, strips, Worked((line,), computed, float(after[k]), fall)


_RECURRENT = ("entering.weight", "recurrence.weight", "source.weight")
FOLDED = Part("vector", mark("The pyramid"), _folded, PARAMETERS)
NEXT = Part("next", mark("The next state"), _next, (*_RECURRENT, *EMBEDDING))
