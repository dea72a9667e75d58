"""The readers of one text in float64 numpy, from the equations of their papers: no torch.

A GPT, a BERT, a self-attentive reader, and language models with a memory.

Each takes the parameters by the names that a checkpoint has, and gives what the text scores, and the attention weights
by site, each [head, query, key].
"""

from __future__ import annotations

import math

import numpy as np

from tests.support.reference import Array, layer_norm, masked_softmax, multi_head_attention
from tests.support.reference_networks import Parameters, Result, read_with_lstm, under


def gelu(x: Array) -> Array:
    """X Phi(x), Hendrycks and Gimpel 2016, with the distribution function of the normal."""
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_by_tanh(x: Array) -> Array:
    """0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the same paper, as GPT-2 computes it."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _projected(parts: Parameters, names: dict[str, str]) -> Parameters:
    return {
        f"{ours}.{kind}": parts[f"{theirs}.{kind}"] for ours, theirs in names.items() for kind in ("weight", "bias")
    }


def _fused(parts: Parameters) -> Parameters:
    """Return W_Q, W_K, W_V and W_O of a GPT-2, which stores the first three side by side, and all [in, out]."""
    found = {"output.weight": parts["c_proj.weight"].T, "output.bias": parts["c_proj.bias"]}
    size = len(parts["c_proj.bias"])
    for place, name in enumerate(("query", "key", "value")):
        own = slice(place * size, (place + 1) * size)
        found[f"{name}.weight"], found[f"{name}.bias"] = (
            parts["c_attn.weight"][:, own].T,
            parts["c_attn.bias"][own],
        )
    return found


def gpt(parameters: Parameters, ids: list[int], *, heads: int, layers: int) -> Result:
    """Radford et al. 2019: h = x + attention(norm(x)), h + mlp(norm(h)), one norm at the end; row t reads 0 to t."""
    body, maps = under(parameters, "transformer"), {}
    states = body["wte.weight"][ids] + body["wpe.weight"][: len(ids)]
    past = np.tri(len(ids), dtype=bool)
    for layer in range(layers):
        parts = under(body, f"h.{layer}")
        read = layer_norm(states, parts["ln_1.weight"], parts["ln_1.bias"])
        change, maps[f"decoder.{layer}.self"] = multi_head_attention(
            read, read, _fused(under(parts, "attn")), heads=heads, mask=past
        )
        states = states + change
        read = layer_norm(states, parts["ln_2.weight"], parts["ln_2.bias"])
        wide = gelu_by_tanh(read @ parts["mlp.c_fc.weight"] + parts["mlp.c_fc.bias"])
        states = states + wide @ parts["mlp.c_proj.weight"] + parts["mlp.c_proj.bias"]
    states = layer_norm(states, body["ln_f.weight"], body["ln_f.bias"])
    return states @ body["wte.weight"].T, maps


def bert(
    parameters: Parameters, ids: list[int], segments: list[int], *, heads: int, layers: int
) -> tuple[Array, Array, dict[str, Array]]:
    """Devlin et al. 2019: the scores of masked words and those of "follows, does not", from the last states."""
    states, maps = bert_states(parameters, ids, segments, heads=heads, layers=layers)
    table, head = under(parameters, "bert.embeddings"), "cls.predictions"
    turned = _norm(
        parameters, f"{head}.transform.LayerNorm", gelu(_linear(parameters, f"{head}.transform.dense", states))
    )
    words = turned @ table["word_embeddings.weight"].T + parameters[f"{head}.bias"]
    pooled = np.tanh(_linear(parameters, "bert.pooler.dense", states[:1]))
    return words, _linear(parameters, "cls.seq_relationship", pooled)[0], maps


def _norm(parameters: Parameters, name: str, states: Array) -> Array:
    return layer_norm(states, parameters[f"{name}.weight"], parameters[f"{name}.bias"], 1e-12)


def _linear(parameters: Parameters, name: str, states: Array) -> Array:
    return states @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]


def bert_states(
    parameters: Parameters, ids: list[int], segments: list[int], *, heads: int, layers: int
) -> tuple[Array, dict[str, Array]]:
    """norm(x + sublayer(x)), layer after layer: the last states and the maps."""
    table, maps = under(parameters, "bert.embeddings"), {}

    def norm(name: str, states: Array) -> Array:
        return _norm(parameters, name, states)

    def linear(name: str, states: Array) -> Array:
        return _linear(parameters, name, states)

    states = table["word_embeddings.weight"][ids] + table["position_embeddings.weight"][: len(ids)]
    states = norm("bert.embeddings.LayerNorm", states + table["token_type_embeddings.weight"][segments])
    names = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}
    for layer in range(layers):
        name = f"bert.encoder.layer.{layer}"
        parts = _projected(under(parameters, f"{name}.attention"), names)
        change, maps[f"encoder.{layer}.self"] = multi_head_attention(states, states, parts, heads=heads)
        states = norm(f"{name}.attention.output.LayerNorm", states + change)
        wide = gelu(linear(f"{name}.intermediate.dense", states))
        states = norm(f"{name}.output.LayerNorm", states + linear(f"{name}.output.dense", wide))
    return states, maps


def self_attentive(parameters: Parameters, ids: list[int]) -> tuple[Array, Array, float]:
    """Lin et al. 2017: the scores of the classes; A = softmax(W_s2 tanh(W_s1 H')); P = ||A A' - I||_F^2 of it.

    H is a state a word, forward and backward beside each other; M = A H goes into relu(U M + b), and that into V x + d.
    """
    layer, embedded = under(parameters, "encoder.layer"), parameters["embedding.weight"][ids]
    forward, _ = read_with_lstm(embedded, layer, "_l0")
    backward, _ = read_with_lstm(embedded[::-1], layer, "_l0_reverse")
    states = np.concatenate([forward, backward[::-1]], axis=1)  # H: [word, 2 u]
    scores = parameters["second.weight"] @ np.tanh(parameters["first.weight"] @ states.T)  # [hop, word]
    weights = np.array([masked_softmax(row) for row in scores])
    read = (weights @ states).reshape(-1)  # the rows of M side by side
    hidden = np.maximum(parameters["hidden.weight"] @ read + parameters["hidden.bias"], 0)
    penalty = sum(
        (float(one @ other) - (i == j)) ** 2 for i, one in enumerate(weights) for j, other in enumerate(weights)
    )
    return parameters["output.weight"] @ hidden + parameters["output.bias"], weights, penalty


def additive_weights(keys: Array, query: Array, vector: Array) -> Array:
    """Return a = softmax(v' tanh(k_j + q)) of one query, over the keys that there are: [key]."""
    return masked_softmax(np.array([[vector @ np.tanh(key + query) for key in keys]]))[0]


def next_token_scores(parameters: Parameters, states: Array) -> Array:
    """E h* + b of each token: [token, vocabulary]."""
    return states @ parameters["embedding.weight"].T + parameters["output_bias"]


def attentive_language_model(parameters: Parameters, ids: list[int], *, parts: int, window: int) -> Result:
    """Daniluk et al. 2017: an output h_t is one vector, or [k_t; v_t], or [k_t; v_t; p_t] (equations 6 and 11).

    M = tanh(W^Y [k_(t-L) ... k_(t-1)] + W^h k_t), a = softmax(w' M), r_t = sum a_j v_j, h*_t = tanh(W^r r_t + W^x p_t).
    The first token, which has none before it, reads itself.
    """
    embedded = parameters["embedding.weight"][ids] * math.sqrt(parameters["embedding.weight"].shape[1])
    outputs, _ = read_with_lstm(embedded, under(parameters, "lstm"), "_l0")
    cut = np.split(outputs, parts, axis=1)
    keys, values, own = cut[0], cut[1 if parts > 1 else 0], cut[-1]
    weights, states = np.zeros((len(ids), len(ids))), []
    for t in range(len(ids)):
        near = range(max(0, t - window), t) if t else range(1)
        projected = np.array([parameters["key_weight.weight"] @ keys[j] for j in near])
        query = parameters["query_weight.weight"] @ keys[t]
        weights[t, list(near)] = additive_weights(projected, query, parameters["score_vector"])
        read = weights[t] @ values
        states.append(np.tanh(parameters["read_weight.weight"] @ read + parameters["own_weight.weight"] @ own[t]))
    return next_token_scores(parameters, np.array(states)), {"decoder.0.self": weights[None]}


def n_gram_language_model(parameters: Parameters, ids: list[int], *, order: int) -> Array:
    """Daniluk et al. 2017, equations 13 and 14: h*_t = tanh(W^N [h^1_t; h^2_(t-1); ...; h^(N-1)_(t-N+2)])."""
    embedded = parameters["embedding.weight"][ids] * math.sqrt(parameters["embedding.weight"].shape[1])
    outputs, _ = read_with_lstm(embedded, under(parameters, "lstm"), "_l0")
    size, states = outputs.shape[1] // (order - 1), []
    for t in range(len(ids)):
        slices = []
        for back in range(order - 1):
            whole = outputs[t - back] if t >= back else np.zeros(outputs.shape[1])
            slices.append(whole[back * size : (back + 1) * size])
        states.append(np.tanh(parameters["join.weight"] @ np.concatenate(slices)))
    return next_token_scores(parameters, np.array(states))


def lstmn(parameters: Parameters, ids: list[int]) -> Result:
    """Cheng et al. 2016, equations 4 to 9: an LSTM that goes on from h~_t and c~_t, read from a tape of all before.

    a_i^t = v' tanh(W_h h_i + W_x x_t + W_h~ h~_(t-1)), s^t = softmax(a^t), [h~_t; c~_t] = sum s_i^t [h_i; c_i]. Before
    the first token the tape has one slot of zeros, which is that token's own in the map.
    """
    embedded = parameters["embedding.weight"][ids] * math.sqrt(parameters["embedding.weight"].shape[1])
    size = len(parameters["score_vector"])
    h, c, read = [np.zeros(size)], [np.zeros(size)], np.zeros(size)
    weights, states = np.zeros((len(ids), len(ids))), []
    gates = under(parameters, "gates")
    for t, x in enumerate(embedded):
        first = min(t, 1)
        keys = np.array([parameters["key_weight.weight"] @ each for each in h[first:]])
        query = parameters["input_weight.weight"] @ x + parameters["read_weight.weight"] @ read
        weights[t, : len(keys)] = own = additive_weights(keys, query, parameters["score_vector"])
        read, cell = own @ np.array(h[first:]), own @ np.array(c[first:])
        into, keep, out, new = np.split(gates["weight"] @ np.concatenate([read, x]) + gates["bias"], 4)
        into, keep, out = (1 / (1 + np.exp(-each)) for each in (into, keep, out))
        c.append(keep * cell + into * np.tanh(new))
        h.append(out * np.tanh(c[-1]))
        states.append(parameters["output_weight.weight"] @ h[-1])
    return next_token_scores(parameters, np.array(states)), {"decoder.0.self": weights[None]}
