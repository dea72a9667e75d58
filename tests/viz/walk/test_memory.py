"""The walks through language models with a memory: each number worked out is the one that the model went on with."""

from __future__ import annotations

from functools import cache
from typing import cast
from xml.etree import ElementTree

import numpy as np
import pytest

import models
from models.experiments.arithmetic import parameters_at
from models.huggingface.embedded import local_models
from models.networks.memory_models import MEMORY
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.readers import LANGUAGE_MODELS
from viz.walk.formula import mathml, terms_of
from viz.walk.mechanisms import WALKS
from viz.walk.picture import picture_of
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps

TEXT = (
    "How many lemons did my aunt sell to the hotel, and how many did she keep for the pie that she baked on Monday "
    "afternoon?"
)
each_model = pytest.mark.parametrize("key", [key for key in LANGUAGE_MODELS if key in local_models()])


@cache
def trace(key: str) -> AttentionTrace:
    return models.load(key).attend(TEXT, sites=("*",))


def scene(key: str, row: int, column: int | None = None) -> Scene:
    walk = WALKS[trace(key).provenance.mechanism]
    parameters = parameters_at(cast("Translator", models.load(key)), MEMORY, walk.parameters)
    return look_at(walk, trace(key), row=row, place=MEMORY, column=column, parameters=parameters)


@each_model
def test_what_is_worked_out_in_digits_is_what_the_model_went_on_with(key: str) -> None:
    walk = WALKS[trace(key).provenance.mechanism]
    for row, column in ((0, None), (1, 0), (5, 2), (5, 5), (21, None), (21, 3), (21, 22)):
        steps = take_steps(walk, scene(key, row, column))
        empty = ("keys", "features", "scores", "context") if "lstmn" in key and not row else ()
        assert [each.key for each in steps] == [part.key for part in walk.parts if part.key not in empty]
        for step in steps:
            assert step.worked is not None
            np.testing.assert_allclose(step.worked.computed, step.worked.captured, atol=1e-5, err_msg=step.key)
            assert [each.made for each in step.strips].count(True) == 1


@each_model
def test_every_step_has_its_term_in_a_formula_that_closes_what_it_opens(key: str) -> None:
    walk = WALKS[trace(key).provenance.mechanism]
    assert {term for line in walk.formula for term in terms_of(line)} == {part.key for part in walk.parts}
    for line in walk.formula:
        ElementTree.fromstring(mathml(line))


@each_model
def test_the_picture_ends_with_the_likeliest_next_token(key: str) -> None:
    at = scene(key, 8)
    walk = WALKS[at.trace.provenance.mechanism]
    picture = picture_of(walk, at, take_steps(walk, at), "word")
    assert picture["words"][0]["share"] == at.trace.predictions[8].alternatives[0][1]
