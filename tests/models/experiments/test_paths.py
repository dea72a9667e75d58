"""Path length: steps against a search through the graph, gradients against differences and the exact derivative."""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import numpy as np
import pytest
import torch

import models
from models.experiments.path_lengths import (
    ATTENTION,
    MOST,
    RECURRENT,
    Paths,
    by_distance,
    fewest_steps,
    steps_in_turn,
)
from models.experiments.paths import gradients, layers_of, paths_of, products, states_from, twin_of
from models.mechanisms import mechanisms
from models.translation.translator import Translator

KEYS = ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")
TEXT = "A small bird sang all day."

Node = tuple[int, int, int]
"""Layer, direction, place; the embeddings are layer 0."""


def readers(layers: tuple[int, ...], places: int) -> dict[Node, list[Node]]:
    """Return what reads each node, edge by edge."""
    found: dict[Node, list[Node]] = {}

    def add(read: Node, by: Node) -> None:
        found.setdefault(read, []).append(by)

    for number, layer in enumerate(layers, 1):
        below = (0, 1) if number > 1 and layers[number - 2] == RECURRENT else (0,)
        for at in range(places):
            for side in (0, 1) if layer == RECURRENT else (0,):
                reach = {ATTENTION: places, RECURRENT: 0}.get(layer, layer // 2)
                for other in range(max(at - reach, 0), min(at + reach + 1, places)):
                    for each in below:
                        add((number - 1, each, other), (number, side, at))
            if layer == RECURRENT and at:
                add((number, 0, at - 1), (number, 0, at))
                add((number, 1, at), (number, 1, at - 1))
    return found


@pytest.mark.parametrize(
    "layers",
    [(RECURRENT,), (ATTENTION,) * 3, (3, 3, 3), (5,), (RECURRENT, RECURRENT), (RECURRENT, 3, ATTENTION)],
)
def test_steps_are_those_of_a_search_breadth_first(layers: tuple[int, ...]) -> None:
    places, graph = 7, readers(layers, 7)
    expected = np.full((places, places), np.inf)
    for word in range(places):
        seen, queue = {(0, 0, word): 0}, deque([(0, 0, word)])
        while queue:
            node = queue.popleft()
            for reader in graph.get(node, []):
                if reader not in seen:
                    seen[reader] = seen[node] + 1
                    queue.append(reader)
        for (layer, _side, at), steps in seen.items():
            if layer == len(layers):
                expected[at, word] = min(expected[at, word], steps)
    np.testing.assert_array_equal(fewest_steps(layers, places), expected)


def test_the_encoders_have_the_paths_that_the_papers_say() -> None:
    apart = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    np.testing.assert_array_equal(fewest_steps((RECURRENT,), 6), apart + 1)
    assert (fewest_steps((ATTENTION,) * 3, 6) == 3).all()
    np.testing.assert_array_equal(np.isfinite(fewest_steps((3, 3), 6)), apart <= 2)
    assert [steps_in_turn(layers, 6) for layers in ((RECURRENT,), (ATTENTION,) * 3, (3, 3))] == [6, 3, 2]
    np.testing.assert_array_equal(by_distance(apart.astype(float)), np.arange(6))


def loaded(key: str) -> Translator:
    model = models.load(key)
    assert isinstance(model, Translator)
    return model


@pytest.mark.parametrize("key", ["luong-general-en-fr", "transformer-en-fr"])
def test_gradients_are_those_of_differences_and_of_the_whole_derivative(key: str) -> None:
    """In float64: a row of the derivative against central differences; its size, estimated, against all of it."""
    model = loaded(key)
    network: Any = copy.deepcopy(twin_of(model)).double()
    ids = torch.tensor([model.tokenizer.sequence(list(range(5, 11))).ids])
    embedded = network.embedding(ids).detach()
    size = states_from(network, embedded, ids).shape[-1]
    several = embedded.repeat(size, 1, 1).requires_grad_()  # of text k the k-th number of state 1 is derived
    with torch.enable_grad():
        own = states_from(network, several, ids.expand(size, -1))[:, 1].diagonal()
        (rows,) = torch.autograd.grad(own.sum(), several)
    change = torch.zeros_like(embedded)
    change[0, 1, 3] = 1e-5
    with torch.no_grad():
        more, less = (states_from(network, embedded + sign * change, ids)[0, 1, 7] for sign in (1, -1))
    assert float(rows[7, 1, 3]) == pytest.approx(float(more - less) / 2e-5, rel=1e-5, abs=1e-10)
    exact = rows.square().sum(dim=(0, 2)).sqrt()
    np.testing.assert_allclose(gradients(network, ids, signs=24)[1], exact, rtol=0.2)


@pytest.mark.parametrize("key", [*KEYS, "luong-local-m-en-fr", "convs2s-en-fr"])
def test_every_size_of_a_gradient_that_is_shown_is_near_the_exact_one(key: str) -> None:
    model = loaded(key)
    network, ids = twin_of(model), torch.tensor([model.attend("The old dog sleeps.").source.ids])
    count, exact = ids.shape[1], []
    for state in range(count):
        embedded = network.embedding(ids).detach()
        size = states_from(network, embedded, ids).shape[-1]
        several = embedded.repeat(size, 1, 1).requires_grad_()
        with torch.enable_grad():
            own = states_from(network, several, ids.expand(size, -1))[:, state].diagonal()
            (rows,) = torch.autograd.grad(own.sum(), several)
        exact.append(rows.square().sum(dim=(0, 2)).sqrt())
    near = gradients(network, ids) / torch.stack(exact).clamp(min=1e-12)
    there = torch.stack(exact) > 1e-12
    assert (near[there] - 1).abs().max() < 0.35


def test_operations_are_counted_as_the_formulas_have_them() -> None:
    ids = torch.tensor([list(range(5, 15))])
    gru = twin_of(loaded("bahdanau-en-fr"))
    d = 256
    assert products(gru, ids) == 10 * (2 * 3 * (d * d + d * d) + 2 * d * d)  # both directions, and the keys
    lstm = twin_of(loaded("luong-general-en-fr"))
    assert products(lstm, ids) == 10 * 2 * 4 * (d * d + d * d)
    transformer = twin_of(loaded("transformer-en-fr"))
    assert products(transformer, ids) == 3 * 10 * (4 * d * d + 2 * d * 1024 + 2 * 10 * d)


def test_a_text_of_shipped_models_has_its_paths_and_one_that_is_too_long_is_refused() -> None:
    for key in KEYS:
        model = loaded(key)
        found = paths_of(model, TEXT)
        count = len(model.attend(TEXT).source)
        assert found.steps.shape == found.gradients.shape == (count, count)
        sizes = by_distance(found.gradients)
        assert sizes[0] == sizes.max()
        again = Paths.from_arrays(found.arrays())
        assert (again.in_turn, again.products) == (found.in_turn, found.products)
    with pytest.raises(models.InputError, match=str(MOST)):
        paths_of(loaded(KEYS[0]), "bird " * MOST)
    with pytest.raises(KeyError, match="no state"):
        layers_of(loaded("seq2seq-en-fr").network)


def test_what_a_convolution_does_not_reach_has_neither_steps_nor_gradient() -> None:
    network = mechanisms()["convs2s"].build(vocabulary=20)
    network.eval().requires_grad_(False)
    ids = torch.tensor([[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]])
    steps = fewest_steps(layers_of(network), ids.shape[1])
    np.testing.assert_array_equal(gradients(network, ids).numpy() > 0, np.isfinite(steps))
