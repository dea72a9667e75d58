"""Walk parts of a ConvS2S layer: convolution, gate, query, residuals."""

from __future__ import annotations

import numpy as np

from viz.text.language import _, _n, mark
from viz.text.tokens import visible
from viz.views.strips import Strip
from viz.walk.digits import factor, number, products, products_fall, waterfall
from viz.walk.output import OF_NETWORK, predict_of_layer
from viz.walk.recurrence import Vector, parameters_of
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Worked
from viz.walk.weights import context_strip

_EMBEDDING = "network.embedding.weight"
_SOURCE, _TARGET = "network.source_positions.weight", "network.target_positions.weight"
_ENTER = ("network.enter_decoder.weight", "network.enter_decoder.bias")
_LEAVE = ("network.leave_decoder.weight", "network.leave_decoder.bias")
_CONVOLUTION, _QUERY = ("convolution.weight", "convolution.bias"), ("query.weight", "query.bias")


def _embedded(scene: Scene, token: int, place: int, positions: str) -> Vector:
    """Return w + p of a token: e of the source, g of the target."""
    embedding, table = scene.parameters[_EMBEDDING], scene.parameters[positions]
    return np.asarray(exact(embedding[token]) + exact(table[place]))


def _read_in(scene: Scene, row: int) -> str:
    return visible(scene.trace.target_input.texts[row])


def _mapped(scene: Scene, names: tuple[str, ...], read: Vector, k: int) -> tuple[str, float]:
    """Write number `k` of a linear map of `read`: the sum of its products and the bias, and what it comes to."""
    matrix, bias = parameters_of(scene, names)
    digits, total = products(matrix[k], read)
    return f"{digits} + {factor(float(bias[k]))}", total + float(bias[k])


def _embed(scene: Scene) -> Built | None:
    if scene.map.site.layer:
        return None  # what comes from the layer before
    given = _embedded(scene, scene.trace.target_input.ids[scene.row], scene.row, _TARGET)
    after = scene.of_query("input")
    k = int(np.abs(after).argmax())
    matrix, bias = parameters_of(scene, _ENTER)
    digits, computed = _mapped(scene, _ENTER, given, k)
    says = _(
        "The input for the previous word, “{word}”, is its embedding row plus a learned vector of position {row}. "
        "Without it, a convolution does not know its position in the sentence.",
        word=_read_in(scene, scene.row),
        row=scene.row_name,
    )
    strips = (
        Strip(_("the word before and its position"), "g", given[None]),
        row_of(matrix, k, "W"),
        scene.strip("input", _("input of the first layer"), "x", k, made=True),
    )
    fall = products_fall(_("Component {place} of the vector", place=k), matrix[k], given, bias=float(bias[k]))
    line = rf"x_{{{scene.row_name},[{k}]}} &= {digits} = {number(computed, 4)}"
    return says, strips, Worked((line,), computed, float(after[k]), fall)


def _window(scene: Scene) -> Vector:
    """Return the inputs of the convolution, [k, d]: zeros before the first token."""
    inputs = exact(scene.map.companions["input"][0])
    width = scene.parameters["convolution.weight"].shape[1] // inputs.shape[1]
    known = np.concatenate((np.zeros((width - 1, inputs.shape[1])), inputs))
    return np.asarray(known[scene.row : scene.row + width])


