"""Walk parts of a Transformer layer around its attention: embedding, normalisation, feed-forward."""

from __future__ import annotations

import numpy as np

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.digits import factor, number, products, products_fall, waterfall
from viz.walk.recurrence import Vector, parameters_of
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Worked

EPSILON = 1e-5
"""What torch's LayerNorm adds to the variance."""

_NORM = ("norm.weight", "norm.bias")
_LAST_NORM = ("last_norm.weight", "last_norm.bias")


def layer_norm(values: Vector, scale: Vector, shift: Vector) -> Vector:
    """Return what LayerNorm makes of a vector, Ba et al. 2016, equation 4.

    Shapes: `values` [d]; `scale` [d]; `shift` [d].
    """
    return np.asarray((values - values.mean()) / np.sqrt(values.var() + EPSILON) * scale + shift)


def _embed(scene: Scene) -> Built | None:
    if scene.map.site.kind != "self" or scene.map.site.layer:
        return None  # what comes from another layer
    embedding, positions = scene.parameters["network.embedding.weight"], scene.parameters["network.positions"]
    root = embedding.shape[1] ** 0.5
    word, place = exact(embedding[scene.queries.ids[scene.row]]) * root, exact(positions[scene.row])
    after = scene.of_query("input")
    k = int(np.abs(after).argmax())
    says = _(
        "The input for “{word}” is its embedding row times the square root of {size}, plus the encoding of "
        "position {row}.",
        word=scene.query_word,
        size=len(after),
        row=scene.row_name,
    )
    strips = (
        Strip(_("embedding, times the square root of d"), "\u221ad E", word[None], marked=(None, k)),
        Strip(_("position encoding"), "P", place[None], marked=(None, k)),
        scene.strip("input", _("the token's own vector"), "x", k, made=True),
    )
    line = rf"x_{{{scene.row_name},[{k}]}} &= {number(word[k])} + {factor(place[k])} = {number(word[k] + place[k], 4)}"
    names = (_("embedding"), _("position"))
    fall = waterfall(_("Component {place} of the vector", place=k), np.array([word[k], place[k]]), names.__getitem__)
    return says, strips, Worked((line,), float(word[k] + place[k]), float(after[k]), fall)


def _normalise(scene: Scene) -> Built:
    before, after = exact(scene.of_query("input")), scene.of_query("read")
    scale, shift = parameters_of(scene, _NORM)
    k = int(np.abs(after).argmax())
    computed = float(layer_norm(before, scale, shift)[k])
    mean, spread = float(before.mean()), float(np.sqrt(before.var() + EPSILON))
    says = _(
        "LayerNorm before the sublayer: subtract the mean {mean}, divide by the standard deviation {spread}, then "
        "apply a learned scale.",
        mean=f"{mean:.3f}",
        spread=f"{spread:.3f}",
    )
    strips = (
        scene.strip("input", _("the token's own vector"), "x", k),
        scene.strip("read", _("normalised input of the attention"), "x\u0302", k, made=True),
    )
    inner = rf"\frac{{{number(float(before[k]))} - {factor(mean)}}}{{{number(spread)}}}"
    learned = rf"\cdot {factor(float(scale[k]))} + {factor(float(shift[k]))}"
    line = rf"\hat{{x}}_{{{scene.row_name},[{k}]}} &= {inner} {learned} = {number(computed, 4)}"
    return says, strips, Worked((line,), computed, float(after[k]))


def _project(scene: Scene) -> Built:
    """Work out one number of the query, and of the chosen word's key and value."""
    read, memory = exact(scene.of_query("read")), exact(scene.of_keys("memory")[scene.column])
    made = {
        "query": (read, scene.of_query("query"), "q", scene.row_name),
        "key": (memory, scene.of_keys("key")[scene.column], "k", scene.column_name),
        "value": (memory, scene.of_keys("value")[scene.column], "v", scene.column_name),
    }
    strips, lines, query = [scene.strip("read", _("input of the attention"), "x\u0302")], [], []
    names = {"query": _("query"), "key": _("key of the chosen word"), "value": _("value of the chosen word")}
    for name, (given, after, letter, place) in made.items():
        matrix, bias = scene.parameters[f"{name}.weight"], scene.parameters[f"{name}.bias"]
        k = int(np.abs(after).argmax())
        row = scene.head * len(after) + k
        digits, total = products(matrix[row], given)
        computed = total + float(bias[row])
        shift = factor(float(bias[row]))
        lines.append(rf"{letter}_{{{place},[{k}]}} &= {digits} + {shift} = {number(computed, 4)}")
        symbol = f"W_{letter.upper()}"
        strips += [
            row_of(matrix, row, symbol),
            Strip(names[name], letter, after[None], marked=(None, k), made=name == "query"),
        ]
        fall = products_fall(_("Component {place} of the query", place=k), matrix[row], given, bias=float(bias[row]))
        query.append((computed, float(after[k]), fall))
    says = _(
        "Three matrices give three vectors: what {reader} looks for (query), how each word is found (key), and "
        "what it passes on (value).",
        reader=scene.reader,
    )
    return says, tuple(strips), Worked(tuple(lines), *query[0])


