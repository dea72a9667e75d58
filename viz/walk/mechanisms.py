r"""Table of walk parts by mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from viz.text.language import mark
from viz.walk import (
    block,
    centre,
    choice,
    convolution,
    fusion,
    output,
    position_split,
    pyramid,
    relative,
    scores,
    weights,
)
from viz.walk import fixed_vector as vector
from viz.walk.hops import SELF_ATTENTIVE
from viz.walk.memory import LSTMN_WALK, MEMORY_WALKS
from viz.walk.scene import Letters
from viz.walk.slices import N_GRAM_WALK
from viz.walk.steps import Part, Walk


def _read(score: str, softmax: str = r"\operatorname{softmax}_s") -> str:
    """Return Luong's context for a score: the weighted sum of the encoder states."""
    inner = rf"[[softmax:{softmax}\big([[scores:{score}]] [[mask:+\, m_{{ts}}]]\big)]]"
    return rf"[[context:c_t = \sum_s {inner}\, h_s]]"


_JOIN = r"[[next:\tilde{s}_t = \tanh(W_c [c_t; s_t])]]"
_CHOOSE = r"[[predict:p(y_t) = \operatorname{softmax}(E\, \tilde{s}_t + b)]]"
_LUONG = Letters(query="s_t", key="h", score="e", weight="a", context="c")
_GENERAL = r"s_t^\top W_a h_s"
_WINDOW = r"[[mask:|s - p_t| \leq D]]"


def _luong(score: str, *parts: Part, before: str = "", behind: str = "", needs_states: bool = False) -> Walk:
    """Return the walk of a mechanism with Luong's data flow; `before` and `behind` are further lines of its formula."""
    lines = tuple(filter(None, (before, score, _JOIN, _CHOOSE, behind)))
    return Walk(lines, parts, _LUONG, needs_states)


def _local(centre: str, read: str, *parts: Part) -> Walk:
    return _luong(read, *parts, weights.CONTEXT, output.ATTENTIONAL, output.PREDICT, before=centre)


def _global(part: Part, mask: Part = weights.MASK) -> tuple[Part, ...]:
    return part, mask, weights.SOFTMAX, weights.CONTEXT, output.ATTENTIONAL, output.PREDICT


_BAHDANAU = Walk(
    (
        r"[[context:c_i = \sum_j [[softmax:\operatorname{softmax}_j\big([[scores:v^\top "
        r"[[features:\tanh(W s_{i-1} + [[keys:U h_j]])]]]] [[mask:+\, m_{ij}]]\big)]]\, h_j]]",
        r"[[next:s_i = \operatorname{GRU}(s_{i-1}, [y_{i-1}; c_i])]]",
        r"[[predict:p(y_i) = \operatorname{softmax}(E \tanh(W_t [s_i; y_{i-1}; c_i]) + b)]]",
    ),
    (
        scores.KEYS,
        scores.FEATURES,
        scores.ADDITIVE,
        weights.MASK,
        weights.SOFTMAX,
        weights.CONTEXT,
        output.GRU_NEXT,
        output.BAHDANAU_PREDICT,
    ),
    Letters(query="s", key="U h", weight=r"\alpha"),
)
_HARD = replace(
    _BAHDANAU,
    formula=(
        r"[[softmax:\alpha_i = \operatorname{softmax}_j\big([[scores:v^\top [[features:\tanh(W s_{i-1} + "
        r"[[keys:U h_j]])]]]] [[mask:+\, m_{ij}]]\big)]]",
        r"[[choose:z_{ij} = 1 \; \text{for} \; j = \operatorname{argmax}_k(\log \alpha_{ik} + g_{ik})]], \quad "
        r"[[context:c_i = \sum_j z_{ij} h_j]]",
        *_BAHDANAU.formula[1:],
    ),
    parts=(
        scores.KEYS,
        scores.FEATURES,
        scores.ADDITIVE,
        weights.MASK,
        weights.PROBABILITIES,
        choice.CHOICE,
        weights.CONTEXT,
        output.GRU_NEXT,
        output.BAHDANAU_PREDICT,
    ),
    note=mark(
        "The score and the data flow are Bahdanau's. Only the choice differs: one state is taken as it is, instead "
        "of the mean of all."
    ),
)
_CONCAT = replace(
    _luong(
        _read(r"v_a^\top [[features:\tanh(W s_t + [[keys:U h_s]])]]"),
        scores.KEYS,
        scores.FEATURES,
        *_global(scores.ADDITIVE),
        before=r"W_a [s_t; h_s] = W s_t + U h_s",
    ),
    letters=replace(_LUONG, key="U h"),
    note=mark(
        "The formula is Bahdanau's: one matrix on both states, concatenated, equals a matrix W on the query and a "
        "matrix U on the key. The data flow differs. Bahdanau's query is the state before the last written word is "
        "read in. There the context vector helps to make the next state. Here the query is the state after it, and "
        "the context vector is only joined to it."
    ),
)
_LOCAL_M = _local(
    r"[[centre:p_t = \min(t, S - 1)]], \quad " + _WINDOW,
    _read(_GENERAL),
    centre.MONOTONIC_CENTRE,
    scores.GENERAL,
    weights.WINDOW,
    weights.SOFTMAX,
)
_LOCAL_P = _local(
    r"[[centre:p_t = S\, \sigma(v_p^\top \tanh(W_p s_t))]], \quad " + _WINDOW,
    r"[[context:c_t = \sum_s [[gaussian:[[softmax:\operatorname{softmax}_s\big([[scores:s_t^\top W_a h_s]] "
    r"[[mask:+\, m_{ts}]]\big)]] \exp\Big(-\frac{(s - p_t)^2}{2 (D/2)^2}\Big)]]\, h_s]]",
    centre.PREDICTED_CENTRE,
    scores.GENERAL,
    weights.WINDOW,
    weights.RAW_SOFTMAX,
    weights.GAUSSIAN,
)
_HEADS = (scores.PRODUCT, scores.SCALING, weights.MASK, weights.SOFTMAX, weights.CONTEXT, output.MERGE)


