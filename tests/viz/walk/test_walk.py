"""The walk through every mechanism: each step's equation against what the model itself went on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.special import expit, softmax
from torch.nn import functional

import models
from models.edits import uniform_row
from models.experiments.arithmetic import decoder_run, parameters_at
from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.small_models import ATTENTIVE, KEYS, translator
from viz.views.strips import Strip
from viz.walk.digits import MOST_PARTS
from viz.walk.formula import mathml, terms_of
from viz.walk.mechanisms import WALKS
from viz.walk.scene import Scene
from viz.walk.steps import WalkStep, look_at, take_steps

Array = NDArray[Any]
TEXTS = {"greedy": None, "forced": "le chat a bu du lait"}
SOURCE = "The cat drank milk"
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
keys = pytest.mark.parametrize("key", KEYS)
ways = pytest.mark.parametrize("way", TEXTS)


@cache
def model(key: str) -> Translator:
    return translator(key)


@cache
def traced(key: str, way: str) -> AttentionTrace:
    return model(key).attend(SOURCE, TEXTS[way], sites=("*",))


def numbers(key: str, trace: AttentionTrace, place: Site | None) -> dict[str, Any]:
    walk = WALKS[key].at(place)
    run = decoder_run(model(key), trace) if walk.needs_states else None
    return {
        "place": place,
        "parameters": parameters_at(model(key), place, walk.parameters),
        "states": run.states if run else (),
        "vector": run.vector if run else None,
        "is_last": place is not None and place == max(each for each in trace.sites if each.kind == "cross"),
    }


def scenes(key: str, way: str, *, every_key: bool = False) -> Iterator[tuple[dict[str, Any], tuple[WalkStep, ...]]]:
    """Return several rows, every place, and of each row the first and the last key, or every key, of one run."""
    trace = traced(key, way)
    for place in trace.sites or (None,):
        given = numbers(key, trace, place)
        queries = len(trace.target if place is None else trace[place].query_tokens)
        heads = 1 if place is None else len(trace[place].head_names)
        for row in sorted({0, 1, queries // 2, queries - 1}):
            head = row % heads
            count = 1 if place is None else len(trace[place].key_tokens)
            if place is not None and trace[place].causal and way == "greedy":
                count = row + 1
            for column in range(count) if every_key else sorted({0, count - 1}):
                chosen = {"row": row, "head": head, "column": column}
                walk = WALKS[key].at(place)
                scene = look_at(walk, trace, **given, **chosen)
                yield {**given, **chosen}, take_steps(walk, scene)


@ways
@keys
def test_what_is_worked_out_in_digits_is_what_the_model_went_on_with(key: str, way: str) -> None:
    seen = 0
    for _given, steps in scenes(key, way, every_key=not key.startswith("transformer")):
        for step in steps:
            assert step.worked is not None
            np.testing.assert_allclose(step.worked.computed, step.worked.captured, **CLOSE, err_msg=step.key)
            seen += 1
    assert seen >= 6


# Each equation over all its numbers, written here a second time, on what the step is given and what it makes.


def captured(trace: AttentionTrace, given: dict[str, Any], quantity: str) -> Array:
    """Return a companion as the step must show it, straight from the record."""
    found = trace[given["place"]]
    values = found.weights if quantity == "weights" else found.companions[quantity]
    if quantity == "features":
        return np.asarray(values[given["row"]])
    of_keys = quantity in ("key", "value")
    head = given["head"] if len(values) > 1 else 0
    return np.asarray(values[head] if of_keys else values[head, given["row"]], dtype=np.float64)


def masked_softmax(scores: Array, mask: Array) -> Array:
    return np.asarray(softmax(np.where(mask, scores, -np.inf)))


def by_distance(table: Array, row: int, keys: int) -> Array:
    """Return the vector of each key's distance from `row`: the last row at either end for all beyond it."""
    reach = len(table) // 2
    return np.array([table[max(-reach, min(reach, key - row)) + reach] for key in range(keys)])


def scores_of(key: str, get: Callable[[str], Array], p: dict[str, Array], row: int) -> Array:
    query, states = get("query"), get("key")
    if key == "lstmn-deep":  # of both tapes the states alone
        states, weight = get("value")[:, : len(query)], p["key_weight.weight"]
        return np.tanh(query + states @ weight.T) @ p["score_vector"]
    if key in ("bahdanau", "luong-concat", "hard", "lstmn-shallow"):
        return np.tanh(p["query_weight.weight"] @ query + get("value") @ p["key_weight.weight"].T) @ p["score_vector"]
    if key in ("luong-dot", "convs2s"):
        return states @ query
    if key == "luong-location":
        return (p["location_weight.weight"] @ query)[: len(states)]
    if "distance_key.weight" in p:
        states = states + by_distance(p["distance_key.weight"], row, len(states))
    if key.startswith("transformer"):
        return states @ query / np.sqrt(len(query))
    return states @ (p["general_weight"].T @ query)


