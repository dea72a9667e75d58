"""The captioner of scenes in float64 numpy, from `reference`: pictures by hand, one scene, one forced caption."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.scenes.drawing import tiles
from tests.support.reference import Array, additive_scores, context, lstm_cell, masked_softmax, sigmoid
from tests.support.reference_networks import Parameters, embed, linear, logits, under


def picture_of(codes: list[int]) -> Array:
    """Nine tiles side by side, [colour channel, 36, 36]."""
    drawn = tiles().astype(np.float64)
    rows = [np.concatenate([drawn[code] for code in codes[at : at + 3]], axis=2) for at in (0, 3, 6)]
    return np.concatenate(rows, axis=1)


def convolve(image: Array, parts: Parameters, *, stride: int = 1, padding: int = 0) -> Array:
    """Return relu(W * image + b), place by place."""
    weight, bias = parts["weight"], parts["bias"]
    size = weight.shape[-1]
    padded = np.pad(image, ((0, 0), (padding, padding), (padding, padding)))
    count = (padded.shape[-1] - size) // stride + 1
    found = np.zeros((len(weight), count, count))
    for row in range(count):
        for column in range(count):
            part = padded[:, row * stride : row * stride + size, column * stride : column * stride + size]
            found[:, row, column] = (weight * part).sum(axis=(1, 2, 3)) + bias
    return np.maximum(found, 0)


def halve(image: Array) -> Array:
    """Return the largest of each square of four."""
    pairs = image.reshape(len(image), image.shape[1] // 2, 2, image.shape[2] // 2, 2)
    largest: Array = pairs.max(axis=(2, 4))
    return largest


def annotations(parameters: Parameters, codes: list[int]) -> Array:
    """Return a_i, [cell, d_annotation]."""
    encoder = under(parameters, "encoder")
    seen = halve(convolve(picture_of(codes), under(encoder, "edges"), padding=1))
    seen = halve(convolve(seen, under(encoder, "corners"), padding=1))
    things = convolve(seen, under(encoder, "things"), stride=3)
    cells = things.reshape(len(things), -1).T
    every = cells.mean(axis=0)
    mixed = [np.maximum(linear(np.concatenate((each, every)), under(encoder, "whole")), 0) for each in cells]
    return cells + np.array(mixed) + encoder["place"]


def show_tell(
    parameters: Parameters,
    codes: list[int],
    inputs: list[int],
    choose: Callable[[Array, int], Array] = lambda weights, _: weights,
) -> tuple[Array, Array]:
    """Xu et al. 2015: logits [word, vocabulary] and what is read, [word, cell].

    `choose` gives what is read with, [cell], for alpha_t and t.
    """
    a = annotations(parameters, codes)
    h, cell = np.split(np.tanh(linear(a.mean(axis=0), under(parameters, "initial"))), 2)
    keys = np.array([linear(each, under(parameters, "key_weight")) for each in a])
    rows, states = [], []
    for y in embed(parameters, inputs):
        projected = linear(h, under(parameters, "query_weight"))
        identity = np.eye(len(projected))
        scores = additive_scores(projected[None], keys, identity, identity, parameters["score_vector"])
        weights = choose(masked_softmax(scores)[0], len(rows))
        z = sigmoid(linear(h, under(parameters, "gate"))) * context(weights[None], a)[0]
        h, cell = lstm_cell(np.concatenate((y, z)), h, cell, under(parameters, "cell"))
        states.append(y + linear(h, under(parameters, "state_output")) + linear(z, under(parameters, "context_output")))
        rows.append(weights)
    return logits(parameters, states), np.array(rows)
