"""A word in two sentences: the states against transformers' own, the cosines against loops, and what is refused."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import torch

import models
from models.errors import CaptureError
from models.experiments.contextual import (
    compare_word,
    has_states,
    shared_words,
    state_sites,
    word_in_context,
    word_states,
)
from models.huggingface.run import PretrainedRun, running
from models.sites import VALUE_GRAM
from models.trace import AttentionTrace
from models.translation.words import bare
from tests.support.huggingface_samples import FAMILIES, TRANSLATORS, tiny_model

KEYS = ("hf:minilm", "hf:bert-en", "hf:gpt-en", "transformer-en-fr")
ONE, OTHER = "He bought new shoes, unbelievably!", "He moved to New York."


def loaded(key: str) -> Any:
    return models.load(key)


@pytest.mark.parametrize("key", KEYS[:3])
def test_the_states_are_those_that_transformers_hands_out(key: str) -> None:
    model = loaded(key)
    trace = model.attend(ONE, sites=state_sites(model))
    with torch.inference_mode(), running(PretrainedRun(model.watched.layers.places)):
        expected = model.network.base_model(**model.reader.inputs(model.reader.read(ONE)), output_hidden_states=True)
    layers = [each for each in trace if "final" in each.companions]
    assert len(layers) == len(expected.hidden_states) - 1
    got = [layers[0].companions["input"], *(each.companions["final"] for each in layers)]
    for mine, theirs in zip(got, expected.hidden_states, strict=True):
        np.testing.assert_array_equal(mine, theirs.numpy())
    plain = model.attend(ONE)
    assert not any(set(each.companions) - {VALUE_GRAM} for each in plain)
    for mine, theirs in zip(trace, plain, strict=True):
        np.testing.assert_array_equal(mine.weights, theirs.weights)
    file = io.BytesIO()
    trace.save(file)
    file.seek(0)
    np.testing.assert_array_equal(AttentionTrace.load(file)[layers[0].site].companions["final"], got[1])


@pytest.mark.parametrize("key", KEYS)
def test_cosines_and_baseline_are_those_of_loops(key: str) -> None:
    model = loaded(key)
    states = [word_states(model.attend(text, sites=state_sites(model))) for text in (ONE, OTHER)]
    found = compare_word(model, ONE, OTHER, "NEW")
    assert states[0].words == ("He", "bought", "new", "shoes", "unbelievably")
    assert max(map(len, states[0].pieces)) > 1
    assert len(found.cosines) == states[0].vectors.shape[0]

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    for layer in range(len(found.cosines)):
        one, other = (each.vectors[layer] for each in states)
        assert found.cosines[layer] == pytest.approx(cosine(one[2], other[3]))
        pairs = [
            cosine(one[a], other[b])
            for a in range(len(one))
            for b in range(len(other))
            if bare(states[0].words[a]) != bare(states[1].words[b])
        ]
        assert found.baseline[layer] == pytest.approx(np.mean(pairs))
        near = max((cosine(other[3], other[b]), states[1].words[b]) for b in (0, 1, 2, 4))
        assert found.closest[1][layer] == (near[1], pytest.approx(near[0]))


def test_a_word_keeps_its_vector_in_the_same_sentence_and_loses_it_in_another() -> None:
    model = loaded("hf:minilm")
    same = compare_word(model, OTHER, OTHER, "new")
    np.testing.assert_allclose(same.cosines, 1)
    changed = compare_word(model, ONE, OTHER, "new")
    assert changed.cosines[0] > 0.95  # one piece, two positions
    assert changed.cosines[-1] < 0.6
    assert changed.closest[1][-1][0] == "York"


def test_words_in_common_are_found_however_they_are_written() -> None:
    assert shared_words(["我", "New", "new", "!"], ["我", "NEW", "!"]) == ("我", "new")
    model = loaded("hf:minilm")
    one = word_states(model.attend("New", sites=state_sites(model)))
    alone = word_in_context(one, one, "new")
    assert np.isnan(alone.baseline).all()
    assert alone.closest == ((), ())


def test_what_does_not_stand_in_both_or_has_no_states_is_said() -> None:
    with pytest.raises(models.InputError, match="“shoes” is not in “He moved to New York”"):
        compare_word(loaded("hf:minilm"), ONE, OTHER, "shoes")
    with pytest.raises(KeyError, match="state_sites"):
        word_states(loaded("hf:minilm").attend(ONE))
    assert [has_states(loaded(key)) for key in (*KEYS, "bahdanau-en-fr")] == [True] * 4 + [False]


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(TRANSLATORS)))
def test_every_family_of_one_stack_has_a_state_before_each_layer_and_one_after(family: str) -> None:
    model = tiny_model(family)
    assert has_states(model)
    trace = model.attend("The cat sat.", sites=state_sites(model))
    if trace.vectors is not None:
        np.testing.assert_allclose(trace.maps[-1].companions["final"][0], trace.vectors, atol=1e-6)
    states = word_states(trace)
    assert states.words == ("The", "cat", "sat")
    assert len(states.vectors) == len(model.sites) + 1
    assert np.isfinite(states.vectors).all()


def test_a_model_of_two_stacks_has_none() -> None:
    model = tiny_model("t5")
    assert not has_states(model)
    with pytest.raises(CaptureError):
        model.attend("The cat sat.", sites=("encoder.*.self.final",))