@ways
@pytest.mark.parametrize("key", ATTENTIVE)
def test_each_equation_gives_the_captured_next_step(key: str, way: str) -> None:
    """From query, keys and values to the output, each quantity out of those captured before it."""
    trace = traced(key, way)
    for given, _steps in scenes(key, way):
        if key.startswith("lstmn") and given["place"].kind == "self":
            continue  # a tape: tests/viz/walk/test_fusion.py
        p = given["parameters"]
        found = trace[given["place"]]
        seen = given["row"] + 1 if found.causal and way == "greedy" else len(found.key_tokens)

        def get(quantity: str, given: dict[str, Any] = given, seen: int = seen) -> Array:
            values = captured(trace, given, quantity)
            keyed = ("scores", "mask", "weights", "raw_weights", "probabilities", "noise", "key", "value", "features")
            return values[:seen] if quantity in keyed else values

        np.testing.assert_allclose(scores_of(key, get, p, given["row"]), get("scores"), **CLOSE)
        places = np.arange(seen)
        mask = places <= given["row"] if found.causal else np.ones(seen, dtype=bool)
        factor = np.ones(seen)
        if mechanisms()[key].windows:
            centre, width = get("centre")
            length = len(trace.source)
            hidden = key == "luong-local-p" and np.tanh(p["position_weight.weight"] @ get("query"))
            expected = length * expit(p["position_vector"] @ hidden) if key == "luong-local-p" else None
            np.testing.assert_allclose(centre, min(given["row"], length - 1) if expected is None else expected, **CLOSE)
            mask = np.abs(places - centre) <= width
            if key == "luong-local-p":
                factor = np.exp(-2 * ((places - centre) / width) ** 2)
                np.testing.assert_allclose(masked_softmax(get("scores"), mask), get("raw_weights"), **CLOSE)
        np.testing.assert_array_equal(mask, get("mask").astype(bool))
        shares = masked_softmax(get("scores"), mask) * factor
        if key == "hard":
            np.testing.assert_allclose(shares, get("probabilities"), **CLOSE)
            shares = np.eye(len(shares))[(np.log(shares) + get("noise")).argmax()]
        np.testing.assert_allclose(shares, get("weights"), **CLOSE)
        handed = get("value")
        if "distance_value.weight" in p:
            handed = handed + by_distance(p["distance_value.weight"], given["row"], seen)
        np.testing.assert_allclose(get("weights") @ handed, get("context"), **CLOSE)
        if "combine.weight" in p:
            joined = np.concatenate((get("context"), get("query")))
            np.testing.assert_allclose(
                np.tanh(p["combine.weight"] @ joined + p["combine.bias"]), get("output"), **CLOSE
            )
        if "output.weight" in p:
            heads = found.companions["context"][:, given["row"]].reshape(-1)
            np.testing.assert_allclose(p["output.weight"] @ heads + p["output.bias"], get("output"), **CLOSE)


def strip(step: WalkStep, symbol: str) -> Strip:
    return next(each for each in step.strips if each.symbol == symbol)


@ways
@pytest.mark.parametrize("key", ATTENTIVE)
def test_the_numbers_shown_are_the_companions(key: str, way: str) -> None:
    trace = traced(key, way)
    made = {"keys": "key", "features": "features", "centre": "centre", "context": "context"}
    softmax_to = {"luong-local-p": "raw_weights", "hard": "probabilities"}
    made |= {"softmax": softmax_to.get(key, "weights"), "gaussian": "weights", "choose": "weights"}
    made |= {"scaling": "scores"} if key.startswith("transformer") else {"scores": "scores"}
    made |= {"embed": "input", "normalise": "read", "project": "query", "add": "joined", "feedforward": "final"}
    made |= {"convolve": "hidden", "gate": "read", "value": "value", "residual": "final"}
    made |= {"merge": "output"} if key.startswith("transformer") else {"next": "output"}
    checked = set()
    for given, steps in scenes(key, way):
        for step in steps:
            assert [each.made for each in step.strips].count(True) == 1
            if step.key in made:
                shown = next(each for each in step.strips if each.made).values
                want = captured(trace, given, made[step.key])
                want = want[..., : shown.shape[-1]] if step.key in ("softmax", "scores", "scaling") else want
                want = want[: len(shown)] if want.ndim == 2 else want
                np.testing.assert_array_equal(np.squeeze(shown), np.squeeze(want.astype(np.float32)))
                checked.add(step.key)
    assert checked == {part.key for part in WALKS[key].parts} & set(made)


