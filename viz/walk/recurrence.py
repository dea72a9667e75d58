"""Walk parts of a GRU or LSTM step, gate by gate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _
from viz.text.tokens import visible
from viz.views.strips import Strip
from viz.walk.digits import factor, number, waterfall
from viz.walk.scene import Scene
from viz.walk.scores import exact
from viz.walk.steps import Worked

Vector = NDArray[np.float64]

EMBEDDING = ("embedding.weight",)
GRU = ("cell.weight_ih", "cell.weight_hh", "cell.bias_ih", "cell.bias_hh")
LSTM = ("decoder.weight_ih_l0", "decoder.weight_hh_l0", "decoder.bias_ih_l0", "decoder.bias_hh_l0")


def _sigmoid(values: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-values)))


def read_in(scene: Scene, row: int, table: str = "embedding.weight") -> Vector:
    """Return the embedding of the word that step `row` reads in, scaled to unit variance.

    Shapes: returns [d].
    """
    embedding = scene.parameters[table]
    vector: Vector = exact(embedding[scene.trace.target_input.ids[row]]) * embedding.shape[1] ** 0.5
    return vector


def read_in_strip(scene: Scene, row: int, table: str = "embedding.weight") -> Strip:
    """Return the strip of what `read_in` gives."""
    word = visible(scene.trace.target_input.texts[row])
    return Strip(_("the word before, read in: {word}", word=word), "y", read_in(scene, row, table)[None])


def parameters_of(scene: Scene, names: tuple[str, ...]) -> tuple[Vector, ...]:
    """Return parameters by their names, in the precision in which digits are added up."""
    return tuple(exact(scene.parameters[name]) for name in names)


class _Gru(NamedTuple):
    """A GRU's gates and its new state; torch's own form."""

    keep: Vector
    candidate: Vector
    state: Vector


def _gru(weights: tuple[Vector, ...], read: Vector, state: Vector) -> _Gru:
    """Return one step for the input `read`; `weights` are those of torch's cell: input, recurrent, and their biases."""
    enter, recur, enter_bias, recur_bias = weights
    inner = np.split(enter @ read + enter_bias, 3)
    own = np.split(recur @ state + recur_bias, 3)
    reset, keep = _sigmoid(inner[0] + own[0]), _sigmoid(inner[1] + own[1])
    candidate = np.tanh(inner[2] + reset * own[2])
    return _Gru(keep, candidate, (1 - keep) * candidate + keep * state)


class _Lstm(NamedTuple):
    """An LSTM's gates, its new cell and its new state."""

    enter: Vector
    forget: Vector
    new: Vector
    leave: Vector
    cell: Vector
    state: Vector


def _lstm(gates: Vector, cell: Vector) -> _Lstm:
    """Return one step for the sums that enter the gates, [4 * d]."""
    enter, forget, new, leave = np.split(gates, 4)
    enter, forget, leave, new = _sigmoid(enter), _sigmoid(forget), _sigmoid(leave), np.tanh(new)
    cell = forget * cell + enter * new
    return _Lstm(enter, forget, new, leave, cell, leave * np.tanh(cell))


def _work_out_gru(made: _Gru, before: Vector, after: NDArray[Any], step: int) -> tuple[int, Worked]:
    """Work out the largest component of the new state: give which it is, and the digits."""
    k = int(np.abs(after).argmax())
    keep, candidate, old = float(made.keep[k]), float(made.candidate[k]), float(before[k])
    computed = float(made.state[k])
    lines = (
        rf"z_{{[{k}]}} = {number(keep)}, \quad n_{{[{k}]}} &= {number(candidate)}",
        rf"s_{{{step},[{k}]}} = (1 - z)\, n + z\, s_{{{step - 1}}} &= (1 - {number(keep)}) \cdot {factor(candidate)} "
        rf"+ {number(keep)} \cdot {factor(old)} = {number(computed, 4)}",
    )
    parts = np.array([(1 - keep) * candidate, keep * old])
    labels = (
        _("new: {gate} of {value}", gate=f"{1 - keep:.0%}", value=f"{candidate:.3g}"),
        _("kept: {gate} of {value}", gate=f"{keep:.0%}", value=f"{old:.3g}"),
    )
    fall = waterfall(_("Component {place} of the next state", place=k), parts, labels.__getitem__)
    return k, Worked(lines, computed, float(after[k]), fall)


def _work_out_lstm(made: _Lstm, before: Vector, after: NDArray[Any], step: int) -> tuple[int, Worked]:
    """Work out the largest component of the new state: give which it is, and the digits."""
    k = int(np.abs(after).argmax())
    cell, computed = float(made.cell[k]), float(made.state[k])
    kept = rf"{number(float(made.forget[k]))} \cdot {factor(float(before[k]))}"
    new = rf"{number(float(made.enter[k]))} \cdot {factor(float(made.new[k]))}"
    named = r"\text{" + _("cell") + "}"
    lines = (
        rf"{named}_{{[{k}]}} = f \cdot {named} + i \cdot g &= {kept} + {new} = {number(cell)}",
        rf"s_{{{step},[{k}]}} = o \cdot \tanh({named}) &= {number(float(made.leave[k]))} \cdot "
        rf"\tanh({number(cell)}) = {number(computed, 4)}",
    )
    forget, enter = float(made.forget[k]), float(made.enter[k])
    parts = np.array([enter * float(made.new[k]), forget * float(before[k])])
    labels = (
        _("new: {gate} of {value}", gate=f"{enter:.0%}", value=f"{made.new[k]:.3g}"),
        _("kept: {gate} of {value}", gate=f"{forget:.0%}", value=f"{before[k]:.3g}"),
    )
    fall = waterfall(_("Component {place} of the next cell", place=k), parts, labels.__getitem__)
    return k, Worked(lines, computed, float(after[k]), fall)


def state_strip(values: NDArray[Any], *, k: int | None = None, made: bool = False) -> Strip:
    """Return the decoder's state before a step, or the one that the step has made.

    Shapes: `values` [d].
    """
    name = _("decoder state after this step") if made else _("decoder state before this step")
    return Strip(name, "s", values[None], marked=(None, k), made=made)


def gru_step(
    scene: Scene, entering: Strip, before: NDArray[Any], after: NDArray[Any]
) -> tuple[tuple[Strip, ...], Worked]:
    """Return strips and digits of a step from state `before` to `after`: the word and `entering` are read in.

    Shapes: `before` [d]; `after` [d].
    """
    read = np.concatenate((read_in(scene, scene.row), exact(entering.values[0])))
    made = _gru(parameters_of(scene, GRU), read, exact(before))
    k, worked = _work_out_gru(made, exact(before), after, scene.row + 1)
    strips = (state_strip(before, k=k), read_in_strip(scene, scene.row), entering, state_strip(after, k=k, made=True))
    return strips, worked


def lstm_step(
    scene: Scene, row: int, after: NDArray[Any], *, number_after: int, fed: Vector | float = 0.0
) -> tuple[int, Worked]:
    """Work out step `row`, whose gates get `fed` beside the word and the state before.

    Shapes: `after` [d]; `fed` [4 * d].
    """
    before, cell = exact(scene.states[0][row]), exact(scene.states[1][row])
    enter, recur, enter_bias, recur_bias = parameters_of(scene, LSTM)
    gates = enter @ read_in(scene, row) + enter_bias + recur @ before + recur_bias + fed
    return _work_out_lstm(_lstm(gates, cell), cell, after, number_after)
