"""The walk through a block of a causal language model: each number worked out is what the model went on with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest

import models
from models.experiments.arithmetic import block_form, parameters_at
from models.huggingface.block_form import turned
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.huggingface_samples import TEXT, tiny_model
from viz.walk.causal import causal_walk
from viz.walk.formula import mathml, terms_of
from viz.walk.order import all_steps, nearest_step
from viz.walk.picture import picture_of
from viz.walk.scene import Scene
from viz.walk.steps import Walk, look_at, take_steps

FAMILIES = ("llama", "mistral", "qwen2", "phi3", "gpt2", "gpt_neox")
GPT = "hf:gpt-en"
FIRST, LAST = Site("decoder", 0, "self"), Site("decoder", 2, "self")
ATTENTION = ("product", "scaling", "mask", "softmax", "context", "merge")


def model_of(family: str) -> Translator:
    return cast("Translator", models.load(family) if models.is_pretrained(family) else tiny_model(family))


@cache
def trace_of(family: str) -> AttentionTrace:
    return model_of(family).attend(TEXT, sites=("*",))


def walk_of(family: str, place: Site) -> Walk:
    form = block_form(model_of(family), place)
    assert form is not None
    return causal_walk(form, is_first=not place.layer)


def scene_of(family: str, place: Site = LAST, **chosen: Any) -> Scene:
    walk = walk_of(family, place)
    parameters = parameters_at(model_of(family), place, walk.parameters)
    return look_at(walk, trace_of(family), place=place, parameters=parameters, **{"row": 5, **chosen})


def scenes(family: str, place: Site) -> Iterator[Scene]:
    last = len(trace_of(family).source) - 1
    for row, head, column in ((0, 0, 0), (5, 3, 2), (3, 2, 6), (last, 1, last), (last, 1, 0), (last, 3, last - 4)):
        yield scene_of(family, place, row=row, head=head, column=column)


@pytest.mark.parametrize("place", [FIRST, LAST], ids=str)
@pytest.mark.parametrize("family", [*FAMILIES, GPT])
def test_what_is_worked_out_in_digits_is_what_the_model_went_on_with(family: str, place: Site) -> None:
    for scene in scenes(family, place):
        steps = take_steps(walk_of(family, place), scene)
        assert [each.key for each in steps] == [part.key for part in walk_of(family, place).parts]
        for step in steps:
            assert step.worked is not None
            np.testing.assert_allclose(
                step.worked.computed, step.worked.captured, atol=1e-4, rtol=1e-5, err_msg=step.key
            )
            assert [each.made for each in step.strips].count(True) == 1
            if step.worked.fall is not None:
                total = sum(value for _label, value in step.worked.fall.parts) + step.worked.fall.rest
                np.testing.assert_allclose(total, step.worked.fall.total, rtol=1e-12)


def test_each_family_has_the_steps_that_it_computes() -> None:
    def keys(family: str, place: Site = LAST) -> list[str]:
        return [part.key for part in walk_of(family, place).parts]

    after = ["add", "renormalise", "expand", "feedforward", "predict"]
    turned = ["normalise", "project", "rotate", "share", *ATTENTION, *after]
    assert keys("llama") == keys("mistral") == keys("qwen2") == keys("phi3") == turned
    assert keys("llama", FIRST) == ["embed", *turned]
    assert keys("gpt2", FIRST) == ["embed", "normalise", "project", *ATTENTION, *after]
    assert keys("gpt_neox") == ["normalise", "project", "rotate", *ATTENTION, *after[1:]]  # in parallel: no sum between


@pytest.mark.parametrize("place", [FIRST, LAST], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_step_has_its_term_in_a_formula_that_closes_what_it_opens(family: str, place: Site) -> None:
    walk = walk_of(family, place)
    terms = [term for line in walk.formula for term in terms_of(line)]
    assert sorted(terms) == sorted(part.key for part in walk.parts)
    for line in walk.formula:
        ElementTree.fromstring(mathml(line))
    titles = all_steps([take_steps(walk, scene_of(family, place))])
    assert list(titles) == [part.key for part in walk.parts]  # in the order of the computation
    assert nearest_step("expand", tuple(titles)) == "expand"


def test_only_the_distance_counts_in_a_product_of_turned_vectors() -> None:
    form = block_form(model_of("llama"), LAST)
    assert form is not None
    query, key = np.random.default_rng(3).normal(size=(2, 1, form.d_head))
    rates = np.array([1.0, 0.1, 0.01, 0.001])

    def product(one: int, other: int) -> float:
        sides = turned(form, query, np.array([one]), rates), turned(form, key, np.array([other]), rates)
        return float((sides[0] * sides[1]).sum())

    assert product(9, 4) == pytest.approx(product(105, 100), rel=1e-9)
    assert product(9, 4) != pytest.approx(product(9, 5), rel=1e-3)


def test_the_turn_is_shown_at_the_pair_whose_part_of_the_score_it_changes_most() -> None:
    scene = scene_of("llama", row=9, column=1)
    step = next(each for each in take_steps(walk_of("llama", LAST), scene) if each.key == "rotate")
    given = trace_of("llama")[LAST].companions
    before = given["unrotated_query"][0, 9] * given["unrotated_key"][0, 1]
    after = given["query"][0, 9] * given["key"][0, 1]
    pairs = np.abs((after - before).reshape(2, -1).sum(axis=0))
    assert f"Components {pairs.argmax()} and {pairs.argmax() + 4} " in step.says
    assert "8 tokens apart" in step.says


def test_heads_of_a_group_attend_to_the_same_keys() -> None:
    steps = take_steps(walk_of("llama", LAST), scene_of("llama", head=3))
    says = next(each.says for each in steps if each.key == "share")
    assert "4 query heads share 2 key-value heads" in says
    assert "Heads 2 to 3 use the keys and values of key-value head 1" in says
    keys = trace_of("llama")[LAST].companions["key"]
    assert (keys[2] == keys[3]).all()
    assert (keys[1] != keys[2]).any()


def test_a_sliding_window_hides_what_is_further_back() -> None:
    scene = scene_of("mistral", row=9, column=4)
    step = next(each for each in take_steps(walk_of("mistral", LAST), scene) if each.key == "mask")
    assert step.worked is not None
    assert step.worked.computed == step.worked.captured == 0
    assert r"10 - 5 \geq 5" in step.worked.lines[0]


def test_the_picture_ends_with_what_the_model_predicts_whichever_block_is_looked_at() -> None:
    for place in (FIRST, LAST):
        scene = scene_of("llama", place)
        steps = take_steps(walk_of("llama", place), scene)
        picture = picture_of(walk_of("llama", place), scene, steps, "piece")
        _text, share = trace_of("llama").predictions[5].alternatives[0]
        assert picture["words"][0]["share"] == share
        assert steps[-1].worked is not None
        assert steps[-1].worked.captured == share
        assert ("2 more blocks follow" in steps[-1].says) == (place == FIRST)


def test_a_token_without_a_prediction_has_no_last_step() -> None:
    scene = scene_of("llama")
    object.__setattr__(scene.trace, "predictions", scene.trace.predictions[7:])
    try:
        steps = take_steps(walk_of("llama", LAST), scene)
        assert steps[-1].key == "feedforward"
        assert picture_of(walk_of("llama", LAST), scene, steps, "word")["words"] == []
    finally:
        trace_of.cache_clear()