@keys
def test_the_word_before_and_the_states_give_the_next_state(key: str) -> None:
    """Only mechanisms whose states are no companions: input feeding, and those without attention."""
    if not WALKS[key].needs_states:
        return
    for way in TEXTS:
        trace = traced(key, way)
        run = decoder_run(model(key), trace)
        assert all(len(each) == len(trace.target) + 1 for each in run.states)
        if trace.sites:
            queries = trace["decoder.0.cross"].companions["query"][0]
            np.testing.assert_allclose(run.states[0][1:], queries, **CLOSE)
            outputs = trace["decoder.0.cross"].companions["output"][0]
            np.testing.assert_allclose(run.states[2][1:], outputs, **CLOSE)
        else:
            assert run.vector is not None


@pytest.mark.parametrize("place", ["encoder.0.self", "decoder.0.cross"])
@keys
def test_every_step_has_its_term_in_a_formula_that_closes_what_it_opens(key: str, place: str) -> None:
    walk = WALKS[key].at(Site.parse(place))
    terms = [term for line in walk.formula for term in terms_of(line)]
    assert set(terms) == {part.key for part in walk.parts}
    drawn = [ElementTree.fromstring(mathml(line)) for line in walk.formula]  # fails if anything is left open
    for part in walk.parts:
        lit = [each for line in drawn for each in line.iter() if each.get("class") == f"term-{part.key}"]
        assert len(lit) == terms.count(part.key)
        assert all("".join(each.itertext()).strip() for each in lit)


@ways
@keys
def test_a_sum_is_explained_by_its_largest_parts_and_they_add_up_to_it(key: str, way: str) -> None:
    seen = set()
    for given, steps in scenes(key, way):
        for step in steps:
            fall = step.worked.fall if step.worked else None
            if fall is None:
                continue
            sizes = [abs(value) for _label, value in fall.parts]
            assert sizes == sorted(sizes, reverse=True)
            assert len(sizes) <= MOST_PARTS + 1
            np.testing.assert_allclose(sum(value for _label, value in fall.parts) + fall.rest, fall.total, rtol=1e-12)
            if step.key in ("scores", "scaling"):
                assert step.worked is not None
                np.testing.assert_allclose(fall.total, step.worked.computed, rtol=1e-9, atol=1e-12)
                captured = trace_row(traced(key, way), given, "scores")[given["column"]]
                np.testing.assert_allclose(fall.total, captured, **CLOSE)
            seen.add(step.key)
    assert seen & {"scores", "scaling", "predict"}


def trace_row(trace: AttentionTrace, given: dict[str, Any], quantity: str) -> Array:
    companions = trace[given["place"]].companions
    return np.asarray(companions[quantity][given["head"] if len(companions[quantity]) > 1 else 0, given["row"]])


def test_every_mechanism_of_the_catalogue_has_a_walk() -> None:
    assert tuple(WALKS) == (
        *mechanisms(),
        "self-attentive",
        "attention-lm",
        "key-value",
        "key-value-predict",
        "lstmn",
        "n-gram-rnn",
    )


def scene_of(key: str, **changes: Any) -> Scene:
    trace = traced(key, "forced")
    place = trace.sites[-1] if trace.sites else None
    walk = WALKS[key].at(place)
    return look_at(walk, trace, **{**numbers(key, trace, place), "row": 0, **changes})


def walk_once(key: str, **changes: Any) -> tuple[WalkStep, ...]:
    return take_steps(WALKS[key], scene_of(key, **changes))


def test_left_out_the_key_that_is_read_most_is_worked_out() -> None:
    trace = traced("bahdanau", "forced")
    weights = trace["decoder.0.cross"].weights[0, 2]
    step = next(each for each in walk_once("bahdanau", row=2) if each.key == "softmax")
    assert step.worked is not None
    assert step.worked.captured == pytest.approx(weights.max())


def test_words_and_subscripts_count_from_1_and_arithmetic_with_positions_says_that_it_counts_from_0() -> None:
    centre = next(each for each in walk_once("luong-local-m", row=1) if each.key == "centre")
    assert "step 2 looks around source token 2" in centre.says
    assert centre.worked is not None
    assert centre.worked.lines[0].startswith("p_{2} &= \\min(1, ")
    assert "positions from 0" in centre.worked.lines[0]
    softmax = next(each for each in walk_once("luong-dot", row=1, column=0) if each.key == "softmax")
    assert softmax.worked is not None
    assert softmax.worked.lines[-1].startswith("a_{2,1} &= ")


