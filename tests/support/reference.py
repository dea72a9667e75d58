"""The equations of the papers in float64 numpy, written as the papers write them: by hand, slowly, without torch.

Arrays have no batch axis: states are [token, size], weights [query, key] or [head, query, key]. Vectors are column
vectors in the papers, so that W x is ``W @ x`` here and a matrix of an `nn.Linear` is used as it is stored.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def sigmoid(values: Array) -> Array:
    return 1 / (1 + np.exp(-values))


def masked_softmax(scores: Array, mask: Mask | None = None) -> Array:
    """a_j = exp(e_j) / sum_k exp(e_k), over the keys of each row that `mask` ([query, key], True) allows."""
    weights = np.zeros_like(scores)
    for row in np.ndindex(*scores.shape[:-1]):
        keys = [key for key in range(scores.shape[-1]) if mask is None or mask[(*row, key)]]
        highest = max(scores[(*row, key)] for key in keys)
        exponentials = {key: math.exp(scores[(*row, key)] - highest) for key in keys}
        total = math.fsum(exponentials.values())
        for key in keys:
            weights[(*row, key)] = exponentials[key] / total
    return weights


def additive_scores(query: Array, key: Array, query_weight: Array, key_weight: Array, score_vector: Array) -> Array:
    """e_ij = v' tanh(W s_(i-1) + U h_j), Bahdanau et al. 2015, appendix A.1.2."""
    scores = np.zeros((len(query), len(key)))
    for i, s in enumerate(query):
        for j, h in enumerate(key):
            scores[i, j] = score_vector @ np.tanh(query_weight @ s + key_weight @ h)
    return scores


def additive_scores_joined(query: Array, key: Array, weight: Array, score_vector: Array) -> Array:
    """e_ij = v' tanh(W [h_j; s_(i-1)]), the same with one matrix."""
    return np.array([[score_vector @ np.tanh(weight @ np.concatenate((h, s))) for h in key] for s in query])


def dot_scores(query: Array, key: Array) -> Array:
    """e_ts = s_t' h_s, Luong et al. 2015, section 3.1."""
    return np.array([[s @ h for h in key] for s in query])


def general_scores(query: Array, key: Array, weight: Array) -> Array:
    """e_ts = s_t' W_a h_s, Luong et al. 2015, section 3.1."""
    return np.array([[s @ (weight @ h) for h in key] for s in query])


def concat_scores(query: Array, key: Array, weight: Array, score_vector: Array) -> Array:
    """e_ts = v_a' tanh(W_a [s_t; h_s]), Luong et al. 2015, section 3.1."""
    return np.array([[score_vector @ np.tanh(weight @ np.concatenate((s, h))) for h in key] for s in query])


def location_weights(query: Array, weight: Array, source: int) -> Array:
    """a_t = softmax(W_a s_t), Luong et al. 2015, equation 8: of the first `source` scores; rows of W_a are positions.

    Positions beyond the rows of W_a get 0.
    """
    weights = np.zeros((len(query), source))
    known = min(source, len(weight))
    for t, s in enumerate(query):
        weights[t, :known] = masked_softmax(np.array([[row @ s for row in weight[:known]]]))[0]
    return weights


def local_monotonic_weights(scores: Array, *, width: int) -> Array:
    """a_ts = softmax over |s - t| <= D, Luong et al. 2015, section 3.2, local-m; t at most the last position."""
    weights = np.zeros_like(scores)
    last = scores.shape[1] - 1
    for t in range(len(scores)):
        centre = t if t <= last else last
        near = list(range(max(0, centre - width), min(last, centre + width) + 1))
        weights[t, near] = masked_softmax(scores[t, near][None])[0]
    return weights


def local_predictive_weights(
    scores: Array, query: Array, position_weight: Array, position_vector: Array, *, width: int
) -> tuple[Array, Array]:
    """a_ts = align(s, t) exp(-(s - p_t)^2 / (2 sigma^2)), Luong et al. 2015, equation 10, and p_t of equation 9.

    p_t = S sigmoid(v_p' tanh(W_p s_t)); sigma = D / 2; align is the softmax over the s from p_t - D to p_t + D.
    """
    weights, positions = np.zeros_like(scores), np.zeros(len(scores))
    source = scores.shape[1]
    sigma = width / 2
    for t, state in enumerate(query):
        p = positions[t] = source * sigmoid(position_vector @ np.tanh(position_weight @ state))
        near = [s for s in range(source) if p - width <= s <= p + width]
        align = masked_softmax(scores[t, near][None])[0]
        for s, a in zip(near, align, strict=True):
            weights[t, s] = a * math.exp(-((s - p) ** 2) / (2 * sigma**2))
    return weights, positions


def context(weights: Array, value: Array) -> Array:
    """c_i = sum_j a_ij h_j."""
    return np.array(
        [sum((a * h for a, h in zip(row, value, strict=True)), np.zeros(value.shape[1])) for row in weights]
    )


def scaled_dot_attention(query: Array, key: Array, value: Array, mask: Mask | None = None) -> tuple[Array, Array]:
    """softmax(Q K' / sqrt(d_k)) V, Vaswani et al. 2017, equation 1: [query, d_v] and the weights [query, key]."""
    weights = masked_softmax(dot_scores(query, key) / math.sqrt(query.shape[1]), mask)
    return context(weights, value), weights


