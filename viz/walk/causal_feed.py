"""Walk parts of a block of a causal language model after its attention: norm, gated feed-forward layer, next token."""

from __future__ import annotations

from functools import partial

import numpy as np

from models.huggingface.block_form import ACTIVATIONS, BlockForm, normalised
from viz.text.language import _, _n, mark
from viz.walk import block
from viz.walk.digits import bias_of, factor, number, products, products_fall, waterfall
from viz.walk.memory import predict_next
from viz.walk.recurrence import Vector, parameters_of
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Worked

_ACTIVATIONS = {"silu": "SiLU", "gelu": "GELU", "gelu_tanh": "GELU", "relu": "ReLU"}
_GATED = {"silu": "SwiGLU", "gelu": "GeGLU", "gelu_tanh": "GeGLU", "relu": "ReGLU"}
_TABLE = ("table.weight", "table.bias")
Named = tuple[str, str, str]
"""A quantity, what it is in words, and its symbol."""


def norm_name(form: BlockForm) -> str:
    """Return what the norms of a block are called."""
    return mark("RMSNorm") if form.is_rms else "LayerNorm"


def normalise(form: BlockForm, scene: Scene, name: str, given: Named, made: Named) -> Built:
    """Work out one number of a normalised vector."""
    before, after = exact(scene.of_query(given[0])), scene.of_query(made[0])
    scale, shift = parameters_of(scene, (f"{name}.weight", f"{name}.bias"))
    k = int(np.abs(after).argmax())
    computed = float(normalised(form, before, scale, shift)[k])
    mean = 0.0 if form.is_rms else float(before.mean())
    spread = float(np.sqrt(((before - mean) ** 2).mean() + form.epsilon))
    if form.is_rms:
        says = _(
            "RMSNorm before the sublayer: divide by the root mean square {spread}, then apply a learned scale. The "
            "mean is not subtracted.",
            spread=f"{spread:.3f}",
        )
    else:
        says = _(
            "LayerNorm before the sublayer: subtract the mean {mean}, divide by the standard deviation {spread}, "
            "then apply a learned scale.",
            mean=f"{mean:.3f}",
            spread=f"{spread:.3f}",
        )
    strips = (scene.strip(*given, k), scene.strip(*made, k, made=True))
    top = number(float(before[k])) if form.is_rms else f"{number(float(before[k]))} - {factor(mean)}"
    added = f" + {factor(float(shift[k]))}" if shift.any() else ""
    line = (
        rf"\operatorname{{{norm_name(form)}}}_{{[{k}]}} &= \frac{{{top}}}{{{number(spread)}}} "
        rf"\cdot {factor(float(scale[k]))}{added} = {number(computed, 4)}"
    )
    return says, strips, Worked((line,), computed, float(after[k]))


def _second_norm(form: BlockForm, scene: Scene) -> Built:
    quantity, name, symbol = ("input", "", "x") if form.is_parallel else ("joined", "", "x'")
    name = _("the token's own vector") if form.is_parallel else _("what goes on")
    made = ("normed", _("normalised input of the feed-forward layer"), "x\u0302'")
    return normalise(form, scene, "second_norm", (quantity, name, symbol), made)


def _expand(form: BlockForm, scene: Scene) -> Built:
    """Work out one number of the hidden layer: of the largest one, what goes into it, and its gate."""
    hidden, normed = scene.of_query("hidden"), exact(scene.of_query("normed"))
    k = int(np.abs(hidden).argmax())
    name = _ACTIVATIONS[form.activation]
    strips, lines, values, falls = [scene.strip("normed", _("what comes in"), "x\u0302'")], [], {}, []
    shown = {"gate": (_("gate, before {name}", name=name), "g")} if form.is_gated else {}
    shown |= {
        "expand": (_("up projection"), "u") if form.is_gated else (_("hidden layer, before {name}", name=name), "u")
    }
    for part, (title, letter) in shown.items():
        matrix, bias = scene.parameters[f"{part}.weight"], exact(scene.parameters[f"{part}.bias"])
        digits, total = products(matrix[k], normed)
        shift, added = bias_of(bias, k)
        values[letter] = total + float(bias[k])
        lines.append(rf"{letter}_{{[{k}]}} &= {digits}{shift} = {number(values[letter])}")
        symbol = "W_{gate}" if letter == "g" else "W_{up}" if form.is_gated else "W_1"
        strips += [
            row_of(matrix, k, symbol.replace("{", "").replace("}", "")),
            scene.strip("gate" if letter == "g" else "up", title, letter, k),
        ]
        falls.append(
            products_fall(_("Component {place} before {name}", place=k, name=name), matrix[k], normed, bias=added)
        )
    squashed = float(ACTIVATIONS[form.activation](np.array(values["g" if form.is_gated else "u"])))
    computed = squashed * values["u"] if form.is_gated else squashed
    inner = rf"\operatorname{{{name}}}({number(values['g' if form.is_gated else 'u'])})"
    times = rf" \cdot {factor(values['u'])}" if form.is_gated else ""
    lines.append(rf"h_{{[{k}]}} &= {inner}{times} = {number(computed, 4)}")
    strips.append(scene.strip("hidden", _("hidden layer"), "h", k, made=True))
    says = _says_of_hidden(form, name, len(hidden), k)
    return says, tuple(strips), Worked(tuple(lines), computed, float(hidden[k]), falls[0])


