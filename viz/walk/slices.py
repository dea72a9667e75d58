"""Walk parts of the N-gram RNN: slices of its last outputs (Daniluk et al. 2017)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.digits import number, products, products_fall
from viz.walk.memory import TABLE, predict_next
from viz.walk.scene import Scene, piece_of
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Walk, Worked

Vector = NDArray[np.float64]

SLICES = 3
"""How many outputs the shipped one puts side by side: N - 1."""


def _slices(scene: Scene) -> list[Vector]:
    """Return of the last outputs, the newest first, the slice that is put beside the others; zeros before the text."""
    outputs = exact(scene.states[0])
    size = outputs.shape[1] // SLICES
    rows = [max(scene.row + 1 - back, 0) for back in range(SLICES)]  # row 0 is before the first token: zeros
    return [outputs[row, back * size : (back + 1) * size] for back, row in enumerate(rows)]


def _from_slices(scene: Scene) -> Vector:
    assert scene.trace.vectors is not None
    return exact(scene.trace.vectors[scene.row])


def _beside(scene: Scene) -> Built:
    slices, outputs = _slices(scene), exact(scene.states[0])
    places = range(scene.row, max(scene.row - SLICES, -1), -1)
    joined = np.concatenate(slices)
    k = int(np.abs(joined).argmax())
    back, within = divmod(k, len(slices[0]))
    says = _(
        "No weights: three slices are concatenated. The first third comes from the output at “{query}”. The second "
        "third comes from one token before, the last from two tokens before. Before the text there are zeros.",
        query=scene.query_word,
    )
    own = tuple(piece_of(scene.queries, place) for place in places)
    strips = (
        Strip(_("the last outputs, the newest first"), "h", outputs[[place + 1 for place in places]], rows=own),
        Strip(_("slices side by side"), "h^1; h^2; h^3", joined[None], marked=(None, k), made=True),
    )
    line = (
        rf"[h^1; h^2; h^3]_{{[{k}]}} = h^{{{back + 1}}}_{{{scene.row + 1 - back},[{within}]}} &= {number(joined[k], 4)}"
    )
    source = float(outputs[max(scene.row + 1 - back, 0), k])
    return says, strips, Worked((line,), source, float(joined[k]))


def _from_beside(scene: Scene) -> Built:
    joined, after = np.concatenate(_slices(scene)), _from_slices(scene)
    k = int(np.abs(after).argmax())
    row = scene.parameters["join.weight"][k]
    digits, total = products(row, joined)
    computed = float(np.tanh(total))
    says = _("One matrix and a tanh turn the slices into the vector that predicts the next word.")
    strips = (
        Strip(_("slices side by side"), "h^1; h^2; h^3", joined[None]),
        row_of(scene.parameters["join.weight"], k, "W^N"),
        Strip(_("vector the word is chosen from"), "h*", after[None], marked=(None, k), made=True),
    )
    lines = (
        rf"(W^N [h^1; h^2; h^3])_{{[{k}]}} &= {digits} = {number(total)}",
        rf"h^*_{{{scene.row_name},[{k}]}} &= \tanh({number(total)}) = {number(computed, 4)}",
    )
    fall = products_fall(_("Component {place} of the state, before tanh", place=k), row, joined)
    return says, strips, Worked(lines, computed, float(after[k]), fall)


N_GRAM_WALK = Walk(
    (
        r"[[next:h^*_t = \tanh(W^N [[vector:[h^1_t; h^2_{t-1}; h^3_{t-2}]]])]]",
        r"[[predict:p = \operatorname{softmax}(E\, h^*_t + b)]]",
    ),
    (
        Part("vector", mark("Slices side by side"), _beside),
        Part("next", mark("Slices joined"), _from_beside, ("join.weight",)),
        Part("predict", mark("The next word"), predict_next(_from_slices), TABLE),
    ),
    needs_states=True,
    back=SLICES,
)
