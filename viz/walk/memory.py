"""Walk parts of language models with a memory (Daniluk et al. 2017, Cheng et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, mark
from viz.text.tokens import visible
from viz.views.strips import Strip
from viz.walk.digits import bias_of, factor, number, products, products_fall, waterfall
from viz.walk.scene import Letters, Scene
from viz.walk.scores import ADDITIVE, FEATURES, Built, deciding, exact, hidden_layer, project_key, row_of
from viz.walk.steps import Part, Walk, Worked
from viz.walk.weights import BEFORE, CONTEXT, SOFTMAX, WINDOW_BEFORE, context_strip

Vector = NDArray[np.float64]


def _key_of(scene: Scene, states: NDArray[np.floating], letter: str, says: str) -> Built:
    """Work out one number of a key of what stands at the chosen token."""
    name = _("vectors: one for each token")
    strip = Strip(name, letter, states, rows=scene.keys, marked=(scene.column, None))
    return project_key(scene, says, strip, matrix="W", product=f"W {letter}")


def _keys(scene: Scene) -> Built:
    size = scene.of_keys("key").shape[1]
    says = _(
        "An LSTM has read the text and left an output at each token. A matrix turns the output, or its key part, "
        "into the vector used for scores."
    )
    return _key_of(scene, scene.of_keys("memory")[:, :size], "k", says)


def _tape_keys(scene: Scene) -> Built | None:
    if not scene.row:
        return None
    states = scene.of_keys("value")
    says = _("The tape keeps a state h and a cell c of every token read so far. A matrix turns each state into a key.")
    return _key_of(scene, states[:, : states.shape[1] // 2], "h", says)


def _tape_features(scene: Scene) -> Built | None:
    if not scene.row:
        return None
    k, before = deciding(scene), scene.map.companions["context"][0, scene.row - 1]
    matrices = [scene.parameters[f"{name}.weight"][k] for name in ("input_weight", "read_weight")]
    given = [scene.of_query("input"), before[: len(before) // 2]]
    on_tape = scene.column < scene.row  # of what comes later the tape has no key yet
    key = float(scene.of_keys("key")[scene.column, k]) if on_tape else 0.0
    says = _(
        "The query is “{query}” itself and the tape attention output of the step before, h̃. With the key of each "
        "earlier token they form a hidden layer, with values between -1 and 1.",
        query=scene.query_word,
    )
    asked = (
        Strip(_("embedding of the token read in"), "x", given[0][None]),
        Strip(_("tape attention output, one step before"), "h\u0303", given[1][None]),
        Strip(_("query"), "q", scene.of_query("query")[None], marked=(None, k)),
    )
    product = r"W_x x + W_{\tilde{h}} \tilde{h}"
    strips, worked = hidden_layer(scene, np.concatenate(matrices), np.concatenate(given), product, key)
    return says, (*asked, *strips), worked


def _unless_first(part: Part) -> Part:
    """Return a part that is left out at the first token, where the tape has an empty slot that is no token's."""
    return replace(part, build=lambda scene: part.build(scene) if scene.row else None)


# What the next token is predicted from.


def _own(scene: Scene) -> NDArray[np.floating]:
    """Return the part of the output that predicts beside what was read: the last one."""
    return scene.of_query("memory")[-scene.of_keys("value").shape[1] :]


def _joined(scene: Scene) -> Built:
    read, own, after = scene.of_query("context"), _own(scene), scene.of_query("output")
    k = int(np.abs(after).argmax())
    matrices = [scene.parameters[f"{name}.weight"] for name in ("read_weight", "own_weight")]
    row, given = np.concatenate([each[k] for each in matrices]), np.concatenate([read, own])
    digits, total = products(row, given)
    computed = float(np.tanh(total))
    says = _(
        "The attention output is joined with the part of the last output that predicts. The next word is predicted "
        "from both."
    )
    strips = (
        context_strip(scene),
        Strip(_("the part of the last output that predicts"), "p", own[None]),
        row_of(matrices[0], k, "W^r"),
        row_of(matrices[1], k, "W^x"),
        Strip(_("vector the word is chosen from"), "h*", after[None], marked=(None, k), made=True),
    )
    lines = (
        rf"(W^r r + W^x p)_{{[{k}]}} &= {digits} = {number(total)}",
        rf"h^*_{{{scene.row_name},[{k}]}} &= \tanh({number(total)}) = {number(computed, 4)}",
    )
    fall = products_fall(_("Component {place} of the state, before tanh", place=k), row, given)
    return says, strips, Worked(lines, computed, float(after[k]), fall)


