"""A GPT, a BERT and a self-attentive reader in float64 numpy, from the equations of their papers: one text, no torch.

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
    """Devlin et al. 2019: norm(x + sublayer(x)); the scores of masked words and those of "follows, does not"."""
    body, maps = under(parameters, "bert"), {}
    table = under(body, "embeddings")

    def norm(name: str, states: Array) -> Array:
        return layer_norm(states, parameters[f"{name}.weight"], parameters[f"{name}.bias"], 1e-12)

    def linear(name: str, states: Array) -> Array:
        return states @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]

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
    head = "cls.predictions"
    turned = norm(f"{head}.transform.LayerNorm", gelu(linear(f"{head}.transform.dense", states)))
    words = turned @ table["word_embeddings.weight"].T + parameters[f"{head}.bias"]
    pooled = np.tanh(linear("bert.pooler.dense", states[:1]))
    return words, linear("cls.seq_relationship", pooled)[0], maps


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
