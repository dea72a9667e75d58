"""The walk through hops: each number that is worked out is the one that the model went on with."""

from __future__ import annotations

from functools import cache
from typing import cast
from xml.etree import ElementTree

import numpy as np

import models
from models.experiments.arithmetic import parameters_at
from models.networks.self_attentive import HOPS
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.readers import HOPS_READERS
from viz.walk.formula import mathml, terms_of
from viz.walk.mechanisms import WALKS
from viz.walk.picture import picture_of
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps

WALK = WALKS["self-attentive"]
TEXT = "How many lemons did my aunt sell to the hotel?"


@cache
def trace(key: str) -> AttentionTrace:
    return models.load(key).attend(TEXT, sites=("*",))


def scene(key: str, row: int, column: int | None = None) -> Scene:
    parameters = parameters_at(cast("Translator", models.load(key)), HOPS, WALK.parameters)
    return look_at(WALK, trace(key), row=row, place=HOPS, column=column, parameters=parameters)


def test_what_is_worked_out_in_digits_is_what_the_model_went_on_with() -> None:
    for key in HOPS_READERS:
        for row, column in ((0, None), (3, 0), (7, 4)):
            steps = take_steps(WALK, scene(key, row, column))
            assert [each.key for each in steps] == [part.key for part in WALK.parts]
            for step in steps:
                assert step.worked is not None
                np.testing.assert_allclose(step.worked.computed, step.worked.captured, atol=1e-5, err_msg=step.key)
                assert [each.made for each in step.strips].count(True) == 1


def test_every_step_has_its_term_in_a_formula_that_closes_what_it_opens() -> None:
    assert {term for line in WALK.formula for term in terms_of(line)} == {part.key for part in WALK.parts}
    for line in WALK.formula:
        ElementTree.fromstring(mathml(line))


def test_the_picture_names_the_hop_and_ends_with_what_the_classifier_says() -> None:
    at = scene(HOPS_READERS[0], 2)
    picture = picture_of(WALK, at, take_steps(WALK, at), "word")
    assert picture["state"]["name"] == "hop-3"
    likely = dict(trace(HOPS_READERS[0]).classes)
    assert picture["words"][0]["share"] == max(likely.values())
    assert picture["words"][0]["written"]
    assert picture["ending"] == "what the classifier says"
