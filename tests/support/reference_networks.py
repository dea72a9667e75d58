"""The translation networks in float64 numpy, from `reference`: one sentence, one forced target, no torch.

Each takes the parameters by the names of the network's ``state_dict()`` and gives the logits
[target, vocabulary] and the attention weights by site, each [head, query, key].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.support.reference import (
    Array,
    Mask,
    additive_scores,
    concat_scores,
    context,
    dot_scores,
    general_scores,
    gru_cell,
    layer_norm,
    local_monotonic_weights,
    local_predictive_weights,
    location_weights,
    lstm_cell,
    masked_softmax,
    multi_head_attention,
    sinusoidal_positions,
)

Parameters = dict[str, Array]
Result = tuple[Array, dict[str, Array]]
CROSS = "decoder.0.cross"


def under(parameters: Parameters, prefix: str) -> Parameters:
    """Return the parameters below `prefix`, by the rest of their names."""
    return {name[len(prefix) + 1 :]: value for name, value in parameters.items() if name.startswith(f"{prefix}.")}


def linear(x: Array, parts: Parameters) -> Array:
    return parts["weight"] @ x + parts.get("bias", np.zeros(len(parts["weight"])))


def embed(parameters: Parameters, tokens: list[int]) -> Array:
    """Rows of the embedding, scaled by the root of its size (Vaswani et al. 2017, section 3.4)."""
    table = parameters["embedding.weight"]
    return np.array([table[token] * np.sqrt(table.shape[1]) for token in tokens])


def logits(parameters: Parameters, states: list[Array] | Array) -> Array:
    """E x + b: the output layer is the embedding."""
    return np.array([parameters["embedding.weight"] @ x + parameters["output_bias"] for x in states])


def read_with_gru(embedded: Array, parts: Parameters, suffix: str) -> Array:
    """Return the states of a GRU that reads the rows of `embedded` in order."""
    state = np.zeros(parts[f"weight_hh{suffix}"].shape[1])
    states = []
    for x in embedded:
        state = gru_cell(x, state, parts, suffix)
        states.append(state)
    return np.array(states)


def read_with_lstm(embedded: Array, parts: Parameters, suffix: str) -> tuple[Array, Array]:
    """Return the states of an LSTM that reads the rows of `embedded` in order, and its last cell."""
    state = cell = np.zeros(parts[f"weight_hh{suffix}"].shape[1])
    states = []
    for x in embedded:
        state, cell = lstm_cell(x, state, cell, parts, suffix)
        states.append(state)
    return np.array(states), cell


def bahdanau(
    parameters: Parameters,
    source: list[int],
    inputs: list[int],
    choose: Callable[[Array, int], Array] = lambda weights, _: weights,
) -> Result:
    """Bahdanau et al. 2015: s_i = GRU(s_(i-1), [y_(i-1); c_i]), where c_i was read with s_(i-1).

    `choose` gives what is read with, [source], for a_i and i.
    """
    encoder = under(parameters, "encoder.layer")
    embedded = embed(parameters, source)
    forward = read_with_gru(embedded, encoder, "_l0")
    backward = read_with_gru(embedded[::-1], encoder, "_l0_reverse")[::-1]
    h = np.concatenate((forward, backward), axis=1)  # [source, 2 * d_encoder]

    s = np.tanh(linear(backward[0], under(parameters, "initial")))
    rows, hidden = [], []
    for y in embed(parameters, inputs):
        scores = additive_scores(
            s[None],
            h,
            parameters["query_weight.weight"],
            parameters["key_weight.weight"],
            parameters["score_vector"],
        )
        weights = choose(masked_softmax(scores)[0], len(rows))[None]
        c = context(weights, h)[0]
        s = gru_cell(np.concatenate((y, c)), s, under(parameters, "cell"))
        hidden.append(np.tanh(linear(np.concatenate((s, y, c)), under(parameters, "readout"))))
        rows.append(weights[0])
    return logits(parameters, hidden), {CROSS: np.array(rows)[None]}


def likeliest(weights: Array, _: int) -> Array:
    """Return one 1, at the place of the largest probability."""
    return np.eye(len(weights))[weights.argmax()]


def luong(
    parameters: Parameters,
    source: list[int],
    inputs: list[int],
    weigh: Callable[[Parameters, Array, Array, int], Array],
) -> Result:
    """Luong et al. 2015: s_t = LSTM(s_(t-1), y_(t-1)), c_t is read with s_t, and tanh(W_c [c_t; s_t]) predicts.

    `weigh` gives a_t, [source], for the parameters, s_t, the h and t. With a matrix ``feed`` the attentional state of
    the step before stands beside y in the input (section 3.3): its columns follow those of y.
    """
    encoder, decoder = under(parameters, "encoder.layer"), under(parameters, "decoder")
    embedded = embed(parameters, source)
    forward, forward_cell = read_with_lstm(embedded, encoder, "_l0")
    backward, backward_cell = read_with_lstm(embedded[::-1], encoder, "_l0_reverse")
    h = np.concatenate((forward, backward[::-1]), axis=1)  # [source, 2 * d_encoder]

    s, cell = np.concatenate((forward[-1], backward[-1])), np.concatenate((forward_cell, backward_cell))
    if "initial.weight" in parameters:
        s = np.tanh(linear(s, under(parameters, "initial")))
        cell = linear(cell, under(parameters, "initial_cell"))
    feeds = "feed.weight" in parameters
    if feeds:
        both = np.concatenate((decoder["weight_ih_l0"], parameters["feed.weight"]), axis=1)
        decoder = {**decoder, "weight_ih_l0": both}
    attentional = np.zeros(embedded.shape[1])
    rows, hidden = [], []
    for t, y in enumerate(embed(parameters, inputs)):
        s, cell = lstm_cell(np.concatenate((y, attentional)) if feeds else y, s, cell, decoder, "_l0")
        weights = weigh(parameters, s, h, t)
        c = context(weights[None], h)[0]
        attentional = np.tanh(linear(np.concatenate((c, s)), under(parameters, "combine")))
        hidden.append(attentional)
        rows.append(weights)
    return logits(parameters, hidden), {CROSS: np.array(rows)[None]}


def weigh_dot(parameters: Parameters, s: Array, h: Array, t: int) -> Array:
    return masked_softmax(dot_scores(s[None], h))[0]


def weigh_general(parameters: Parameters, s: Array, h: Array, t: int) -> Array:
    return masked_softmax(general_scores(s[None], h, parameters["general_weight"]))[0]


def weigh_concat(parameters: Parameters, s: Array, h: Array, t: int) -> Array:
    whole = np.concatenate((parameters["query_weight.weight"], parameters["key_weight.weight"]), axis=1)  # W_a
    return masked_softmax(concat_scores(s[None], h, whole, parameters["score_vector"]))[0]


def weigh_location(parameters: Parameters, s: Array, h: Array, t: int) -> Array:
    return location_weights(s[None], parameters["location_weight.weight"], len(h))[0]


def weigh_local_monotonic(parameters: Parameters, s: Array, h: Array, t: int, *, width: int) -> Array:
    rows = np.repeat(general_scores(s[None], h, parameters["general_weight"]), t + 1, axis=0)
    return local_monotonic_weights(rows, width=width)[t]


def weigh_local_predictive(parameters: Parameters, s: Array, h: Array, t: int, *, width: int) -> Array:
    scores = general_scores(s[None], h, parameters["general_weight"])
    parts = (parameters["position_weight.weight"], parameters["position_vector"])
    return local_predictive_weights(scores, s[None], *parts, width=width)[0][0]


def seq2seq(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """Sutskever et al. 2014: x_N ... x_1 </s> are read, and the decoder starts from the last state and cell."""
    read = [source[j] for j in range(len(source) - 2, -1, -1)] + [source[-1]]
    states, cell = read_with_lstm(embed(parameters, read), under(parameters, "encoder.layer"), "_l0")
    s, hidden = states[-1], []
    for y in embed(parameters, inputs):
        s, cell = lstm_cell(y, s, cell, under(parameters, "decoder"), "_l0")
        hidden.append(linear(s, under(parameters, "readout")))
    return logits(parameters, hidden), {}


def encoder_decoder(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """Cho et al. 2014: c = tanh(V h_N), s_0 = tanh(V' c), and c stands beside y in each step and in the readout."""
    last = read_with_gru(embed(parameters, source), under(parameters, "encoder.layer"), "_l0")[-1]
    c = np.tanh(parameters["summary.weight"] @ last)
    s, hidden = np.tanh(parameters["initial.weight"] @ c), []
    for y in embed(parameters, inputs):
        s = gru_cell(np.concatenate((y, c)), s, under(parameters, "cell"))
        hidden.append(np.tanh(linear(np.concatenate((s, y, c)), under(parameters, "readout"))))
    return logits(parameters, hidden), {}


def rctm(parameters: Parameters, source: list[int], inputs: list[int], *, widest: int) -> Result:
    """Kalchbrenner and Blunsom 2013: K^2, K^3, ... fold the source, L what is left; s = S e enters every step."""
    rows, width = embed(parameters, source), 2

    def fold(stack: str, width: int) -> Array:
        kernel = parameters[f"pyramid.{stack}.{width - 2}"][0]  # [width, d]
        places = range(len(rows) - width + 1)
        return np.tanh([[kernel[:, f] @ rows[p : p + width, f] for f in range(kernel.shape[1])] for p in places])

    while len(rows) > width:
        rows, width = fold("kernels", width), min(width + 1, widest)
    e = (fold("tops", len(rows)) if len(rows) > 1 else rows)[0]
    s = parameters["source.weight"] @ e
    h, hidden = np.zeros(len(e)), []
    for y in embed(parameters, inputs):
        h = np.tanh(parameters["entering.weight"] @ y + parameters["recurrence.weight"] @ h + s)
        hidden.append(linear(h, under(parameters, "readout")))
    return logits(parameters, hidden), {}


def feed_forward(parts: Parameters, states: Array) -> Array:
    """max(0, W_1 x + b_1) W_2 + b_2, Vaswani et al. 2017, equation 2."""
    return np.array(
        [linear(np.maximum(0, linear(x, under(parts, "expand"))), under(parts, "contract")) for x in states]
    )


def transformer(
    parameters: Parameters,
    source: list[int],
    inputs: list[int],
    *,
    heads: int,
    layers: int,
    pre_norm: bool,
    reach: int | None = None,
) -> Result:
    """Vaswani et al. 2017, normalised before each sublayer (pre-LN) or after it (post-LN, as in the paper).

    With `reach`, Shaw et al. 2018: no sinusoids, and vectors by distance in self-attention, clipped at `reach`.
    """
    maps: dict[str, Array] = {}

    def norm(name: str, states: Array) -> Array:
        parts = under(parameters, name)
        return layer_norm(states, parts["weight"], parts["bias"])

    def attend(layer: str, part: str, site: str, states: Array, memory: Array | None, mask: Mask | None) -> Array:
        norms = f"{layer}.norms.{1 if part == 'cross' else 0}"
        read = norm(norms, states) if pre_norm else states
        change, maps[site] = multi_head_attention(
            read,
            read if memory is None else memory,
            under(parameters, f"{layer}.{part}"),
            heads=heads,
            mask=mask,
            reach=None if part == "cross" else reach,
        )
        return states + change if pre_norm else norm(norms, states + change)

    def transform(layer: str, sublayer: int, states: Array) -> Array:
        norms = f"{layer}.norms.{sublayer}"
        if pre_norm:
            return states + feed_forward(under(parameters, layer), norm(norms, states))
        return norm(norms, states + feed_forward(under(parameters, layer), states))

    def enter(tokens: list[int]) -> Array:
        embedded = embed(parameters, tokens)
        return embedded + sinusoidal_positions(*embedded.shape) if reach is None else embedded

    memory = enter(source)
    for layer in range(layers):
        memory = attend(f"encoder.{layer}", "attention", f"encoder.{layer}.self", memory, None, None)
        memory = transform(f"encoder.{layer}", 1, memory)
    memory = norm("encoder_norm", memory) if pre_norm else memory

    past = np.tri(len(inputs), dtype=bool)  # row t may read keys 0 to t
    states = enter(inputs)
    for layer in range(layers):
        states = attend(f"decoder.{layer}", "attention", f"decoder.{layer}.self", states, None, past)
        states = attend(f"decoder.{layer}", "cross", f"decoder.{layer}.cross", states, memory, None)
        states = transform(f"decoder.{layer}", 2, states)
    return logits(parameters, norm("decoder_norm", states) if pre_norm else states), maps


def gated_convolution(parts: Parameters, states: Array, *, width: int, before: int) -> Array:
    """Gehring et al. 2017, section 3.2: A * sigmoid(B) of [A; B] = W [k states] + b, zeros beyond the ends.

    `before` of the k states stand before the place.
    """
    rows = []
    for place in range(len(states)):
        read = []
        for neighbour in range(place - before, place - before + width):
            read.append(states[neighbour] if 0 <= neighbour < len(states) else np.zeros(states.shape[1]))
        one, other = np.split(linear(np.concatenate(read), parts), 2)
        rows.append(one / (1 + np.exp(-other)))
    return np.array(rows)


def convs2s(parameters: Parameters, source: list[int], inputs: list[int], *, layers: int, width: int) -> Result:
    """Gehring et al. 2017: z of the source, then in each decoder layer d = W h + b + g, a = softmax(d z), h + c."""

    def mapped(name: str, states: Array) -> Array:
        return np.array([linear(each, under(parameters, name)) for each in states])

    half = np.sqrt(0.5)
    table = parameters["embedding.weight"]
    e = table[source] + parameters["source_positions.weight"][: len(source)]
    z = mapped("enter_encoder", e)
    for layer in range(layers):
        parts = under(parameters, f"encoder.{layer}.convolution")
        z = (gated_convolution(parts, z, width=width, before=width // 2) + z) * half
    z = mapped("leave_encoder", z)

    g = table[inputs] + parameters["target_positions.weight"][: len(inputs)]
    states, maps = mapped("enter_decoder", g), {}
    for layer in range(layers):
        parts = under(parameters, f"decoder.{layer}.convolution")
        h = gated_convolution(parts, states, width=width, before=width - 1)  # of the tokens so far alone
        weights = masked_softmax(dot_scores(mapped(f"decoder.{layer}.query", h) + g, z))
        c = context(weights, z + e) * len(source) * np.sqrt(1 / len(source))
        states = ((h + c) * half + states) * half
        maps[f"decoder.{layer}.cross"] = weights[None]
    return logits(parameters, mapped("leave_decoder", states)), maps
