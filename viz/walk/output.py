"""Walk parts after the context vector: next state, merged heads, generated word."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from viz.text.language import _, _n, mark
from viz.text.tokens import visible
from viz.views.strips import Strip
from viz.walk.block import layer_norm
from viz.walk.digits import bias_of, factor, number, products, products_fall, waterfall
from viz.walk.fixed_vector import source_vector
from viz.walk.recurrence import (
    EMBEDDING,
    GRU,
    LSTM,
    Vector,
    gru_step,
    lstm_step,
    parameters_of,
    read_in,
    read_in_strip,
    state_strip,
)
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, row_of
from viz.walk.steps import Part, Worked
from viz.walk.weights import context_strip

_NEVER_WRITTEN = 2  # the first ids, <pad> and <s>: their probability is 0


# Bahdanau: the context enters the recurrence.


def _gru_next(scene: Scene) -> Built:
    says = _(
        "The context vector enters the decoder's recurrence with the last word: the state now knows what was "
        "attended to."
    )
    return says, *gru_step(scene, context_strip(scene), scene.of_query("query"), scene.of_query("output"))


GRU_NEXT = Part("next", mark("Into the GRU"), _gru_next, (*GRU, *EMBEDDING))


# Luong: the context enters the attentional state.


def _attentional(scene: Scene) -> Built:
    matrix, bias = scene.parameters["combine.weight"], scene.parameters["combine.bias"]
    joined = np.concatenate((exact(scene.of_query("context")), exact(scene.of_query("query"))))
    after = scene.of_query("output")
    k = int(np.abs(after).argmax())
    digits, total = products(matrix[k], joined)
    computed = float(np.tanh(total + float(bias[k])))
    says = _("The context vector and the decoder state are joined. The word is chosen from the result.")
    strips = (
        context_strip(scene),
        Strip(_("query"), "s", scene.of_query("query")[None]),
        row_of(matrix, k, "W_c"),
        Strip(_("attentional state"), "s\u0303", after[None], marked=(None, k), made=True),
    )
    lines = (
        rf"(W_c [c; s])_{{[{k}]}} &= {digits} = {number(total)}",
        rf"\tilde{{s}}_{{{scene.row_name},[{k}]}} &= \tanh({number(total)} + {factor(float(bias[k]))}) "
        rf"= {number(computed, 4)}",
    )
    name = _("Component {place} of the state, before tanh", place=k)
    fall = products_fall(name, matrix[k], joined, bias=float(bias[k]))
    return says, strips, Worked(lines, computed, float(after[k]), fall)


ATTENTIONAL = Part("next", mark("Attentional state"), _attentional, ("combine.weight", "combine.bias"))


def _feed(scene: Scene) -> Built | None:
    if scene.row + 1 >= len(scene.queries):
        return None  # nothing is written after it
    row = scene.row + 1
    fed, after = scene.of_query("output"), scene.map.companions["query"][0, row]
    gates = exact(scene.parameters["feed.weight"]) @ exact(fed)
    k, worked = lstm_step(scene, row, after, number_after=row + 1, fed=gates)
    says = _("The attentional state is read in together with the word: the next step knows what this one attended to.")
    strips = (
        Strip(_("attentional state of this step"), "s\u0303", fed[None]),
        read_in_strip(scene, row),
        state_strip(scene.states[0][row], k=k),
        Strip(_("decoder state of the next step: its query"), "s", after[None], marked=(None, k), made=True),
    )
    return says, strips, worked


FEED = Part("feed", mark("Input feeding"), _feed, (*LSTM, *EMBEDDING, "feed.weight"))


# Transformer: heads merged.


def _merge(scene: Scene) -> Built:
    matrix, bias = scene.parameters["output.weight"], scene.parameters["output.bias"]
    contexts = scene.map.companions["context"][:, scene.row]  # [head, d_head]
    after = scene.of_query("output")
    k = int(np.abs(after).argmax())
    digits, total = products(matrix[k], contexts.reshape(-1))
    shift, added = bias_of(bias, k)
    computed = total + float(bias[k])
    says = _n(
        "The context vector of the one head goes through one matrix.",
        "The context vectors of all {count} heads are concatenated, and one matrix mixes them.",
        len(contexts),
    )
    heads = tuple(_("head {head}", head=name) for name in scene.map.head_names)
    strips = (
        Strip(_("context vectors of all heads"), "c", contexts, rows=heads, marked=(scene.head, None)),
        row_of(matrix, k, "W_O"),
        Strip(_("output"), "o", after[None], marked=(None, k), made=True),
    )
    line = rf"o_{{{scene.row_name},[{k}]}} &= {digits}{shift} = {number(computed, 4)}"
    parts = (exact(matrix[k]) * exact(contexts).reshape(-1)).reshape(len(contexts), -1).sum(axis=1)
    parts = parts if added is None else np.append(parts, added)
    fall = waterfall(_("Component {place} of the output", place=k), parts, lambda head: (*heads, _("bias"))[head])
    return says, strips, Worked((line,), computed, float(after[k]), fall)


MERGE = Part("merge", mark("Heads merged"), _merge, ("output.weight", "output.bias"))


# The word.


def predict_from(readout: Callable[[Scene], Vector], where: str = "") -> Callable[[Scene], Built]:
    """Return what builds the step that writes the word."""

    def build(scene: Scene) -> Built:
        vector, step = readout(scene), scene.trace.steps[scene.row]
        embedding, bias = (scene.parameters[where + name] for name in _OUTPUT)
        logits = exact(embedding @ vector.astype(np.float32) + bias)[_NEVER_WRITTEN:]
        largest = float(logits.max())
        total = largest + float(np.log(np.exp(logits - largest).sum()))
        digits, product = products(embedding[step.id], vector)
        logit = product + float(bias[step.id])
        computed = float(np.exp(logit - total)) if step.id >= _NEVER_WRITTEN else 0.0
        names = tuple(visible(text) for text, _share in step.alternatives)
        shares = np.array([[share for _text, share in step.alternatives]])
        written = visible(step.text)
        place = names.index(written) if written in names else None
        says = _(
            "Each of the {count} words in the vocabulary gets a score. “{word}” has probability {share}.",
            count=len(embedding),
            word=written,
            share=f"{step.probability:.4f}",
        )
        strips = (
            Strip(_("vector the word is chosen from"), "r", vector[None]),
            row_of(embedding, step.id, "E"),
            Strip(
                _("probabilities of the likeliest words"),
                "p",
                shares,
                "weights",
                columns=names,
                marked=(None, place),
                made=True,
            ),
        )
        lines = (
            rf"E_w r + b_w &= {digits} + {factor(float(bias[step.id]))} = {number(logit)}",
            rf"p &= \exp({number(logit)} - {factor(total)}) = {number(computed, 4)}",
        )
        name = _("The score of “{word}” among all words", word=written)
        fall = products_fall(name, embedding[step.id], vector, bias=float(bias[step.id]))
        return says, strips, Worked(lines, computed, step.probability, fall)

    return build


def _of_output(scene: Scene) -> Vector:
    return exact(scene.of_query("output"))


def _joined_readout(scene: Scene, *parts: Vector) -> Vector:
    matrix, bias = parameters_of(scene, ("readout.weight", "readout.bias"))
    return np.asarray(np.tanh(matrix @ np.concatenate(parts) + bias))


def _of_bahdanau(scene: Scene) -> Vector:
    context = exact(scene.of_query("context"))
    return _joined_readout(scene, exact(scene.of_query("output")), read_in(scene, scene.row), context)


def _of_summary(scene: Scene) -> Vector:
    state = exact(scene.states[0][scene.row + 1])
    return _joined_readout(scene, state, read_in(scene, scene.row), exact(source_vector(scene)[0]))


def _of_state(scene: Scene) -> Vector:
    matrix, bias = parameters_of(scene, ("readout.weight", "readout.bias"))
    return np.asarray(matrix @ exact(scene.states[0][scene.row + 1]) + bias)


def _of_layer(scene: Scene, norm: tuple[str, ...]) -> Vector:
    final = exact(scene.of_query("final"))
    return layer_norm(final, *parameters_of(scene, norm)) if norm else final


def predict_of_layer(readout: Callable[[Scene], Vector]) -> Callable[[Scene], Built | None]:
    """Return what builds the step that writes the word: in the last layer of a decoder alone."""
    build = predict_from(readout, _NETWORK)

    def of_last(scene: Scene) -> Built | None:
        return build(scene) if scene.is_last else None

    return of_last


_READOUT = ("readout.weight", "readout.bias")
_OUTPUT = (*EMBEDDING, "output_bias")
_NETWORK = "network."
OF_NETWORK = tuple(_NETWORK + name for name in _OUTPUT)
"""What the step that writes the word needs of a network of several layers."""
_FINAL_NORM = ("network.decoder_norm.weight", "network.decoder_norm.bias")
_TITLE = mark("The word written")
POST_LN_PREDICT = Part("predict", _TITLE, predict_of_layer(partial(_of_layer, norm=())), OF_NETWORK)
PRE_LN_PREDICT = Part(
    "predict", _TITLE, predict_of_layer(partial(_of_layer, norm=_FINAL_NORM)), (*OF_NETWORK, *_FINAL_NORM)
)
PREDICT = Part("predict", _TITLE, predict_from(_of_output), _OUTPUT)
BAHDANAU_PREDICT = Part("predict", _TITLE, predict_from(_of_bahdanau), (*_OUTPUT, *_READOUT))
SUMMARY_PREDICT = Part("predict", _TITLE, predict_from(_of_summary), (*_OUTPUT, *_READOUT))
STATE_PREDICT = Part("predict", _TITLE, predict_from(_of_state), (*_OUTPUT, *_READOUT))