def test_a_window_that_has_reached_the_last_token_stays_there() -> None:
    trace = traced("luong-local-m", "forced")
    last, count = len(trace.target) - 1, len(trace.source)
    assert last >= count
    centre = next(each for each in walk_once("luong-local-m", row=last) if each.key == "centre")
    assert f"the window stays at the last one, {count}" in centre.says


def test_a_sentence_names_the_step_that_reads_and_not_a_word_that_it_does_not_know_yet() -> None:
    written = traced("luong-dot", "forced").target.texts[1].strip()
    says = next(each for each in walk_once("luong-dot", row=1) if each.key == "scores").says
    assert f"what the step that writes “{written}” looks for" in says


def test_a_score_by_location_is_of_the_state_and_the_position_and_of_no_word() -> None:
    shown = traced("luong-location", "forced")["decoder.0.cross"]
    matrix = numbers("luong-location", traced("luong-location", "forced"), shown.site)["parameters"]
    states, rows = shown.companions["query"][0], matrix["location_weight.weight"]
    reach = min(len(rows), len(shown.key_tokens))
    scores = shown.companions["scores"][0][:, :reach]
    np.testing.assert_allclose(scores, (states @ rows.T)[:, :reach], **CLOSE)  # no key is in it
    assert np.ptp(scores, axis=0).min() > 0  # another state, another score of the same position
    says = next(each for each in walk_once("luong-location", row=1) if each.key == "scores").says
    assert "scores positions from the decoder state alone. Position" in says


@pytest.mark.parametrize(
    ("key", "named"),
    [("transformer", "pre-LN"), ("transformer-post-ln", "post-LN"), ("transformer-relative", "pre-LN")],
)
def test_what_becomes_of_the_sum_is_said_in_both_orders(key: str, named: str) -> None:
    step = next(each for each in walk_once(key, row=1) if each.key == "add")
    assert step.says.endswith(f" ({named}).")
    assert ("LayerNorm then normalises the sum" in step.says) == (named == "post-LN")


@pytest.mark.parametrize("key", ["transformer", "transformer-post-ln", "transformer-relative"])
@ways
def test_a_layer_is_walked_through_from_its_embedding_to_the_word(key: str, way: str) -> None:
    """Each equation of the layer over all its numbers, written a second time on what was captured before it."""
    trace, found = traced(key, way), set()
    for given, steps in scenes(key, way):
        get, p = partial(captured, trace, given), given["parameters"]
        place, row = given["place"], given["row"]
        found |= {(place.stack, place.kind, step.key) for step in steps}
        norm = partial(functional.layer_norm, normalized_shape=get("input").shape, eps=1e-5)

        def normalised(values: Array, name: str, p: dict[str, Array] = p, norm: Any = norm) -> Array:
            weights = [torch.tensor(p[f"{name}.{part}"].astype(np.float64)) for part in ("weight", "bias")]
            return np.asarray(norm(torch.tensor(values), weight=weights[0], bias=weights[1]))

        if place.kind == "self" and not place.layer:
            none = np.zeros((row + 1, 1))
            embedded = p["network.embedding.weight"][trace[place].query_tokens.ids[row]] * 16**0.5
            np.testing.assert_allclose(embedded + p.get("network.positions", none)[row], get("input"), **CLOSE)
        post = key == "transformer-post-ln"
        np.testing.assert_allclose(get("input") if post else normalised(get("input"), "norm"), get("read"), **CLOSE)
        size = len(get("query"))
        rows = slice(given["head"] * size, (given["head"] + 1) * size)
        asked = p["query.weight"] @ get("read") + p["query.bias"]
        np.testing.assert_allclose(asked[rows], get("query"), **CLOSE)
        for name in ("key", "value"):
            memory = trace[place].companions["memory"][0]
            offered = memory @ p[f"{name}.weight"].T + p[f"{name}.bias"]
            np.testing.assert_allclose(offered[:, rows], get(name), **CLOSE)
        total = get("input") + get("output")
        np.testing.assert_allclose(normalised(total, "norm") if post else total, get("joined"), **CLOSE)
        if "final" in trace[place].companions:
            change = p["layer.contract.weight"] @ get("hidden") + p["layer.contract.bias"]
            np.testing.assert_allclose(change, get("feedforward"), **CLOSE)
            total = get("joined") + change
            np.testing.assert_allclose(normalised(total, "last_norm") if post else total, get("final"), **CLOSE)
    assert ("decoder", "cross", "predict") in found
    assert ("decoder", "self", "feedforward") not in found
    assert {("encoder", "self", step) for step in ("embed", "project", "add", "feedforward")} <= found
    assert (("encoder", "self", "normalise") in found) == (key != "transformer-post-ln")


