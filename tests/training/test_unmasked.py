"""Twins with the mask and without: what the mask decides in a tiny form, and the shipped figures."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from models.readers.unmasked_table import unmasked_table
from training.unmasked import EDGE, MOST, RECIPE, alone, blocks, forced, train, written

TINY = replace(
    RECIPE, vocabulary=12, layers=1, width=32, heads=2, context=8, target_tokens=40_000, tokens_per_batch=256,
    warmup_steps=10, learning_rate=1e-2,
)  # fmt: skip
STREAM = np.random.default_rng(2).integers(1, 12, 4000)  # at random: nothing but copying can be learnt


def test_without_the_mask_a_twin_copies_what_it_is_given_and_is_at_chance_alone() -> None:
    lines = [torch.from_numpy(STREAM[at : at + 7]) for at in range(0, 700, 7)]
    masked, _ = train(TINY, STREAM, masked=True)
    unmasked, _ = train(TINY, STREAM, masked=False)
    assert forced(masked, lines) == pytest.approx(alone(masked, lines), abs=0.01)  # no later token counts
    assert forced(masked, lines)[0] < 0.25
    assert forced(unmasked, lines)[0] > 0.9
    assert alone(unmasked, lines)[0] < 0.25


def test_both_twins_read_the_same_blocks_which_are_whole_pieces_of_the_stream() -> None:
    first, again = list(blocks(STREAM, TINY)), list(blocks(STREAM, TINY))
    assert all(one.equal(other) for one, other in zip(first, again, strict=True))
    assert {each.shape[1] for each in first} == {5, 6, 7, 8, 9}
    text = " ".join(map(str, STREAM))
    assert all(" ".join(map(str, each[0].tolist())) in text for each in first[:20])


@pytest.mark.parametrize(("cycle", "expected"), [(5, [2, 3, 4, EDGE]), (50, list(range(2, 2 + MOST)))])
def test_what_is_written_ends_at_the_boundary_or_after_the_most_tokens(cycle: int, expected: list[int]) -> None:
    def count_on(ids: torch.Tensor) -> SimpleNamespace:
        return SimpleNamespace(logits=torch.nn.functional.one_hot((ids + 1) % cycle).float())

    assert written(count_on, torch.tensor([[EDGE, 1]]))[0].tolist() == [EDGE, 1, *expected]


def test_the_shipped_figures_are_those_of_the_recipe_and_part_where_later_words_are_missing() -> None:
    table = unmasked_table()
    assert table is not None
    assert (table.data, table.held_out, table.seed) == (RECIPE.files[0].path, RECIPE.test[0].path, RECIPE.seed)
    assert (table.layers, table.width, table.heads) == (RECIPE.layers, RECIPE.width, RECIPE.heads)
    assert RECIPE.target_tokens <= table.tokens < RECIPE.target_tokens + RECIPE.tokens_per_batch
    masked, unmasked = table.masked, table.unmasked
    assert masked.forced_right == pytest.approx(masked.alone_right, abs=0.001)
    assert unmasked.forced_right > masked.forced_right > unmasked.alone_right
    assert unmasked.written_perplexity > masked.written_perplexity