def _attend(product: str, value: str) -> str:
    """Return the line of a head's context and of all of them merged, for what is scored and what is carried over."""
    score = rf"[[scaling:\frac{{{product}}}{{\sqrt{{d_{{head}}}}}}]]"
    return (
        rf"[[context:c_i = \sum_j [[softmax:\operatorname{{softmax}}_j\Big({score} [[mask:+\, m_{{ij}}]]\Big)]]\, "
        rf"{value}]], \quad [[merge:o_i = W_O\, [c_i^{{(0)}}; c_i^{{(1)}}; \ldots] + b_O]]"
    )


_PRODUCT = r"[[product:q_i k_j^\top]]"
_ATTEND = _attend(_PRODUCT, "v_j")
_EMBED = r"[[embed:x_i = \sqrt{d}\, E_{w_i} + P_i]]"
_PROJECT = r"[[project:q_i = W_Q \hat{x}_i, \; k_j = W_K \hat{x}_j, \; v_j = W_V \hat{x}_j]]"
_LAYER_NORM = r"\operatorname{LN}"
_PRE_LN = Walk(
    (
        _EMBED,
        rf"[[normalise:\hat{{x}}_i = {_LAYER_NORM}(x_i)]], \quad {_PROJECT}",
        _ATTEND,
        rf"[[add:x'_i = x_i + o_i]], \quad [[feedforward:x''_i = x'_i + W_2 \max(0, W_1 {_LAYER_NORM}(x'_i))]]",
        rf"[[predict:p(y_i) = \operatorname{{softmax}}(E\, {_LAYER_NORM}(x''_i) + b)]]",
    ),
    (block.EMBED, block.NORMALISE, block.PROJECT, *_HEADS, block.ADD, block.FEED_FORWARD, output.PRE_LN_PREDICT),
    Letters(query="q", key="k", value="v"),
)
_POST_LN = Walk(
    (
        _EMBED,
        _PROJECT.replace(r"\hat{x}", "x"),
        _ATTEND,
        rf"[[add:x'_i = {_LAYER_NORM}(x_i + o_i)]], \quad "
        rf"[[feedforward:x''_i = {_LAYER_NORM}(x'_i + W_2 \max(0, W_1 x'_i))]]",
        r"[[predict:p(y_i) = \operatorname{softmax}(E\, x''_i + b)]]",
    ),
    (block.EMBED, block.PROJECT, *_HEADS, block.ADD_AND_NORMALISE, block.FEED_AND_NORMALISE, output.POST_LN_PREDICT),
    Letters(query="q", key="k", value="v"),
)


def _with_positions(walk: Walk, split: Part) -> Walk:
    """Return `walk` with the score split into words and positions, after its scaling and in a line of its own."""
    after = walk.parts.index(scores.SCALING) + 1
    line = (
        r"[[split:\frac{q_i k_j^\top}{\sqrt{d_{head}}} = "
        r"\frac{(q^{w}_i + q^{p}_i)(k^{w}_j + k^{p}_j)^\top}{\sqrt{d_{head}}}]]"
    )
    parts = (*walk.parts[:after], split, *walk.parts[after:])
    return replace(walk, formula=(*walk.formula[:-2], line, *walk.formula[-2:]), parts=parts)


