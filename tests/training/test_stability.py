"""The four twins: their task, what is measured of them against autograd and by hand, and the shipped figures."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from models.experiments.stability_table import stability_table
from training.stability import (
    SPECIAL,
    Sentences,
    StabilityRecipe,
    aligned,
    build,
    draw,
    gradient_lengths,
    held_out,
    loss_of,
    measured,
)

TINY = replace(
    StabilityRecipe(), words=6, shortest=2, longest=3, layers=2, width=8, heads=2, feed_forward=8, sentences=4,
    warmup=2, points=(0, 2),
)  # fmt: skip


def test_a_sentence_is_translated_word_by_word_but_for_adjectives_before_nouns() -> None:
    batch = draw(StabilityRecipe(), np.random.default_rng(3), 8)
    half, words = 32, 64
    for source, target, order in zip(batch.source.tolist(), batch.labels.tolist(), batch.order.tolist(), strict=True):
        assert [word + words for word in (source[place] for place in order)] == target[:-1]
        expected, place = [], 0
        while place < 8:
            both = source[place : place + 2]
            swapped = place < 7 and both[0] < SPECIAL + half <= both[1]
            expected += [place + 1, place] if swapped else [place]
            place += 2 if swapped else 1
        assert order == expected
    assert not (batch.order == np.arange(8)).all()


@pytest.mark.parametrize("pre_norm", [True, False])
def test_gradient_lengths_are_those_of_finite_differences_in_float64(pre_norm: bool) -> None:
    network, batches = build(TINY, 4, pre_norm=pre_norm).double(), held_out(TINY)
    loss, lengths = gradient_lengths(network, batches)
    assert loss == pytest.approx(float(torch.stack([loss_of(network, each) for each in batches]).detach().mean()))
    assert len(lengths) == 2 * TINY.layers
    for layer, length in zip((*network.encoder, *network.decoder), lengths, strict=True):
        network.zero_grad()
        torch.stack([loss_of(network, each) for each in batches]).mean().backward()
        direction = [each.grad / length for each in layer.parameters()]  # of length 1, if `length` is right
        assert float(sum((each**2).sum() for each in direction)) == pytest.approx(1, abs=1e-10)
        ends = []
        for step in (1e-5, -2e-5, 1e-5):  # there and back
            with torch.no_grad():
                for each, along in zip(layer.parameters(), direction, strict=True):
                    each += step * along
                ends.append(float(torch.stack([loss_of(network, batch) for batch in batches]).mean()))
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(length, rel=1e-4)


def test_twins_of_a_seed_begin_with_the_same_matrices() -> None:
    one, other = (dict(build(TINY, 5, pre_norm=pre_norm).named_parameters()) for pre_norm in (True, False))
    assert set(other) <= set(one)
    assert all(torch.equal(one[name], values) for name, values in other.items())
    assert all("norm" in name for name in set(one) - set(other))


def test_alignment_counts_the_rows_whose_strongest_source_token_is_the_right_one() -> None:
    network, batches = build(TINY, 6, pre_norm=True), held_out(TINY)
    assert 0 < aligned(network, batches) < 1
    with torch.no_grad():  # no head can tell tokens apart: argmax is the first source token
        for layer in network.decoder:
            layer.cross.query.weight.zero_()
            layer.cross.query.bias.zero_()
    first = [Sentences(each.source, each.inputs, each.labels, np.zeros_like(each.order)) for each in batches]
    assert aligned(network, first) == 1
    none = [Sentences(each.source, each.inputs, each.labels, np.ones_like(each.order)) for each in batches]
    assert aligned(network, none) == 0


def test_a_table_has_every_twin_and_seed() -> None:
    table = measured(TINY, 2)
    twins = [(run.seed, *run.twin) for run in table.runs]
    assert len(set(twins)) == len(twins) == 8
    assert all(len(run.gradients[1]) == 4 and len(run.losses) == 2 for run in table.runs)
    assert table.chance == pytest.approx((2 / 3 + 3 / 4) / 5, abs=1e-4)  # a word of 2 has 3 keys, </s> among them


def test_the_shipped_figures_are_those_of_the_recipe_and_agree_with_the_paper_before_training() -> None:
    table = stability_table()
    assert table is not None
    recipe = asdict(StabilityRecipe())
    assert {name: getattr(table, name) for name in recipe} == recipe
    assert len(table.runs) == 12
    for run in table.runs:  # Xiong et al. 2020, figure 3: only post-LN has large gradients near the output
        first, last = run.gradients[0][table.layers], run.gradients[0][-1]
        assert (last > 2 * first) != run.pre_norm