def _convolve(scene: Scene) -> Built:
    read, after = _window(scene), scene.of_query("hidden")
    k = int(np.abs(after).argmax())
    matrix, bias = parameters_of(scene, _CONVOLUTION)
    digits, computed = _mapped(scene, _CONVOLUTION, read.reshape(-1), k)
    rows = range(scene.row - len(read) + 1, scene.row + 1)
    names = tuple(_read_in(scene, row) if row >= 0 else _("nothing, zeros") for row in rows)
    says = _n(
        "One matrix covers {count} position: that of the last word read in. No state passes from step to step. In "
        "training, all steps run at once.",
        "One matrix covers {count} positions: those of the last word read in and of the words before it. No state "
        "passes from step to step. In training, all steps run at once.",
        len(read),
    )
    strips = (
        Strip(_("what came in at the last positions"), "x", read, rows=names),
        row_of(matrix, k, "W"),
        scene.strip("hidden", _("convolution: twice the size, A and B"), "A B", k, made=True),
    )
    shares = np.append((matrix[k].reshape(read.shape) * read).sum(axis=1), bias[k])
    labels = (*names, _("bias"))
    fall = waterfall(_("Component {place} of the convolution", place=k), shares, labels.__getitem__)
    line = rf"[A; B]_{{{scene.row_name},[{k}]}} &= {digits} = {number(computed, 4)}"
    return says, strips, Worked((line,), computed, float(after[k]), fall)


def _gate(scene: Scene) -> Built:
    values, gates = np.split(exact(scene.of_query("hidden")), 2)
    shares, after = 1 / (1 + np.exp(-gates)), scene.of_query("read")
    k = int(np.abs(after).argmax())
    computed = float(values[k] * shares[k])
    says = _(
        "Gated linear unit: each component of B becomes a gate between 0 and 1. The gate says how much of the same "
        "component of A passes. Here {open} of {count} gates are more than half open.",
        open=int((shares > 0.5).sum()),
        count=len(shares),
    )
    strips = (
        Strip(_("numbers that may pass"), "A", values[None], marked=(None, k)),
        Strip(_("gates, computed here"), "\u03c3(B)", shares[None], "weights", marked=(None, k)),
        scene.strip("read", _("what passed: the state of this layer"), "h", k, made=True),
    )
    line = rf"h_{{{scene.row_name},[{k}]}} &= {factor(values[k])} \cdot \sigma({number(gates[k])})"
    last = rf"&= {factor(values[k])} \cdot {number(shares[k])} = {number(computed, 4)}"
    return says, strips, Worked((line, last), computed, float(after[k]))


def _query(scene: Scene) -> Built:
    state, after = exact(scene.of_query("read")), scene.of_query("query")
    target = _embedded(scene, scene.trace.target_input.ids[scene.row], scene.row, _TARGET)
    k = int(np.abs(after).argmax())
    digits, mapped = _mapped(scene, _QUERY, state, k)
    computed = mapped + float(target[k])
    says = _(
        "What {reader} looks for: the state times a matrix, plus the embedding of the previous word, “{word}”.",
        reader=scene.reader,
        word=_read_in(scene, scene.row),
    )
    strips = (
        scene.strip("read", _("the state of this layer"), "h"),
        row_of(scene.parameters["query.weight"], k, "W_d"),
        Strip(_("the word before and its position"), "g", target[None], marked=(None, k)),
        scene.strip("query", _("query"), "d", k, made=True),
    )
    parts = np.array([mapped, target[k]])
    names = (_("of the state"), _("of the word before"))
    fall = waterfall(_("Component {place} of the query", place=k), parts, names.__getitem__)
    lines = (
        rf"(W_d h + b_d)_{{[{k}]}} &= {digits} = {number(mapped)}",
        rf"d_{{{scene.row_name},[{k}]}} &= {number(mapped)} + {factor(target[k])} = {number(computed, 4)}",
    )
    return says, strips, Worked(lines, computed, float(after[k]), fall)


def _value(scene: Scene) -> Built:
    place = scene.column
    key, after = exact(scene.of_keys("key")[place]), scene.of_keys("value")
    entered = _embedded(scene, scene.trace.source.ids[place], place, _SOURCE)
    k = int(np.abs(after[place]).argmax())
    computed = float(key[k] + entered[k])
    says = _(
        "The value of “{word}” is the sum of two vectors: its encoder state, which knows the neighbours, and its "
        "own embedding. The embedding keeps the word itself.",
        word=scene.key_word,
    )
    strips = (
        Strip(_("key: the encoder state of the word"), "z", key[None], marked=(None, k)),
        Strip(_("the word's embedding and its position"), "e", entered[None], marked=(None, k)),
        Strip(_("values: what is passed on"), "z + e", after, rows=scene.keys, marked=(place, k), made=True),
    )
    names = (_("of the encoder"), _("of the embedding"))
    fall = waterfall(_("Component {place} of the value", place=k), np.array([key[k], entered[k]]), names.__getitem__)
    line = rf"(z + e)_{{{scene.column_name},[{k}]}} &= {number(key[k])} + {factor(entered[k])} = {number(computed, 4)}"
    return says, strips, Worked((line,), computed, float(after[place, k]), fall)