_RELATIVE_EMBED = r"[[embed:x_i = \sqrt{d}\, E_{w_i}]]"
_RELATIVE_SELF = replace(
    _PRE_LN,
    formula=(
        _RELATIVE_EMBED,
        _PRE_LN.formula[1],
        _attend(_PRODUCT + r" + [[distance:q_i (a^K_{j-i})^\top]]", "(v_j + a^V_{j-i})"),
        *_PRE_LN.formula[3:],
    ),
    parts=(
        relative.EMBED,
        block.NORMALISE,
        block.PROJECT,
        scores.PRODUCT,
        relative.DISTANCE,
        relative.SCALING,
        weights.MASK,
        weights.SOFTMAX,
        relative.CONTEXT,
        output.MERGE,
        block.ADD,
        block.FEED_FORWARD,
        output.PRE_LN_PREDICT,
    ),
)
_RELATIVE = replace(
    _PRE_LN,
    formula=(_RELATIVE_EMBED, *_PRE_LN.formula[1:]),
    parts=(relative.EMBED, *_PRE_LN.parts[1:]),
    of_self=_RELATIVE_SELF,
)
_CONVOLUTIONAL = Walk(
    (
        r"[[embed:g_i = E_{y_{i-1}} + P_i, \; x_i = W g_i + b]]",
        r"[[convolve:[A_i; B_i] = W [x_{i-k+1}; \ldots; x_i] + b]], \quad "
        r"[[gate:h_i = A_i \otimes \sigma(B_i)]], \quad [[project:d_i = W_d h_i + b_d + g_i]]",
        r"[[context:c_i = \sum_j [[softmax:\operatorname{softmax}_j"
        r"\big([[scores:d_i^\top z_j]] [[mask:+\, m_{ij}]]\big)]]\, [[value:(z_j + e_j)]]]]",
        r"[[add:h'_i = \sqrt{0.5}\, (h_i + \sqrt{n}\, c_i)]], \quad [[residual:x'_i = \sqrt{0.5}\, (h'_i + x_i)]]",
        r"[[predict:p(y_i) = \operatorname{softmax}(E\, (W_o x'_i + b_o) + b)]]",
    ),
    (
        convolution.EMBED,
        convolution.CONVOLVE,
        convolution.GATE,
        convolution.QUERY,
        scores.DOT,
        weights.MASK,
        weights.SOFTMAX,
        convolution.VALUE,
        weights.CONTEXT,
        convolution.ADD,
        convolution.RESIDUAL,
        convolution.PREDICT,
    ),
    Letters(query="d", key="z", value="z + e"),
)


def _one_vector(vector: str, step: str, state: str, *parts: Part) -> Walk:
    """Return the walk of a mechanism whose decoder gets one vector of the source."""
    written = rf"[[predict:p(y_t) = \operatorname{{softmax}}(E {state} + b)]]"
    return Walk((vector, f"[[next:{step}]]", written), parts, needs_states=True)


_RCTM = _one_vector(
    r"E_i = \tanh(K^i * E_{i-1}), \quad [[vector:e = \tanh(L * E_{\mathrm{last}})]]",
    r"h_t = \tanh(I\, y_{t-1} + R\, h_{t-1} + S\, e)",
    "(W h_t + w)",
    pyramid.FOLDED,
    pyramid.NEXT,
    output.STATE_PREDICT,
)
_ENCODER_DECODER = _one_vector(
    r"[[vector:s_0 = \tanh(V' c)]]",
    r"s_t = \operatorname{GRU}(s_{t-1}, [y_{t-1}; c])",
    r"\tanh(O [s_t; y_{t-1}; c])",
    vector.SUMMARY,
    vector.GRU_OF_VECTOR,
    output.SUMMARY_PREDICT,
)
_SEQ2SEQ = _one_vector(
    r"[[vector:(s_0, c_0) = (h_N, c_N)]]",
    r"(s_t, c_t) = \operatorname{LSTM}(s_{t-1}, c_{t-1}, y_{t-1})",
    "(R s_t + r)",
    vector.COPIED,
    vector.LSTM_ALONE,
    output.STATE_PREDICT,
)

WALKS: Mapping[str, Walk] = MappingProxyType(
    {
        "rctm": _RCTM,
        "rnn-encoder-decoder": _ENCODER_DECODER,
        "seq2seq": _SEQ2SEQ,
        "bahdanau": _BAHDANAU,
        "luong-dot": _luong(_read(r"s_t^\top h_s"), *_global(scores.DOT)),
        "luong-general": _luong(_read(_GENERAL), *_global(scores.GENERAL)),
        "luong-concat": _CONCAT,
        "luong-location": _luong(_read(r"(W_a s_t)_s"), *_global(scores.LOCATION, weights.KNOWN_MASK)),
        "luong-local-m": _LOCAL_M,
        "luong-local-p": _LOCAL_P,
        "luong-general-input-feeding": _luong(
            _read(_GENERAL),
            *_global(scores.GENERAL),
            output.FEED,
            behind=r"[[feed:s_{t+1} = \operatorname{LSTM}(s_t, [y_t; \tilde{s}_t])]]",
            needs_states=True,
        ),
        "hard": _HARD,
        "lstmn-shallow": fusion.SHALLOW,
        "lstmn-deep": fusion.DEEP,
        "convs2s": _CONVOLUTIONAL,
        "transformer-post-ln": _with_positions(_POST_LN, position_split.SPLIT),
        "transformer": _with_positions(_PRE_LN, position_split.SPLIT_OF_NORMALISED),
        "transformer-relative": _RELATIVE,
        "self-attentive": SELF_ATTENTIVE,
        **MEMORY_WALKS,
        "lstmn": LSTMN_WALK,
        "n-gram-rnn": N_GRAM_WALK,
    }
)
"""The walk of every mechanism of the catalogue, by its key."""