def _tape_next(scene: Scene) -> Built:
    size = len(scene.of_query("output"))
    read, cell = np.split(exact(scene.of_query("context")), 2)
    given = np.concatenate([read, exact(scene.of_query("input"))])
    sums = exact(scene.parameters["gates.weight"]) @ given + exact(scene.parameters["gates.bias"])
    k = int(np.abs(scene.of_query("output")).argmax())
    into, keep, out = (float(1 / (1 + np.exp(-sums[place * size + k]))) for place in range(3))
    new, old = float(np.tanh(sums[3 * size + k])), float(cell[k])
    says = _(
        "This LSTM step starts from the tape attention output, h̃ and c̃, instead of the last state and cell. Its "
        "results, h and c, are put on the tape."
    )
    strips = (
        Strip(_("tape attention output: state and cell"), "h\u0303, c\u0303", np.stack([read, cell]), marked=(1, k)),
        Strip(_("embedding of the token read in"), "x", scene.of_query("input")[None]),
    )
    line = (
        rf"= f \cdot \tilde{{c}} + i \cdot \hat{{c}} &= {number(keep)} \cdot {factor(old)} + "
        rf"{number(into)} \cdot {factor(new)}"
    )
    parts = {
        _("kept: {gate} of {value}", gate=f"{keep:.0%}", value=f"{old:.3g}"): keep * old,
        _("new: {gate} of {value}", gate=f"{into:.0%}", value=f"{new:.3g}"): into * new,
    }
    state, worked = new_state(scene, line, parts, out)
    return says, (*strips, state), worked


def new_state(scene: Scene, line: str, parts: Mapping[str, float], out: float) -> tuple[Strip, Worked]:
    """Work out one number of an LSTM's new state: the sum of the cell's `parts`, squashed, times the gate `out`."""
    after = scene.of_query("output")
    k = int(np.abs(after).argmax())
    made = sum(parts.values())
    computed = out * float(np.tanh(made))
    lines = (
        rf"c_{{[{k}]}} {line} = {number(made)}",
        rf"h_{{{scene.row_name},[{k}]}} = o \cdot \tanh(c) &= {number(out)} \cdot {factor(float(np.tanh(made)))} "
        rf"= {number(computed, 4)}",
    )
    state = Strip(_("new state"), "h", after[None], marked=(None, k), made=True)
    labels = tuple(parts)
    name = _("Component {place} of the new cell", place=k)
    fall = waterfall(name, np.array([*parts.values()]), labels.__getitem__)
    return state, Worked(lines, computed, float(after[k]), fall)


TABLE = ("embedding.weight", "output_bias")
"""What the last step needs."""


def _likeliest_words(words: tuple[str, ...], shares: Vector) -> Strip:
    title = _("probabilities of the likeliest words")
    return Strip(title, "p", shares, "weights", columns=words, marked=(None, 0), made=True)


