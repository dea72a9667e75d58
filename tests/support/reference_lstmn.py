"""The two translators of Cheng, Dong and Lapata 2016, section 4, in float64 numpy: one sentence, one forced target."""

from __future__ import annotations

import numpy as np

from tests.support.reference import Array
from tests.support.reference_networks import CROSS, Parameters, Result, embed, linear, logits, under


def softmax(scores: Array) -> Array:
    each = np.exp(scores - scores.max())
    return each / each.sum()


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def additive(parts: Parameters, keys: Array, query: Array) -> Array:
    """Return softmax_j(v' tanh(W key_j + query))."""
    hidden = np.tanh(keys @ parts["key_weight.weight"].T + query)
    return softmax(hidden @ parts["score_vector"])


class Tape:
    """An LSTMN, section 3.2, equations 4 to 9, one token at a time."""

    def __init__(self, parts: Parameters, h: Array, c: Array) -> None:
        self.parts, self.h, self.c = parts, [h], [c]
        self.read, self.rows = np.zeros(len(h)), []

    def step(self, x: Array, transferred: Array | float = 0.0) -> Array:
        """Return h_t; `transferred` is what deep fusion adds to the cell."""
        first = min(len(self.rows), 1)  # the slot before the first token is read by the first alone
        h, c = np.array(self.h[first:]), np.array(self.c[first:])
        query = self.parts["input_weight.weight"] @ x + self.parts["read_weight.weight"] @ self.read
        weights = additive(self.parts, h, query)
        self.rows.append(weights)
        self.read, cell = weights @ h, weights @ c
        gates = linear(np.concatenate((self.read, x)), under(self.parts, "gates"))
        into, keep, out, new = np.split(gates, 4)
        self.c.append(transferred + sigmoid(keep) * cell + sigmoid(into) * np.tanh(new))
        self.h.append(sigmoid(out) * np.tanh(self.c[-1]))
        return self.h[-1]

    def map(self) -> Array:
        """Return the weights, [1, token, token]."""
        found = np.zeros((len(self.rows), len(self.rows)))
        for t, row in enumerate(self.rows):
            found[t, : len(row)] = row
        return found[None]


def read_source(parameters: Parameters, source: list[int]) -> Tape:
    zeros = np.zeros(len(parameters["score_vector"]))
    tape = Tape(under(parameters, "encoder"), zeros, zeros)
    for x in embed(parameters, source):
        tape.step(x)
    return tape


def shallow(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """h_t = LSTMN(x_t); gamma~_t is read with h_t; tanh(W_c [gamma~_t; h_t]) predicts."""
    encoder = read_source(parameters, source)
    gamma = np.array(encoder.h[1:])
    decoder = Tape(under(parameters, "decoder"), encoder.h[-1], encoder.c[-1])
    rows, found = [], []
    for x in embed(parameters, inputs):
        h = decoder.step(x)
        rows.append(additive(parameters, gamma, parameters["query_weight.weight"] @ h))
        found.append(np.tanh(linear(np.concatenate((rows[-1] @ gamma, h)), under(parameters, "combine"))))
    return logits(parameters, found), {
        "encoder.0.self": encoder.map(),
        CROSS: np.array(rows)[None],
        "decoder.0.self": decoder.map(),
    }


def deep(parameters: Parameters, source: list[int], inputs: list[int]) -> Result:
    """gamma~_t and alpha~_t are read with x_t and gamma~_(t-1), before the step."""
    encoder = read_source(parameters, source)
    gamma, alpha = np.array(encoder.h[1:]), np.array(encoder.c[1:])
    decoder = Tape(under(parameters, "decoder"), encoder.h[-1], encoder.c[-1])
    rows, found, read = [], [], np.zeros(gamma.shape[1])
    for x in embed(parameters, inputs):
        query = parameters["input_weight.weight"] @ x + parameters["read_weight.weight"] @ read
        rows.append(additive(parameters, gamma, query))
        read = rows[-1] @ gamma
        gate = sigmoid(linear(np.concatenate((read, x)), under(parameters, "transfer")))
        h = decoder.step(x, gate * (rows[-1] @ alpha))
        found.append(parameters["output_weight.weight"] @ h)
    return logits(parameters, found), {
        "encoder.0.self": encoder.map(),
        CROSS: np.array(rows)[None],
        "decoder.0.self": decoder.map(),
    }
