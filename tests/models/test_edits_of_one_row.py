"""Edits of one row, of every mechanism and of models of other libraries: over the mask, and in the order given."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import models
from models.edits import (
    Edit,
    harden,
    mask_key,
    sample,
    scale_scores,
    set_row,
    uniform_row,
    zero_row,
)
from models.hooks import AttentionWeights, capture
from models.sites import Site
from tests.support.huggingface_samples import TEXT, tiny_model
from tests.support.small_models import ATTENTIVE, translator

ROW, FAR = 3, 1e5  # scores of random models are a few hundredths apart at least
READERS = ("hf:lstmn-en", "hf:attention-lm-en", "hf:key-value-en", "hf:self-attentive-en")
PRETRAINED = ("bert", "mistral", "gpt_oss", "t5", "bart", "gemma2")
EVERY = (*ATTENTIVE, *READERS, *(f"tiny:{family}" for family in PRETRAINED))


@cache
def model_of(name: str) -> Any:
    kind, _, key = name.rpartition(":")
    if kind == "tiny":
        return tiny_model(key)
    return models.load(name) if kind else translator(key)


@cache
def place_of(name: str) -> str:
    return str(model_of(name).attend(TEXT).sites[0])


def weights_of(name: str, *edits: Edit) -> tuple[str, NDArray[np.float32]]:
    """Return the place of the first map that edits are tried on, and its weights, the same target forced."""
    model = model_of(name)
    target = "le chat est dans la maison" if name in (*ATTENTIVE, "tiny:t5", "tiny:bart") else None  # none writes on
    place = "decoder.0.cross" if name in ATTENTIVE else place_of(name)
    return place, model.attend(TEXT, target, edits=edits)[place].weights


@pytest.mark.parametrize("name", EVERY)
def test_a_row_spread_evenly_has_the_same_weight_at_every_key_of_the_mask_however_far_apart_scores_are(
    name: str,
) -> None:
    place, plain = weights_of(name, scale_scores("*.*.*", 0))  # no score hides a key then: what is 0 is masked
    allowed = plain > 0 if name != "hard" else np.ones_like(plain, dtype=bool)
    _, edited = weights_of(name, scale_scores(place, FAR), uniform_row(place, None, None))
    rows = allowed.any(-1)  # the first token of a text has none before it
    even = allowed[rows] / allowed[rows].sum(-1, keepdims=True)
    np.testing.assert_allclose(edited[rows], even, atol=1e-6)


def test_scores_200_apart_hide_no_key_from_a_row_that_is_spread_evenly() -> None:
    place = Site("decoder", 0, "cross")
    scores = torch.tensor([[[[200.0, 0, 0, -200.0], [0, 200, 0, 0]]]])
    assert (scores.softmax(-1) == 0).any()
    for mask, keys in ((None, 4), (torch.tensor([True, True, True, False]), 3)):
        with capture((), (uniform_row(str(place), None, None),)):
            weights = AttentionWeights(place)(scores, mask)
        assert weights[..., :keys].unique().tolist() == [float(torch.tensor(1 / keys))]
        assert not weights[..., keys:].any()


def in_order(row: NDArray[np.float32], allowed: NDArray[np.bool_], edits: tuple[Edit, ...]) -> NDArray[np.float32]:
    """Return one row of weights, [head, key], with each edit made on what the one before left."""
    values = row[:, None]
    for edit in edits:
        values = edit.apply(values, ROW, mask=allowed[:, None])
    return np.asarray(values[:, 0])


@pytest.mark.parametrize("name", EVERY)
def test_edits_of_one_row_act_in_the_order_given_each_on_what_the_one_before_left(name: str) -> None:
    place, plain = weights_of(name)
    _, level = weights_of(name, scale_scores("*.*.*", 0))
    allowed = level[:, ROW] > 0 if name != "hard" else np.ones_like(plain[:, ROW], dtype=bool)
    spread, hard, half = uniform_row(place, None, ROW), harden(place, None, ROW), set_row(place, 0, ROW, (0, 1.0), 0.5)
    whole, off, drawn = set_row(place, 0, ROW, (0, 1.0), 1), zero_row(place, None, ROW), sample(place, None, ROW, 7)
    for edits in permutations((spread, hard, half, whole, off, drawn), 2):
        if name == "hard" and edits[0] == drawn:
            continue  # it draws from what hard attention chooses from, see below
        _, edited = weights_of(name, *edits)
        np.testing.assert_allclose(
            edited[:, ROW], in_order(plain[:, ROW], allowed, edits), atol=2e-6, err_msg=f"{edits}"
        )


def test_a_draw_of_hard_attention_acts_in_its_turn_too() -> None:
    place, plain = weights_of("hard")
    draws = [sample(place, None, ROW, seed) for seed in range(12)]
    alone = [weights_of("hard", draw)[1][:, ROW] for draw in draws]
    strongest = plain[:, ROW]
    assert any((row != strongest).any() for row in alone)
    for draw, row in zip(draws, alone, strict=True):
        for after in (harden(place, None, ROW), draws[0]):
            np.testing.assert_array_equal(weights_of("hard", draw, after)[1][:, ROW], row)
        np.testing.assert_array_equal(weights_of("hard", harden(place, None, ROW), draw)[1][:, ROW], strongest)
        even = weights_of("hard", draw, uniform_row(place, None, ROW))[1][:, ROW]
        np.testing.assert_allclose(even, 1 / even.shape[-1], atol=1e-6)


@pytest.mark.parametrize("name", [*ATTENTIVE, "tiny:bert", "tiny:t5"])
def test_the_scores_and_the_mask_are_edited_before_the_weights_wherever_they_are_given(name: str) -> None:
    place = weights_of(name)[0]
    before = (mask_key(place, 1), scale_scores(place, 0.5))
    row = uniform_row(place, None, ROW)
    _, first = weights_of(name, *before, row)
    _, last = weights_of(name, row, *before)
    np.testing.assert_array_equal(first, last)
    assert not first[:, ROW, 1].any()
