"""The three translation networks in float64 numpy, from `reference`: one sentence, one forced target, no torch.

Each takes the parameters by the names of the network's ``state_dict()`` and gives the logits
[target, vocabulary] and the attention weights by site, each [head, query, key].
"""

from __future__ import annotations

import numpy as np

from reference import (
    Array,
    Mask,
    additive_scores,
    context,
    general_scores,
    gru_cell,
    layer_norm,
    lstm_cell,
    masked_softmax,
    multi_head_attention,
    sinusoidal_positions,
)

Parameters = dict[str, Array]
Result = tuple[Array, dict[str, Array]]


def under(parameters: Parameters, prefix: str) -> Parameters:
    """Give the parameters below `prefix`, by the rest of their names."""
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


def bahdanau(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """Bahdanau et al. 2015: s_i = GRU(s_(i-1), [y_(i-1); c_i]), where c_i was read with s_(i-1)."""
    encoder = under(parameters, "encoder.layer")
    embedded = embed(parameters, source)
    size = encoder["weight_hh_l0"].shape[1]
    forward, backward = np.zeros((len(source), size)), np.zeros((len(source), size))
    state = np.zeros(size)
    for j in range(len(source)):
        state = forward[j] = gru_cell(embedded[j], state, encoder, "_l0")
    state = np.zeros(size)
    for j in reversed(range(len(source))):
        state = backward[j] = gru_cell(embedded[j], state, encoder, "_l0_reverse")
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
        weights = masked_softmax(scores)
        c = context(weights, h)[0]
        s = gru_cell(np.concatenate((y, c)), s, under(parameters, "cell"))
        hidden.append(np.tanh(linear(np.concatenate((s, y, c)), under(parameters, "readout"))))
        rows.append(weights[0])
    return logits(parameters, hidden), {"decoder.0.cross": np.array(rows)[None]}


def luong_general(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """Luong et al. 2015: s_t = LSTM(s_(t-1), y_(t-1)), c_t is read with s_t, and tanh(W_c [c_t; s_t]) predicts."""
    encoder = under(parameters, "encoder.layer")
    embedded = embed(parameters, source)
    size = encoder["weight_hh_l0"].shape[1]
    forward, backward = np.zeros((len(source), size)), np.zeros((len(source), size))
    state, cell = np.zeros(size), np.zeros(size)
    for j in range(len(source)):
        state, cell = lstm_cell(embedded[j], state, cell, encoder, "_l0")
        forward[j] = state
    last_cells = [cell]
    state, cell = np.zeros(size), np.zeros(size)
    for j in reversed(range(len(source))):
        state, cell = lstm_cell(embedded[j], state, cell, encoder, "_l0_reverse")
        backward[j] = state
    last_cells.append(cell)
    h = np.concatenate((forward, backward), axis=1)  # [source, 2 * d_encoder]

    s = np.tanh(linear(np.concatenate((forward[-1], backward[0])), under(parameters, "initial")))
    cell = linear(np.concatenate(last_cells), under(parameters, "initial_cell"))
    rows, hidden = [], []
    for y in embed(parameters, inputs):
        s, cell = lstm_cell(y, s, cell, under(parameters, "decoder"), "_l0")
        weights = masked_softmax(general_scores(s[None], h, parameters["general_weight"]))
        c = context(weights, h)[0]
        hidden.append(np.tanh(linear(np.concatenate((c, s)), under(parameters, "combine"))))
        rows.append(weights[0])
    return logits(parameters, hidden), {"decoder.0.cross": np.array(rows)[None]}


def feed_forward(parts: Parameters, states: Array) -> Array:
    """max(0, W_1 x + b_1) W_2 + b_2, Vaswani et al. 2017, equation 2."""
    return np.array(
        [linear(np.maximum(0, linear(x, under(parts, "expand"))), under(parts, "contract")) for x in states]
    )


def transformer(
    parameters: Parameters, source: list[int], inputs: list[int], *, heads: int, layers: int, pre_norm: bool
) -> Result:
    """Vaswani et al. 2017, normalised before each sublayer (pre-LN) or after it (post-LN, as in the paper)."""
    maps: dict[str, Array] = {}

    def norm(name: str, states: Array) -> Array:
        parts = under(parameters, name)
        return layer_norm(states, parts["weight"], parts["bias"])

    def attend(layer: str, part: str, site: str, states: Array, memory: Array | None, mask: Mask | None) -> Array:
        norms = f"{layer}.norms.{1 if part == 'cross' else 0}"
        read = norm(norms, states) if pre_norm else states
        change, maps[site] = multi_head_attention(
            read, read if memory is None else memory, under(parameters, f"{layer}.{part}"), heads=heads, mask=mask
        )
        return states + change if pre_norm else norm(norms, states + change)

    def transform(layer: str, sublayer: int, states: Array) -> Array:
        norms = f"{layer}.norms.{sublayer}"
        if pre_norm:
            return states + feed_forward(under(parameters, layer), norm(norms, states))
        return norm(norms, states + feed_forward(under(parameters, layer), states))

    size = parameters["embedding.weight"].shape[1]
    memory = embed(parameters, source) + sinusoidal_positions(len(source), size)
    for layer in range(layers):
        memory = attend(f"encoder.{layer}", "attention", f"encoder.{layer}.self", memory, None, None)
        memory = transform(f"encoder.{layer}", 1, memory)
    memory = norm("encoder_norm", memory) if pre_norm else memory

    past = np.tri(len(inputs), dtype=bool)  # row t may read keys 0 to t
    states = embed(parameters, inputs) + sinusoidal_positions(len(inputs), size)
    for layer in range(layers):
        states = attend(f"decoder.{layer}", "attention", f"decoder.{layer}.self", states, None, past)
        states = attend(f"decoder.{layer}", "cross", f"decoder.{layer}.cross", states, memory, None)
        states = transform(f"decoder.{layer}", 2, states)
    return logits(parameters, norm("decoder_norm", states) if pre_norm else states), maps