def _residual(scene: Scene, before: str, change: str, after: str, norm: tuple[str, ...]) -> tuple[int, Worked]:
    """Work out a number of what goes on after a sublayer: the sum, and in post-LN its LayerNorm."""
    one, other, captured = (exact(scene.of_query(each)) for each in (before, change, after))
    total = one + other
    k = int(np.abs(captured).argmax())
    parts = _("before"), _("added")
    fall = waterfall(_("Component {place} of the sum", place=k), np.array([one[k], other[k]]), parts.__getitem__)
    line = rf"x_{{[{k}]}} + \Delta_{{[{k}]}} &= {number(one[k])} + {factor(other[k])} = {number(total[k], 4)}"
    if not norm:
        return k, Worked((line,), float(total[k]), float(captured[k]), fall)
    scale, shift = parameters_of(scene, norm)
    computed = float(layer_norm(total, scale, shift)[k])
    mean, spread = float(total.mean()), float(np.sqrt(total.var() + EPSILON))
    inner = rf"\frac{{{number(total[k])} - {factor(mean)}}}{{{number(spread)}}}"
    learned = rf"\cdot {factor(float(scale[k]))} + {factor(float(shift[k]))}"
    second = rf"\operatorname{{LayerNorm}}_{{[{k}]}} &= {inner} {learned} = {number(computed, 4)}"
    return k, Worked((line, second), computed, float(captured[k]), fall)


def _add(scene: Scene, norm: tuple[str, ...]) -> Built:
    k, worked = _residual(scene, "input", "output", "joined", norm)
    if norm:
        says = _(
            "The attention output is added to the token's own vector. LayerNorm then normalises the sum (post-LN)."
        )
    else:
        says = _("The attention output is added to the token's own vector. The sum goes on unchanged (pre-LN).")
    strips = (
        scene.strip("input", _("the token's own vector"), "x", k),
        scene.strip("output", _("attention output"), "o", k),
        scene.strip("joined", _("what goes on"), "x'", k, made=True),
    )
    return says, strips, worked


def _feed_forward(scene: Scene, norm: tuple[str, ...]) -> Built | None:
    if "final" not in scene.map.companions:
        return None  # another sublayer comes first
    matrix, bias = scene.parameters["layer.contract.weight"], scene.parameters["layer.contract.bias"]
    hidden, change = scene.of_query("hidden"), scene.of_query("feedforward")
    k, ending = _residual(scene, "joined", "feedforward", "final", norm)
    digits, total = products(matrix[k], hidden)
    line = rf"\Delta_{{[{k}]}} &= {digits} + {factor(float(bias[k]))} = {number(total + float(bias[k]), 4)}"
    fall = products_fall(_("Component {place} of the added vector", place=k), matrix[k], hidden, bias=float(bias[k]))
    says = _(
        "Each token goes through two layers on its own. {active} of {count} hidden units are above 0. The result "
        "is added to the token's vector.",
        active=int((hidden > 0).sum()),
        count=len(hidden),
    )
    strips = (
        scene.strip("joined", _("what comes in"), "x'"),
        scene.strip("hidden", _("hidden layer, nothing below 0"), "h"),
        row_of(matrix, k, "W_2"),
        Strip(_("what is added"), "\u0394", change[None], marked=(None, k)),
        scene.strip("final", _("output of the layer"), "x''", k, made=True),
    )
    return says, strips, Worked((line, *ending.lines), ending.computed, ending.captured, fall)


_PROJECTIONS = tuple(f"{name}.{part}" for name in ("query", "key", "value") for part in ("weight", "bias"))
_FEED = ("layer.contract.weight", "layer.contract.bias")
_ADD_TITLE, _FEED_TITLE = mark("Residual"), mark("Feed-forward layer")

EMBED = Part("embed", mark("Embedding and position"), _embed, ("network.embedding.weight", "network.positions"))
NORMALISE = Part("normalise", mark("LayerNorm"), _normalise, _NORM)
PROJECT = Part("project", mark("Query, key, value"), _project, _PROJECTIONS)
ADD = Part("add", _ADD_TITLE, lambda scene: _add(scene, ()))
ADD_AND_NORMALISE = Part("add", mark("Residual and LayerNorm"), lambda scene: _add(scene, _NORM), _NORM)
FEED_FORWARD = Part("feedforward", _FEED_TITLE, lambda scene: _feed_forward(scene, ()), _FEED)
FEED_AND_NORMALISE = Part(
    "feedforward", _FEED_TITLE, lambda scene: _feed_forward(scene, _LAST_NORM), (*_FEED, *_LAST_NORM)
)