def test_a_sequence_to_sequence_model_hands_over_its_state_and_its_cell() -> None:
    scene = scene_of("seq2seq")
    assert scene.vector is not None
    state, cell = (states[0] for states in scene.states)
    np.testing.assert_array_equal(scene.vector, np.concatenate((state, cell)))
    says = walk_once("seq2seq")[0].says
    assert f"the final state ({len(state)} numbers) and cell ({len(cell)} numbers)" in says


def test_of_the_shipped_model_768_numbers_are_handed_over() -> None:
    model = models.load("seq2seq-en-fr")
    run = decoder_run(model, model.attend("The cat sleeps."))
    assert (len(run.states[0][0]), len(run.states[1][0]), len(run.vector)) == (384, 384, 768)


def test_the_last_word_feeds_no_further_step() -> None:
    trace = traced("luong-general-input-feeding", "forced")
    found = [
        [step.key for step in walk_once("luong-general-input-feeding", row=row)] for row in range(len(trace.target))
    ]
    assert ["feed" in each for each in found] == [True] * (len(found) - 1) + [False]


@pytest.mark.parametrize("changes", [{"row": -1}, {"row": 99}, {"head": 4}, {"column": 99}])
def test_what_is_not_there_is_named(changes: dict[str, int]) -> None:
    with pytest.raises(IndexError, match="there are"):
        walk_once("transformer", **changes)


def test_a_quantity_that_was_not_captured_is_named_with_the_remedy() -> None:
    trace = model("luong-dot").attend(SOURCE)
    given = numbers("luong-dot", trace, trace.sites[0])
    with pytest.raises(KeyError, match=r"decoder\.0\.cross\.\*"):
        take_steps(WALKS["luong-dot"], look_at(WALKS["luong-dot"], trace, row=0, **given))


def test_a_mask_that_hides_is_said_and_drawn() -> None:
    for key, place in (("transformer", "decoder.0.self"), ("luong-local-m", "decoder.0.cross")):
        trace = traced(key, "forced")
        given = {**numbers(key, trace, Site.parse(place)), "row": 0}
        steps = take_steps(WALKS[key], look_at(WALKS[key], trace, **given))
        step = next(each for each in steps if each.key == "mask")
        hidden = int((~trace[place].companions["mask"][0, 0].astype(bool)).sum())
        assert hidden
        assert step.says.startswith(f"{hidden} of ")
        assert int(np.isnan(strip(step, "e + m").values).sum()) == hidden


class TestParameters:
    def test_they_are_read_only_views_of_the_models_own_memory(self) -> None:
        for key in ATTENTIVE:
            place = traced(key, "greedy").sites[-1]
            for name, values in parameters_at(model(key), place, WALKS[key].at(place).parameters).items():
                assert not values.flags.writeable
                network = model(key).network
                own = [*network.parameters(), *network.buffers()]
                own = [each for each in own if each.shape == values.shape]
                assert any(np.shares_memory(values, each.detach().numpy()) for each in own), name

    def test_each_layer_has_its_own(self) -> None:
        places = [Site("decoder", layer, "cross") for layer in (0, 1)]
        first, second = (parameters_at(model("transformer"), place, ["output.weight"]) for place in places)
        assert not np.array_equal(first["output.weight"], second["output.weight"])
        own = dict(model("transformer").network.named_parameters())["decoder.1.cross.output.weight"]
        np.testing.assert_array_equal(second["output.weight"], own.detach().numpy())

    def test_what_is_not_there_is_named(self) -> None:
        with pytest.raises(KeyError, match=r"no attention at encoder\.7\.self"):
            parameters_at(model("transformer"), Site("encoder", 7, "self"), [])
        with pytest.raises(KeyError, match="there are output_bias"):
            parameters_at(model("bahdanau"), Site("decoder", 0, "cross"), ["weight_of_nothing"])

    def test_an_edited_run_has_no_states_of_the_model_left_alone(self) -> None:
        trace = model("bahdanau").attend(SOURCE, edits=[uniform_row("decoder.0.cross", 0, 0)])
        with pytest.raises(ValueError, match="edited"):
            decoder_run(model("bahdanau"), trace)
