"""Walks of the LSTMN translators: shallow and deep attention fusion (Cheng et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk import output, scores, weights
from viz.walk.digits import factor, number
from viz.walk.memory import LSTMN_WALK, new_state
from viz.walk.recurrence import EMBEDDING, Vector, parameters_of, read_in, read_in_strip
from viz.walk.scene import Letters, Scene
from viz.walk.scores import Built, exact
from viz.walk.steps import Part, Walk

CROSS, TAPE = "decoder.0.cross", "decoder.0.self"

_READS_TAPE = tuple(part for part in LSTMN_WALK.parts if part.key != "predict")
_TAPE_LINE = LSTMN_WALK.formula[0]


def _sized(scene: Scene) -> Vector:
    return np.asarray(exact(scene.parameters["output_weight.weight"]) @ exact(scene.of_query("output")))


# Deep fusion: the source is read with the token itself, before the step.


def _deep_keys(scene: Scene) -> Built:
    both = scene.of_keys("value")
    says = _(
        "The encoder leaves two tapes: a state \u03b3 and a cell \u03b1 for each token. A matrix turns each state into "
        "a key. The values are both, state and cell."
    )
    states = scores.encoder_states(scene, "\u03b3", both[:, : both.shape[1] // 2])
    return scores.project_key(scene, says, states, matrix="W", product=r"W_\gamma \gamma")


def _read_before(scene: Scene) -> Vector:
    """Return what the step before read of the source's states, [d]; 0 before the first."""
    contexts = scene.map.companions["context"][0]
    size = contexts.shape[1] // 2
    return exact(contexts[scene.row - 1, :size]) if scene.row else np.zeros(size)


def _deep_features(scene: Scene) -> Built:
    k, before, token = scores.deciding(scene), _read_before(scene), read_in(scene, scene.row)
    row = np.concatenate([scene.parameters[f"{name}.weight"][k] for name in ("input_weight", "read_weight")])
    says = _(
        "The query is the token read in and the source attention output of the step before, \u03b3̃. The decoder state "
        "takes no part. With the key of each word they form a hidden layer, with values between -1 and 1."
    )
    asked = (
        read_in_strip(scene, scene.row),
        Strip(_("source attention output, one step before"), "\u03b3\u0303", before[None]),
        Strip(_("query"), "q", scene.of_query("query")[None], marked=(None, k)),
    )
    product = r"W_x x + W_{\tilde{\gamma}} \tilde{\gamma}"
    strips, worked = scores.hidden_layer(scene, row, np.concatenate([token, before]), product)
    return says, (*asked, *strips), worked


class _Cell(NamedTuple):
    """One number of the new cell and state: gates, what they are multiplied with, and what comes out."""

    keep: float
    old: float
    into: float
    new: float
    out: float
    carry: float
    source: float

    @property
    def parts(self) -> tuple[float, float, float]:
        """What is carried over from the source, kept of the tape, and new."""
        return self.carry * self.source, self.keep * self.old, self.into * self.new


def _sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


def _cell_of(scene: Scene, where: str, k: int) -> _Cell:
    """Work out number `k` of the step; before the names of the tape's parameters stands `where`."""
    network = "" if where else "network."
    gates, bias = parameters_of(scene, (f"{where}gates.weight", f"{where}gates.bias"))
    transfer, transfer_bias = parameters_of(scene, (f"{network}transfer.weight", f"{network}transfer.bias"))
    own, source = (exact(scene.trace[site].companions["context"][0, scene.row]) for site in (TAPE, CROSS))
    size, token = len(own) // 2, read_in(scene, scene.row, f"{network}embedding.weight")
    given = np.concatenate([own[:size], token])
    into, keep, out, new = (float(gates[part * size + k] @ given + bias[part * size + k]) for part in range(4))
    carry = float(transfer[k] @ np.concatenate([source[:size], token]) + transfer_bias[k])
    return _Cell(
        _sigmoid(keep), own[size + k], _sigmoid(into), np.tanh(new), _sigmoid(out), _sigmoid(carry), source[size + k]
    )


def _fused_at(where: str) -> Callable[[Scene], Built]:
    """Return what builds the decoder's step, seen from either map; before its tape's parameters stands `where`."""

    def build(scene: Scene) -> Built:
        k = int(np.abs(scene.of_query("output")).argmax())
        cell = _cell_of(scene, where, k)
        own, source = (scene.trace[site].companions["context"][0, scene.row] for site in (TAPE, CROSS))
        says = _(
            "Both tapes enter one cell. An LSTM step starts from the attention output of the decoder's own tape. "
            "The cell from the source is added, as far as gate r lets it through: {share}.",
            share=f"{cell.carry:.0%}",
        )
        strips = (
            Strip(
                _("source attention output: state and cell"),
                "\u03b3\u0303, \u03b1\u0303",
                source.reshape(2, -1),
                marked=(1, k),
            ),
            Strip(_("tape attention output: state and cell"), "h\u0303, c\u0303", own.reshape(2, -1), marked=(1, k)),
            read_in_strip(scene, scene.row, "embedding.weight" if where else "network.embedding.weight"),
        )
        line = (
            rf"&= {number(cell.carry)} \cdot {factor(cell.source)} + {number(cell.keep)} \cdot "
            rf"{factor(cell.old)} + {number(cell.into)} \cdot {factor(cell.new)}"
        )
        labels = (
            _("source: {gate} of {value}", gate=f"{cell.carry:.0%}", value=f"{cell.source:.3g}"),
            _("kept: {gate} of {value}", gate=f"{cell.keep:.0%}", value=f"{cell.old:.3g}"),
            _("new: {gate} of {value}", gate=f"{cell.into:.0%}", value=f"{cell.new:.3g}"),
        )
        state, worked = new_state(scene, line, dict(zip(labels, cell.parts, strict=True)), cell.out)
        return says, (*strips, state), worked

    return build


