"""The shipped language models with a memory: their papers' equations, what they predict, edits, bad input, cards."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from safetensors.torch import load_file

import models
from models import InputError
from models.edits import mask_cell, mask_key, scale_scores, uniform_row, zero_head
from models.errors import CaptureError
from models.experiments.chance import chance_bands
from models.huggingface.embedded import READERS, held_out_of, local_models, tokenizer_of
from models.keys import identity_of
from models.networks.memory_models import MEMORY
from models.readers.language import LanguageReader
from models.translation.checkpoints import file_hash
from tests.support.readers import LANGUAGE_MODELS, N_GRAM_RNN
from tests.support.reference_readers import attentive_language_model, lstmn, n_gram_language_model
from training.readers.language import FAR

TEXT = "Mr President, my aunt sold forty-two lemons to the hotel before noon."
THERE = [key for key in (*LANGUAGE_MODELS, N_GRAM_RNN) if key in local_models()]
OWN = ("key", "memory", "hidden", "window", "order")
"""What a recipe of each model has for itself."""

ATTENTIVE = [key for key in THERE if key != N_GRAM_RNN]


@cache
def model(key: str) -> LanguageReader:
    found = models.load(key)
    assert isinstance(found, LanguageReader)
    return found


def reference(key: str, ids: list[int]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    folder = local_models()[key].folder
    parameters = {name: v.double().numpy() for name, v in load_file(folder / "model.safetensors").items()}
    recipe, sizes = model(key).card["recipe"], model(key).card["network"]
    if recipe["memory"] == "lstmn":
        return lstmn(parameters, ids)
    if recipe["memory"] == "n-gram":
        return n_gram_language_model(parameters, ids, order=sizes["order"]), {}
    return attentive_language_model(parameters, ids, parts=sizes["parts"], window=sizes["window"])


@pytest.mark.parametrize("key", THERE)
@pytest.mark.parametrize("text", [TEXT, "Why?", "邻居家的小狗 \U0001f436 sleeps"])
def test_shipped_weights_are_the_papers_equations(key: str, text: str) -> None:
    trace = model(key).attend(text)
    expected, maps = reference(key, list(trace.source.ids))
    shares = np.exp(expected - expected.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    assert len(trace.predictions) == len(trace.source)
    for each in trace.predictions:
        assert each.alternatives[0][1] == pytest.approx(shares[each.position].max(), abs=1e-5)
        if each.log_probability is not None:
            follows = trace.source.ids[each.position + 1]
            assert np.exp(each.log_probability) == pytest.approx(shares[each.position, follows], abs=1e-5)
    assert {str(each.site) for each in trace} == set(maps)
    for each in trace:
        np.testing.assert_allclose(each.weights, maps[str(each.site)], atol=1e-5)
    assert trace.source.specials == (0,)


@pytest.mark.parametrize("key", ATTENTIVE)
def test_edits_change_what_is_predicted_and_a_row_left_nothing_is_refused(key: str) -> None:
    place, plain = str(MEMORY), model(key).attend(TEXT)
    for edit in (zero_head(place, 0), uniform_row(place, 0, None), scale_scores(place, 3.0), mask_cell(place, 7, 6)):
        edited = model(key).attend(TEXT, edits=(edit,))
        assert edited.predictions != plain.predictions
        assert edited.provenance.edits == (edit,)
    with pytest.raises(InputError, match="hide every key from a word"):
        model(key).attend(TEXT, edits=(mask_key(place, 0),))
    with pytest.raises(CaptureError):
        model(key).attend(TEXT, edits=(mask_key("decoder.0.cross", 0),))


@pytest.mark.parametrize("key", ATTENTIVE[:1] + ATTENTIVE[-1:])
@pytest.mark.parametrize("how", ["weights", "order"])
def test_chance_is_told(key: str, how: str) -> None:
    trace = model(key).attend("My sister keeps seven keys.")
    bands = chance_bands(model(key).replay(trace), MEMORY, how=how, samples=20)  # type: ignore[arg-type]
    assert bands.low.shape == trace[MEMORY].to_words().weights.shape
    assert (bands.low <= bands.high).all()


@pytest.mark.parametrize("key", THERE)
def test_a_text_run_again_is_as_likely_as_before_and_bad_texts_are_refused(key: str) -> None:
    trace = model(key).attend(TEXT)
    replay = model(key).replay(trace)
    again = replay.run(replay.as_it_is(2))
    np.testing.assert_allclose(again.log_probabilities[1], replay.baseline, atol=1e-4)
    for text in ("", "  ", "word " * 200):
        with pytest.raises(InputError):
            model(key).attend(text)
    with pytest.raises(InputError, match="takes one text and generates none"):
        model(key).attend(TEXT, pair=TEXT)
    fitting, left_out = model(key).fit("word " * 200)
    assert left_out > 0
    assert len(model(key).attend(fitting).source) <= model(key).longest


def test_the_models_differ_in_their_memory_alone() -> None:
    cards = [json.loads((READERS / identity_of(key) / "card.json").read_text(encoding="utf8")) for key in THERE]
    for card in cards:
        same = {name: value for name, value in card["recipe"].items() if name not in OWN}
        assert same == {name: value for name, value in cards[0]["recipe"].items() if name not in OWN}
        assert card["sha256"]["tokenizer.json"] == cards[0]["sha256"]["tokenizer.json"]
        assert card["tokens_seen"] == cards[0]["tokens_seen"]
        assert abs(card["parameters"] / cards[0]["parameters"] - 1) < 0.011


def test_the_reach_is_short_on_held_out_text() -> None:
    for key in ATTENTIVE:
        reach = held_out_of(key)["all"]["reach"]
        assert sum(reach["by_distance"]) + reach["further"] == pytest.approx(1, abs=1e-3)
        assert reach["last_five"] == pytest.approx(sum(reach["by_distance"][:5]), abs=1e-3)
        assert reach["last_five"] > 5 / FAR  # more than if all 15 were read alike


def test_no_two_readers_ship_the_same_tokenizer_and_each_opens_the_one_that_its_card_hashes() -> None:
    hashes = [file_hash(path) for path in READERS.glob("*/tokenizer.json")]
    assert len(set(hashes)) == len(hashes)
    for key, local in local_models().items():
        if local.folder.parent == READERS:
            card = json.loads((local.folder / "card.json").read_text(encoding="utf8"))
            assert file_hash(tokenizer_of(local.folder, card)) == card["sha256"]["tokenizer.json"]
            assert models.load(key).key == key
