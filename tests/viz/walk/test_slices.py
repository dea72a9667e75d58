"""The walk through the N-gram RNN: equal to a second writing of its equations, and to what the model went on with."""

from __future__ import annotations

from functools import cache
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest

import models
from models.experiments.arithmetic import decoder_run, parameters_at
from models.huggingface.embedded import local_models
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.readers import N_GRAM_RNN
from tests.support.reference_readers import n_gram_language_model
from viz.walk.formula import mathml, terms_of
from viz.walk.mechanisms import WALKS
from viz.walk.picture import picture_of
from viz.walk.scene import Scene
from viz.walk.slices import SLICES
from viz.walk.steps import look_at, take_steps

pytestmark = pytest.mark.skipif(N_GRAM_RNN not in local_models(), reason="its weights are not here")
TEXT = "How many lemons did my aunt sell to the hotel on Monday afternoon?"
WALK = WALKS["n-gram-rnn"]


@cache
def model() -> Any:
    return models.load(N_GRAM_RNN)


@cache
def trace() -> AttentionTrace:
    found: AttentionTrace = model().attend(TEXT)
    return found


def scene(row: int) -> Scene:
    ours = cast("Translator", model())
    run = decoder_run(ours, trace())
    assert len(run.states[0]) == len(trace().source) + 1
    return look_at(WALK, trace(), row=row, parameters=parameters_at(ours, None, WALK.parameters), states=run.states)


def test_it_puts_as_many_outputs_side_by_side_as_its_card_says() -> None:
    assert model().network.order == SLICES + 1


@pytest.mark.parametrize("row", [0, 1, 2, 7, -1])
def test_every_number_worked_out_is_that_of_the_model_and_of_the_reference(row: int) -> None:
    place = row % len(trace().source)
    at = scene(place)
    steps = take_steps(WALK, at)
    assert [step.key for step in steps] == ["vector", "next", "predict"]
    for step in steps:
        assert step.worked is not None
        np.testing.assert_allclose(step.worked.computed, step.worked.captured, atol=1e-5, err_msg=step.key)
        assert [each.made for each in step.strips].count(True) == 1
    parameters = {name: values.numpy().astype(np.float64) for name, values in model().network.state_dict().items()}
    scores = n_gram_language_model(parameters, list(trace().source.ids), order=SLICES + 1)[place]
    likeliest = np.exp(scores.max() - scores.max()) / np.exp(scores - scores.max()).sum()
    assert steps[-1].worked is not None
    np.testing.assert_allclose(steps[-1].worked.computed, likeliest, atol=1e-5)
    joined = next(each for each in steps[1].strips if each.symbol.startswith("h^1")).values[0]
    after = next(each for each in steps[1].strips if each.made).values[0]
    np.testing.assert_allclose(np.tanh(parameters["join.weight"] @ joined), after, atol=1e-5)


def test_the_picture_has_a_column_for_each_output_that_is_read_and_no_other() -> None:
    for row, wanted in ((0, 1), (1, 2), (7, 3)):
        at = scene(row)
        picture = picture_of(WALK, at, take_steps(WALK, at), "piece")
        assert len(picture["columns"]) == wanted
        assert str(wanted) in picture["vector"]
        assert picture["words"][0]["share"] == trace().predictions[row].alternatives[0][1]


def test_every_step_has_its_term_in_a_formula_that_closes_what_it_opens() -> None:
    assert {term for line in WALK.formula for term in terms_of(line)} == {part.key for part in WALK.parts}
    for line in WALK.formula:
        ElementTree.fromstring(mathml(line))