def _halved(scene: Scene, one: tuple[str, Vector], other: tuple[str, Vector], after: Vector) -> tuple[int, Worked]:
    """Work out a number of sqrt(0.5) times the sum of two vectors, each with its name."""
    half, k = 0.5**0.5, int(np.abs(after).argmax())
    first, second = float(one[1][k]), float(other[1][k])
    computed = half * (first + second)
    names = (one[0], other[0])
    fall = waterfall(_("Component {place} of the sum", place=k), half * np.array([first, second]), names.__getitem__)
    line = rf"\sqrt{{0.5}}\, ({number(first)} + {factor(second)}) &= {number(computed, 4)}"
    return k, Worked((line,), computed, float(after[k]), fall)


def _add(scene: Scene) -> Built:
    state, output, after = (scene.of_query(each) for each in ("read", "output", "joined"))
    root = len(scene.trace.source) ** 0.5
    k, worked = _halved(scene, (_("state"), exact(state)), (_("context"), exact(output)), exact(after))
    says = _(
        "The context vector is added to the state. It is first multiplied by the square root of {count}, the "
        "number of source tokens: a mean of many vectors is smaller than each of them.",
        count=len(scene.trace.source),
    )
    first = float(exact(scene.of_query("context"))[k])
    line = rf"\sqrt{{n}}\, c_{{[{k}]}} &= {number(root)} \cdot {factor(first)} = {number(float(output[k]))}"
    strips = (
        scene.strip("read", _("the state of this layer"), "h", k),
        context_strip(scene, marked=k),
        scene.strip("joined", _("state and context"), "h'", k, made=True),
    )
    return says, strips, Worked((line, *worked.lines), worked.computed, worked.captured, worked.fall)


def _residual(scene: Scene) -> Built:
    joined, before, after = (scene.of_query(each) for each in ("joined", "input", "final"))
    names = _("of this layer"), _("what came in")
    k, worked = _halved(scene, (names[0], exact(joined)), (names[1], exact(before)), exact(after))
    says = _(
        "The layer input is added again, so nothing is lost on the way up. The next layer attends to the source "
        "again and knows what this one found."
    )
    if scene.is_last:
        says = _("The layer input is added again. The word is chosen from this last sum.")
    strips = (
        scene.strip("joined", _("state and context"), "h'", k),
        scene.strip("input", _("what came in"), "x", k),
        scene.strip("final", _("output of the layer"), "x'", k, made=True),
    )
    return says, strips, worked


def _left(scene: Scene) -> Vector:
    matrix, bias = parameters_of(scene, _LEAVE)
    return np.asarray(matrix @ exact(scene.of_query("final")) + bias)


EMBED = Part("embed", mark("Embedding and position"), _embed, (_EMBEDDING, _TARGET, *_ENTER))
CONVOLVE = Part("convolve", mark("Convolution"), _convolve, _CONVOLUTION)
GATE = Part("gate", mark("Gate"), _gate)
QUERY = Part("project", mark("Query"), _query, (*_QUERY, _EMBEDDING, _TARGET))
VALUE = Part("value", mark("Encoder and embedding"), _value, (_EMBEDDING, _SOURCE))
ADD = Part("add", mark("Context joins the state"), _add)
RESIDUAL = Part("residual", mark("Residual"), _residual)
PREDICT = Part("predict", mark("The word written"), predict_of_layer(_left), (*OF_NETWORK, *_LEAVE))