def relative_attention(
    query: Array, key: Array, value: Array, parts: dict[str, Array], reach: int, mask: Mask | None = None
) -> tuple[Array, Array]:
    """Shaw et al. 2018, equations 3 and 4: z_i = sum_j a_ij (v_j + a^V_ij), e_ij = q_i (k_j + a^K_ij)' / sqrt(d)."""
    scores, read = np.zeros((len(query), len(key))), np.zeros((len(query), value.shape[1]))
    row = [[max(-reach, min(reach, j - i)) + reach for j in range(len(key))] for i in range(len(query))]
    for i in range(len(query)):
        for j in range(len(key)):
            scores[i, j] = query[i] @ (key[j] + parts["distance_key.weight"][row[i][j]]) / math.sqrt(query.shape[1])
    weights = masked_softmax(scores, mask)
    for i in range(len(query)):
        for j in range(len(key)):
            read[i] += weights[i, j] * (value[j] + parts["distance_value.weight"][row[i][j]])
    return read, weights


def multi_head_attention(
    states: Array,
    memory: Array,
    parts: dict[str, Array],
    *,
    heads: int,
    mask: Mask | None = None,
    reach: int | None = None,
) -> tuple[Array, Array]:
    """Concat(head_1, ..., head_h) W_O with head_i = Attention(Q W_i, K W_i, V W_i), Vaswani et al. 2017, section 3.2.2.

    Parameters
    ----------
    states, memory : array, [query, d_model] and [key, d_model]
    parts : dict
        ``query.weight``, ``query.bias`` and the same of ``key``, ``value`` and ``output``, as an `nn.Linear` has them.
    heads : int
    mask : array, [query, key], optional
    reach : int, optional
        k of Shaw et al. 2018, equations 3 and 4: ``distance_key.weight`` and ``distance_value.weight``, a row a
        distance from -k to k, are added to each query's keys and values.

    Returns
    -------
    array, [query, d_model], and the weights, [head, query, key]
    """
    d_head = states.shape[1] // heads
    projected = {
        name: np.array([parts[f"{name}.weight"] @ x + parts[f"{name}.bias"] for x in read])
        for name, read in (("query", states), ("key", memory), ("value", memory))
    }
    joined, all_weights = [], []
    for head in range(heads):
        own = slice(head * d_head, (head + 1) * d_head)
        q, k, v = (projected[name][:, own] for name in ("query", "key", "value"))
        read, weights = (
            scaled_dot_attention(q, k, v, mask) if reach is None else relative_attention(q, k, v, parts, reach, mask)
        )
        joined.append(read)
        all_weights.append(weights)
    together = np.concatenate(joined, axis=1)
    return np.array([parts["output.weight"] @ x + parts["output.bias"] for x in together]), np.array(all_weights)


def gru_cell(x: Array, state: Array, parts: dict[str, Array], suffix: str = "") -> Array:
    """One step of the gated recurrent unit as `nn.GRU` has it.

    r = sigmoid(W_ir x + b_ir + W_hr s + b_hr); z likewise; n = tanh(W_in x + b_in + r * (W_hn s + b_hn));
    s' = (1 - z) * n + z * s. The paper's cell resets before the product, W_hn (r * s), and swaps z and 1 - z.
    """
    of_input = np.split(parts[f"weight_ih{suffix}"] @ x + parts[f"bias_ih{suffix}"], 3)
    of_state = np.split(parts[f"weight_hh{suffix}"] @ state + parts[f"bias_hh{suffix}"], 3)
    reset = sigmoid(of_input[0] + of_state[0])
    update = sigmoid(of_input[1] + of_state[1])
    new = np.tanh(of_input[2] + reset * of_state[2])
    return (1 - update) * new + update * state


def lstm_cell(x: Array, state: Array, cell: Array, parts: dict[str, Array], suffix: str = "") -> tuple[Array, Array]:
    """One step as `nn.LSTM` has it: gates i, f, g, o; c' = f * c + i * g; s' = o * tanh(c')."""
    gates = parts[f"weight_ih{suffix}"] @ x + parts[f"bias_ih{suffix}"]
    gates = gates + parts[f"weight_hh{suffix}"] @ state + parts[f"bias_hh{suffix}"]
    enter, forget, new, leave = np.split(gates, 4)
    cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
    return sigmoid(leave) * np.tanh(cell), cell


def layer_norm(states: Array, weight: Array, bias: Array, epsilon: float = 1e-5) -> Array:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias for each token, the variance over N, not N - 1."""
    return np.array(
        [(x - x.mean()) / math.sqrt(((x - x.mean()) ** 2).mean() + epsilon) * weight + bias for x in states]
    )


def sinusoidal_positions(count: int, d_model: int) -> Array:
    """PE(p, 2i) = sin(p / 10000^(2i / d_model)), PE(p, 2i + 1) = cos of the same, Vaswani et al. 2017, section 3.5."""
    positions = np.zeros((count, d_model))
    for p in range(count):
        for i in range(d_model // 2):
            angle = p / 10000 ** (2 * i / d_model)
            positions[p, 2 * i], positions[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return positions
