"""Token, segment and position vectors add up: from the files alone in float64, and as transformers adds them."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

import models
from models.errors import InputError
from models.huggingface.embedded import READERS
from models.huggingface.embedding_sum import adds_embeddings, embedding_sum
from models.huggingface.model import PretrainedModel
from tests.support.huggingface_samples import TEXT, tiny_model

SENTENCE, SECOND = "The cat drank the milk because the cat was hungry.", "It slept."


def loaded(key: str) -> PretrainedModel:
    model = models.load(key)
    assert isinstance(model, PretrainedModel)
    return model


@pytest.mark.parametrize("pair", [None, SECOND])
def test_it_is_three_rows_of_three_tables_added_and_normalised(pair: str | None) -> None:
    """From the file of weights and the ids alone, in float64: Devlin et al. 2019, figure 2, and LayerNorm."""
    model = loaded("hf:bert-en")
    found = embedding_sum(model, SENTENCE, pair)
    tables = {k: v.astype(np.float64) for k, v in load_file(READERS / "bert-en" / "model.safetensors").items()}
    reading = model.reader.read(SENTENCE, pair)
    ids = list(reading.tokens.ids)
    first = ids.index(3) + 1  # [SEP] closes segment A
    segments = [0] * first + [1] * (len(ids) - first)
    name = "bert.embeddings."
    expected = {
        "token": tables[f"{name}word_embeddings.weight"][ids],
        "segment": tables[f"{name}token_type_embeddings.weight"][segments],
        "position": tables[f"{name}position_embeddings.weight"][: len(ids)],
    }
    assert list(found.parts) == list(expected)
    for part, values in expected.items():
        np.testing.assert_array_equal(found.parts[part], values)  # float16 in the file: exact in float32
    total = expected["token"] + expected["segment"] + expected["position"]
    np.testing.assert_allclose(found.total, total, atol=1e-6)
    centred = total - total.mean(axis=1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    gain, bias = (tables[f"{name}LayerNorm.{each}"] for each in ("weight", "bias"))
    np.testing.assert_allclose(found.normalised, normed * gain + bias, atol=1e-5)
    assert found.segments == tuple(segments)


@pytest.mark.parametrize("key", ["hf:bert-en", "hf:minilm"])
def test_in_float64_it_is_the_sum_of_transformers_to_the_last_digits(key: str) -> None:
    model = loaded(key)
    double = PretrainedModel(deepcopy(model.network), model.tokenizer, key=key, title="double")
    double.network.double()
    found = embedding_sum(double, SENTENCE, SECOND)
    inputs = double.reader.inputs(double.reader.read(SENTENCE, SECOND))
    with torch.inference_mode():
        states = double.network(**inputs, output_hidden_states=True).hidden_states[0][0].numpy()
    np.testing.assert_allclose(found.normalised, states, atol=1e-13)
    np.testing.assert_allclose(sum(found.parts.values()), found.total, atol=1e-14)
    again = (found.total - found.mean[:, None]) / found.deviation[:, None] * found.gain + found.bias
    np.testing.assert_allclose(again, found.normalised, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "parts"),
    [
        ("bert", ["token", "segment", "position"]),
        ("electra", ["token", "segment", "position"]),
        ("roberta", ["token", "segment", "position"]),  # its one segment is a table of one or two rows
        ("distilbert", ["token", "position"]),
    ],
)
def test_families_without_segments_have_two_parts(family: str, parts: list[str]) -> None:
    model = tiny_model(family)
    assert adds_embeddings(model)
    found = embedding_sum(model, TEXT)
    assert list(found.parts) == parts
    np.testing.assert_allclose(sum(found.parts.values()), found.total, atol=1e-6)


@pytest.mark.parametrize("family", ["gpt2", "llama", "t5"])
def test_others_are_refused_in_words(family: str) -> None:
    model = tiny_model(family)
    if adds_embeddings(model):
        pytest.fail(family)
    with pytest.raises(InputError, match="does not add vectors"):
        embedding_sum(model, TEXT)