def _says_of_hidden(form: BlockForm, name: str, count: int, place: int) -> str:
    """Say what the hidden layer does, gated or not."""
    if form.is_gated:
        return _(
            "{kind}: two matrices give {count} values each. {name} of the gate multiplies the other. A gate near 0 "
            "lets nothing through. Hidden unit {place} is the largest.",
            kind=_GATED[form.activation],
            count=count,
            name=name,
            place=place,
        )
    return _(
        "Each token on its own: a matrix gives {count} hidden units. {name} lets positive ones pass and stops "
        "most of the negative ones.",
        count=count,
        name=name,
    )


def _contract(form: BlockForm, scene: Scene) -> Built:
    """Work out one number of what the feed-forward layer adds, and of what leaves the block."""
    matrix, bias = scene.parameters["contract.weight"], exact(scene.parameters["contract.bias"])
    hidden, left = scene.of_query("hidden"), scene.of_query("residual")
    addends = {"x": "input", "o": "output"} if form.is_parallel else {"x'": "joined"}
    k = int(np.abs(left).argmax())
    digits, total = products(matrix[k], hidden)
    shift, _added = bias_of(bias, k)
    change = total + float(bias[k])
    given = [float(scene.of_query(each)[k]) for each in addends.values()]
    computed = sum(given) + change
    titles = {"x": _("the token's own vector"), "o": _("attention output"), "x'": _("what goes on")}
    says = (
        _(
            "A last matrix maps the hidden units back. The outputs of attention and feed-forward layer are added "
            "in one step."
        )
        if form.is_parallel
        else _("A last matrix maps the hidden units back to the vector's size. The result is added to the vector.")
    )
    strips = (
        scene.strip("hidden", _("hidden layer"), "h"),
        row_of(matrix, k, "W_down" if form.is_gated else "W_2"),
        *(scene.strip(quantity, titles[letter], letter, k) for letter, quantity in addends.items()),
        scene.strip("feedforward", _("what is added"), "\u0394", k),
        scene.strip("residual", _("output of the layer"), "x''", k, made=True),
    )
    terms = " + ".join([number(given[0]), *map(factor, given[1:]), factor(change)])
    lines = (
        rf"\Delta_{{[{k}]}} &= {digits}{shift} = {number(change)}",
        rf"x''_{{{scene.row_name},[{k}]}} &= {terms} = {number(computed, 4)}",
    )
    labels = (*(titles[letter] for letter in addends), _("what is added"))
    fall = waterfall(_("Component {place} of the sum", place=k), np.array([*given, change]), labels.__getitem__)
    return says, strips, Worked(lines, computed, float(left[k]), fall)


def _predict(form: BlockForm, scene: Scene) -> Built | None:
    """Say from which vector the next token is predicted, whichever block is looked at."""
    built = predict_next(_closed, _TABLE)(scene)
    if built is None:
        return None
    says, strips, worked = built
    after = form.layers - 1 - scene.map.site.layer
    if after:
        more = _n(
            "{count} more block follows, then a last {norm}.",
            "{count} more blocks follow, then a last {norm}.",
            after,
            norm=norm_name(form),
        )
    else:
        more = _("This was the last block; a last {norm} follows.", norm=norm_name(form))
    return f"{more} {says}", strips, worked


def _closed(scene: Scene) -> Vector:
    """Return the vector behind the closing norm."""
    vectors = scene.trace.vectors
    assert vectors is not None  # of every model that predicts
    return exact(vectors[scene.row])


def formula(form: BlockForm, norm: str, between: str) -> tuple[str, ...]:
    """Return the last lines of a block's formula; `between` is what its second norm is given."""
    name = rf"\operatorname{{{_ACTIVATIONS[form.activation]}}}"
    again = rf"[[renormalise:\hat{{x}}'_i = {norm}({between})]]"
    if form.is_gated:
        hidden, down = rf"{name}(W_{{gate}} \hat{{x}}'_i) \odot W_{{up}} \hat{{x}}'_i", r"W_{down}"
    else:
        hidden, down = rf"{name}(W_1 \hat{{x}}'_i)", "W_2"
    added = "x_i + o_i" if form.is_parallel else between
    return (
        again if form.is_parallel else rf"[[add:x'_i = x_i + o_i]], \quad {again}",
        rf"[[expand:h_i = {hidden}]], \quad [[feedforward:x''_i = {added} + {down} h_i]]",
        rf"[[predict:p = \operatorname{{softmax}}(E\, {norm}(x_i^{{(N)}}))]]",
    )


def parts(form: BlockForm) -> tuple[Part, ...]:
    """Return the steps after the attention of a block."""
    hidden = ("gate", "expand") if form.is_gated else ("expand",)
    needed = tuple(f"{name}.{kind}" for name in hidden for kind in ("weight", "bias"))
    title = mark("Gated hidden layer") if form.is_gated else mark("Hidden layer")
    return (
        Part("renormalise", norm_name(form), partial(_second_norm, form), ("second_norm.weight", "second_norm.bias")),
        Part("expand", title, partial(_expand, form), needed),
        Part("feedforward", block.FEED_FORWARD.title, partial(_contract, form), ("contract.weight", "contract.bias")),
        Part("predict", mark("The next token"), partial(_predict, form), _TABLE),
    )