def predict_next(state: Callable[[Scene], Vector], names: tuple[str, str] = TABLE) -> Callable[[Scene], Built | None]:
    """Return what builds the last step: the probability of the likeliest next token."""

    def build(scene: Scene) -> Built | None:
        prediction = scene.prediction
        if prediction is None:
            return None  # of a long text the last tokens alone have one
        vector = state(scene)
        table, bias = (scene.parameters[name] for name in names)
        logits = exact(table @ vector.astype(np.float32) + bias)
        best = int(logits.argmax())
        total = float(logits.max()) + float(np.log(np.exp(logits - logits.max()).sum()))
        digits, product = products(table[best], vector)
        shift, added = bias_of(bias, best)
        logit = product + float(bias[best])
        computed = float(np.exp(logit - total))
        likely = tuple(visible(text) for text, _share in prediction.alternatives)
        shares = np.array([[share for _text, share in prediction.alternatives]])
        says = _(
            "Each of the {count} subwords in the vocabulary gets a score. The likeliest next one, “{word}”, has "
            "probability {share}.",
            count=len(table),
            word=likely[0],
            share=f"{shares[0, 0]:.4f}",
        )
        chosen = Strip(_("vector the word is chosen from"), "r", vector[None])
        strips = (chosen, row_of(table, best, "E"), _likeliest_words(likely, shares))
        lines = (
            rf"E_w r{' + b_w' if shift else ''} &= {digits}{shift} = {number(logit)}",
            rf"p &= \exp({number(logit)} - {factor(total)}) = {number(computed, 4)}",
        )
        name = _("The score of “{word}” among all words", word=likely[0])
        fall = products_fall(name, table[best], vector, bias=added)
        return says, strips, Worked(lines, computed, float(shares[0, 0]), fall)

    return build


def _output(scene: Scene) -> Vector:
    return exact(scene.of_query("output"))


def _sized(scene: Scene) -> Vector:
    return exact(scene.parameters["output_weight.weight"]) @ exact(scene.of_query("output"))


_READ_TERM = (
    r"[[context:r_t = \sum_j [[softmax:\operatorname{softmax}_j\big([[scores:w^\top [[features:\tanh([[keys:W^Y k_j]] "
    r"+ W^h k_t)]]]] [[mask:+\, m_{tj}]]\big)]]\, v_j]]"
)
_PARTS_OF = {
    "attention-lm": r"k_t = v_t = p_t = h_t",
    "key-value": r"[k_t; v_t] = h_t, \; p_t = v_t",
    "key-value-predict": r"[k_t; v_t; p_t] = h_t",
}

MEMORY_WALKS = {
    name: Walk(
        (
            cut,
            _READ_TERM,
            r"[[next:h^*_t = \tanh(W^r r_t + W^x p_t)]], \quad [[predict:p = \operatorname{softmax}(E\, h^*_t + b)]]",
        ),
        (
            Part("keys", mark("Keys of the outputs"), _keys, ("key_weight.weight", "score_vector")),
            FEATURES,
            ADDITIVE,
            WINDOW_BEFORE,
            SOFTMAX,
            CONTEXT,
            Part("next", mark("Attention and output joined"), _joined, ("read_weight.weight", "own_weight.weight")),
            Part("predict", mark("The next word"), predict_next(_output), TABLE),
        ),
        Letters(query="k", key="W k", value="v", context="r"),
    )
    for name, cut in _PARTS_OF.items()
}

LSTMN_WALK = Walk(
    (
        r"[[context:[\tilde{h}_t; \tilde{c}_t] = \sum_{i<t} [[softmax:\operatorname{softmax}_i\big([[scores:v^\top "
        r"[[features:\tanh([[keys:W_h h_i]] + W_x x_t + W_{\tilde{h}} \tilde{h}_{t-1})]]]] "
        r"[[mask:+\, m_{ti}]]\big)]]\, [h_i; c_i]]]",
        r"[[next:(h_t, c_t) = \operatorname{LSTM}(\tilde{h}_t, \tilde{c}_t, x_t)]], \quad "
        r"[[predict:p = \operatorname{softmax}(E\, W_o h_t + b)]]",
    ),
    (
        Part("keys", mark("Keys of the tape"), _tape_keys, ("key_weight.weight", "score_vector")),
        Part("features", mark("Hidden layer"), _tape_features, ("input_weight.weight", "read_weight.weight")),
        _unless_first(ADDITIVE),
        BEFORE,
        SOFTMAX,
        _unless_first(CONTEXT),
        Part("next", mark("Into the LSTM"), _tape_next, ("gates.weight", "gates.bias")),
        Part("predict", mark("The next word"), predict_next(_sized), ("output_weight.weight", *TABLE)),
    ),
    Letters(query="q", key="W h", value="h, c", weight="s", score="a"),
)
