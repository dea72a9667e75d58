"""The induction head: the network in float64, what it is trained on, its scores, and the shipped figures."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from models.experiments.induction_table import induction_table
from models.networks.seeding import seeded
from tests.support.reference import layer_norm, multi_head_attention
from tests.support.reference_networks import under
from training.induction import AttentionOnly, InductionRecipe, draw, held_out, losses, measured, patterns, scores

TINY = replace(
    InductionRecipe(), tokens=16, shortest=3, longest=5, width=8, sequences=4, segment=4, shown=3, points=(0, 2)
)
SEQUENCES = draw(TINY, np.random.default_rng(7), 4)


def test_the_network_equals_its_equations_in_float64() -> None:
    network = AttentionOnly(TINY, 2).double()
    parameters = {name: value.detach().numpy() for name, value in network.named_parameters()}
    ids = SEQUENCES[0].tolist()
    states = parameters["embedding.weight"][ids] + parameters["positions.weight"][: len(ids)]
    for layer in range(2):
        read = layer_norm(states, parameters[f"norms.{layer}.weight"], parameters[f"norms.{layer}.bias"])
        mask = np.tri(len(ids), dtype=bool)
        change, weights = multi_head_attention(
            read, read, under(parameters, f"layers.{layer}"), heads=TINY.heads, mask=mask
        )
        seen = patterns(network, SEQUENCES[:1])[0, layer * TINY.heads :][: TINY.heads]
        assert np.abs(seen - weights).max() < 1e-6  # recorded as float32
        states = states + change
    states = layer_norm(states, parameters["norms.2.weight"], parameters["norms.2.bias"])
    expected = states @ parameters["output.weight"].T + parameters["output.bias"]
    with torch.no_grad():
        assert np.abs(network(SEQUENCES[:1])[0].numpy() - expected).max() < 1e-10
        chances = np.exp(expected) / np.exp(expected).sum(axis=-1, keepdims=True)
        wanted = [-np.log(chances[place, token]) for place, token in enumerate(ids[1:])]
        assert np.abs(losses(network, SEQUENCES[:1])[0].numpy() - wanted).max() < 1e-10


def test_a_sequence_is_a_segment_of_different_tokens_twice_and_its_length_varies() -> None:
    assert all(row[:4] == row[4:] and len(set(row)) == 4 for row in SEQUENCES.tolist())
    assert len({tuple(row) for row in SEQUENCES.tolist()}) == len(SEQUENCES)


def test_scores_tell_an_induction_head_from_one_that_is_a_token_off_and_from_a_previous_token_head() -> None:
    names, count = [1, 2, 3, 1, 2], 5
    heads = np.zeros((3, count, count))
    heads[0, 3, 1] = heads[0, 4, 2] = 1  # what came after the token
    heads[1, 3, 2] = heads[1, 4, 3] = 1  # the one after that
    heads[2][range(1, count), range(count - 1)] = 1
    induction, shifted, previous = scores(heads, names)
    assert induction == [1, 0, 0]
    assert shifted == [0, 1, 1]  # with three tokens, two back is also the previous one
    assert previous == [0, 0, 1]


def test_a_table_has_every_run_and_its_patterns_are_those_of_the_first() -> None:
    table = measured(TINY, 1)
    assert [(run.layers, run.seed) for run in table.runs] == [(2, 1), (1, 1)]
    assert len(table.text) == 5
    with seeded(1):
        expected = patterns(AttentionOnly(TINY, 2), held_out(TINY)[1])[0]
    assert np.abs(table.weights(0) - expected).max() < 3 / 255  # half a step of each weight, and of the sum of five
    assert table.weights(1).sum(axis=-1) == pytest.approx(1, abs=0.02)
    assert len(table.runs[0].induction[1]) == 2 * TINY.heads


def test_the_shipped_head_is_born_with_two_layers_and_not_with_one() -> None:
    table = induction_table()
    assert table is not None
    recipe = asdict(InductionRecipe())
    assert {name: getattr(table, name) for name in recipe} == recipe
    assert table.weights(len(table.points) - 1).shape == (2 * table.heads, len(table.text), len(table.text))
    for run in table.runs:
        assert run.first[-1] > 4  # nobody can know a first copy
        if run.layers == 2:
            assert run.second[-1] < 0.1 < 4 < run.second[0]
            assert run.best[-1] > 0.6 > 0.1 > run.best[0]  # two heads may share the work
            assert max(run.shifted[-1]) < 0.25
        else:
            assert run.second[-1] > 2
            assert run.best[-1] < 0.2
