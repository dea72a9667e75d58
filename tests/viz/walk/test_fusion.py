"""The tapes of the LSTMN as a translator: the equations of section 3.2 and of deep fusion, on what was captured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, softmax

from models.experiments.arithmetic import parameters_at
from models.sites import Site
from tests.support.small_models import translator
from viz.walk.mechanisms import WALKS
from viz.walk.steps import look_at, take_steps

Array = NDArray[Any]
SOURCE, TARGET = "The cat drank milk", "le chat a bu du lait"
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
ways = pytest.mark.parametrize("key", ["lstmn-shallow", "lstmn-deep"])
places = pytest.mark.parametrize("place", ["encoder.0.self", "decoder.0.self"])
TAPE = ("key_weight.weight", "input_weight.weight", "read_weight.weight", "score_vector", "gates.weight", "gates.bias")


@ways
@places
def test_each_equation_of_a_tape_gives_what_was_captured_next(key: str, place: str) -> None:
    model = translator(key)
    trace = model.attend(SOURCE, TARGET, sites=("*",))
    site = Site.parse(place)
    p = parameters_at(model, site, TAPE)
    get = {name: values[0] for name, values in trace[site].companions.items() if name != "features"}
    size = get["output"].shape[1]
    transferred = np.zeros((len(get["output"]), size))
    if place == "decoder.0.self" and key == "lstmn-deep":
        q = parameters_at(model, site, ("network.transfer.weight", "network.transfer.bias"))
        read, cell = np.split(trace["decoder.0.cross"].companions["context"][0], 2, axis=1)
        given = np.concatenate((read, get["input"]), axis=1)
        transferred = expit(given @ q["network.transfer.weight"].T + q["network.transfer.bias"]) * cell
    for row, token in enumerate(get["input"]):
        before = get["context"][row - 1, :size] if row else np.zeros(size)
        query = p["input_weight.weight"] @ token + p["read_weight.weight"] @ before
        np.testing.assert_allclose(query, get["query"][row], **CLOSE)
        if row:
            np.testing.assert_allclose(get["value"][:row, :size] @ p["key_weight.weight"].T, get["key"][:row], **CLOSE)
            shares = softmax(np.tanh(query + get["key"][:row]) @ p["score_vector"])
            np.testing.assert_allclose(shares, trace[site].weights[0, row, :row], **CLOSE)
            np.testing.assert_allclose(shares @ get["value"][:row], get["context"][row], **CLOSE)
        read, cell = np.split(get["context"][row].astype(np.float64), 2)
        into, keep, out, new = np.split(p["gates.weight"] @ np.concatenate((read, token)) + p["gates.bias"], 4)
        cell = transferred[row] + expit(keep) * cell + expit(into) * np.tanh(new)
        np.testing.assert_allclose(cell, get["value"][row, size:], **CLOSE)
        np.testing.assert_allclose(expit(out) * np.tanh(cell), get["output"][row], **CLOSE)


@ways
@places
def test_the_first_token_of_a_tape_has_nothing_to_weigh(key: str, place: str) -> None:
    model = translator(key)
    trace = model.attend(SOURCE, TARGET, sites=("*",))
    walk = WALKS[key].at(Site.parse(place))
    for row, wanted in ((0, ["mask", "softmax", "next"]), (1, [part.key for part in walk.parts])):
        given = parameters_at(model, Site.parse(place), walk.parameters)
        steps = take_steps(walk, look_at(walk, trace, row=row, place=place, parameters=given))
        assert [step.key for step in steps] == wanted


@pytest.mark.parametrize("place", ["decoder.0.cross", "decoder.0.self", "encoder.0.self"])
@ways
def test_a_walk_asks_for_all_maps_that_its_steps_need(key: str, place: str) -> None:
    model = translator(key)
    walk = WALKS[key].at(Site.parse(place))
    trace = model.attend(SOURCE, TARGET, sites=tuple(f"{each}.*" for each in (place, *walk.also)))
    given = parameters_at(model, Site.parse(place), walk.parameters)
    steps = take_steps(walk, look_at(walk, trace, row=3, place=place, parameters=given))
    assert [step.key for step in steps] == [part.key for part in walk.parts]
    if key == "lstmn-deep" and place != "encoder.0.self":
        fall = next(step.worked.fall for step in steps if step.key == "next" and step.worked)
        assert fall is not None
        assert any(name.startswith("source: ") for name, _value in fall.parts)
