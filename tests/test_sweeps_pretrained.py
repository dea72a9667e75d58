"""Sweeps over the heads of transformers models: a batch of variants against runs one by one, and MiniLM."""

from __future__ import annotations

import numpy as np
import pytest

import models
from models.edits import mask_key, scale_scores, zero_head
from models.errors import InputError
from models.sweeps import heads_of, switch_off_each_head_for_vectors, turned
from tests.huggingface_samples import tiny_model

TEXT = "the cat drank the milk"


@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "llama", "mistral", "gpt_oss"])
def test_a_batch_of_variants_equals_one_run_a_variant(family: str) -> None:
    model = tiny_model(family)
    site = str(model.sites[0])
    variants = [(), (zero_head(site, 0),), (scale_scores("*.*.self", 3.0), mask_key(site, 1)), (zero_head(site, 1),)]
    found = model.variants(TEXT, variants)
    for vectors, edits in zip(found, variants, strict=True):
        expected = model.attend(TEXT, edits=edits).vectors
        assert expected is not None
        np.testing.assert_allclose(vectors, expected, atol=1e-5)
    assert np.abs(found[1:] - found[0]).max(axis=(1, 2)).min() > 1e-6


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_a_sweep_is_one_minus_the_cosine_of_each_token(family: str) -> None:
    model = tiny_model(family)
    trace = model.attend(TEXT)
    sweep = switch_off_each_head_for_vectors(model, trace, TEXT, batch=3)
    assert sweep.heads == heads_of(trace)
    for (site, head), changes in zip(sweep.heads, sweep.changes, strict=True):
        after = model.attend(TEXT, edits=[zero_head(str(site), head)]).vectors
        assert trace.vectors is not None
        assert after is not None
        for token, change in enumerate(changes):
            one, other = trace.vectors[token].astype(float), after[token].astype(float)
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            assert change == pytest.approx(1 - cosine, abs=1e-5)


def test_vectors_turn_by_their_angle_alone() -> None:
    one = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    other = np.array([[0.0, 3.0], [-1.0, 0.0], [5.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(turned(one, other), [1, 2, 0, 0])


def test_models_that_write_another_text_are_refused() -> None:
    with pytest.raises(InputError, match="one stack"):
        tiny_model("bart").variants(TEXT, [()])


def test_every_head_of_minilm_is_measured_in_one_sweep() -> None:
    model = models.load("hf:minilm")
    trace = model.attend("The cat drank the milk.", pair="It was hungry.")
    sweep = switch_off_each_head_for_vectors(model, trace, "The cat drank the milk.", pair="It was hungry.")  # type: ignore[arg-type]
    assert sweep.changes.shape == (72, len(trace.source))
    assert (sweep.changes > -1e-6).all()
    assert sweep.changes.max() > 1e-3