def _in_decoder(fused: Part, tape: Part) -> Part:
    """Return the step of a tape in deep fusion: in the decoder the source enters it, in the encoder there is none."""

    def build(scene: Scene) -> Built | None:
        return (fused if scene.map.site.stack == "decoder" else tape).build(scene)

    return replace(tape, build=build, parameters=(*tape.parameters, *fused.parameters))


_LETTERS = Letters(query="h", key="W \u03b3", value="\u03b3", weight="p", score="b", context="\u03b3\u0303")
_TRANSFER = ("transfer.weight", "transfer.bias")
_STEP_AT_CROSS = Part(
    "next",
    mark("Both tapes into the cell"),
    _fused_at("decoder."),
    ("decoder.gates.weight", "decoder.gates.bias", *_TRANSFER, *EMBEDDING),
)
_STEP_AT_TAPE = Part(
    "next",
    mark("Into the LSTM"),
    _fused_at(""),
    tuple(f"network.{name}" for name in (*_TRANSFER, *EMBEDDING)),
)

SHALLOW = Walk(
    (
        r"[[context:\tilde{\gamma}_t = \sum_j [[softmax:\operatorname{softmax}_j\big([[scores:u^\top "
        r"[[features:\tanh([[keys:W_\gamma \gamma_j]] + W h_t)]]]] [[mask:+\, m_{tj}]]\big)]]\, \gamma_j]]",
        r"[[next:\tilde{h}_t = \tanh(W_c [\tilde{\gamma}_t; h_t])]], \quad "
        r"[[predict:p(y_t) = \operatorname{softmax}(E\, \tilde{h}_t + b)]]",
    ),
    (
        scores.KEYS,
        scores.FEATURES,
        scores.ADDITIVE,
        weights.MASK,
        weights.SOFTMAX,
        weights.CONTEXT,
        output.ATTENTIONAL,
        output.PREDICT,
    ),
    _LETTERS,
    note=mark(
        "The state h that attends to the source comes from the decoder's own tape. This tape knows nothing of the "
        "source: the two attentions are separate. Each tape has its own walk: choose self-attention above."
    ),
    of_self=Walk(
        (_TAPE_LINE, r"[[next:(h_t, c_t) = \operatorname{LSTM}(\tilde{h}_t, \tilde{c}_t, x_t)]]"),
        _READS_TAPE,
        LSTMN_WALK.letters,
    ),
)
DEEP = Walk(
    (
        r"[[context:[\tilde{\gamma}_t; \tilde{\alpha}_t] = \sum_j [[softmax:\operatorname{softmax}_j\big("
        r"[[scores:u^\top [[features:\tanh([[keys:W_\gamma \gamma_j]] + W_x x_t + "
        r"W_{\tilde{\gamma}} \tilde{\gamma}_{t-1})]]]] [[mask:+\, m_{tj}]]\big)]]\, [\gamma_j; \alpha_j]]]",
        r"[[next:c_t = r_t \odot \tilde{\alpha}_t + f_t \odot \tilde{c}_t + i_t \odot \hat{c}_t, \; "
        r"h_t = o_t \odot \tanh(c_t)]], \quad [[predict:p(y_t) = \operatorname{softmax}(E\, W_o h_t + b)]]",
    ),
    (
        Part("keys", mark("Keys of the source"), _deep_keys, ("key_weight.weight", "score_vector")),
        Part(
            "features", mark("Hidden layer"), _deep_features, ("input_weight.weight", "read_weight.weight", *EMBEDDING)
        ),
        scores.ADDITIVE,
        weights.MASK,
        weights.SOFTMAX,
        weights.CONTEXT,
        _STEP_AT_CROSS,
        Part(
            "predict",
            mark("The word written"),
            output.predict_from(_sized),
            ("output_weight.weight", *EMBEDDING, "output_bias"),
        ),
    ),
    replace(_LETTERS, query="q", value="\u03b3, \u03b1", context="\u03b3\u0303, \u03b1\u0303"),
    of_self=Walk(
        (
            _TAPE_LINE,
            r"[[next:c_t = r_t \odot \tilde{\alpha}_t + f_t \odot \tilde{c}_t + i_t \odot \hat{c}_t, \; "
            r"h_t = o_t \odot \tanh(c_t)]]",
        ),
        tuple(_in_decoder(_STEP_AT_TAPE, part) if part.key == "next" else part for part in _READS_TAPE),
        LSTMN_WALK.letters,
        note=mark("Only a decoder has the first term, which comes from the source. An encoder has no source."),
        also=(CROSS,),
    ),
    also=(TAPE,),
)
