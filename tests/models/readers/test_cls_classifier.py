"""A classifier on [CLS], frozen and fine-tuned: its file of weights in float64, its figures, and what was kept."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load_file

import models
from models.huggingface.embedded import READERS
from models.huggingface.model import PretrainedModel
from models.readers.cls_classifier import classify
from models.readers.cls_table import CLASSIFIER_WEIGHTS, classifier_figures, classifies
from tests.support.reference_readers import bert_states

TEXT, KEY = "Two dogs are running on the beach.", "hf:bert-en"


@pytest.fixture(scope="module")
def model() -> PretrainedModel:
    found = models.load(KEY)
    assert isinstance(found, PretrainedModel)
    return found


def test_both_are_their_papers_equations_in_float64(model: PretrainedModel) -> None:
    """Devlin et al. 2019, section 4.1: softmax(C W'), C the last state of [CLS]; from the files of weights alone."""
    found = classify(model, TEXT)
    base = {k: v.astype(np.float64) for k, v in load_file(READERS / "bert-en" / "model.safetensors").items()}
    own = {k: v.astype(np.float64) for k, v in load_file(CLASSIFIER_WEIGHTS).items()}
    encoder = {f"bert.{k.removeprefix('after.')}": v for k, v in own.items() if k.startswith("after.encoder.")}
    assert set(encoder) == {k for k in base if k.startswith("bert.encoder.")}  # the embeddings are those of the base
    config = model.network.config
    for name, trace in (("before", found.before), ("after", found.after)):
        ids = list(trace.source.ids)
        parameters = base | (encoder if name == "after" else {})
        heads, layers = config.num_attention_heads, config.num_hidden_layers
        states, maps = bert_states(parameters, ids, [0] * len(ids), heads=heads, layers=layers)
        for each in trace:
            np.testing.assert_allclose(each.weights, maps[str(each.site)], atol=2e-5)
        scores = own[f"{name}.classifier.weight"] @ states[0] + own[f"{name}.classifier.bias"]
        shares = np.exp(scores - scores.max())
        np.testing.assert_allclose([share for _kind, share in trace.classes], shares / shares.sum(), atol=1e-4)


def test_changes_are_total_variation_of_rows_and_the_model_itself_stays_as_it_was(model: PretrainedModel) -> None:
    plain = model.attend(TEXT)
    found = classify(model, TEXT)
    for one, other in zip(plain, found.before, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
    changes = found.changes()
    assert changes.shape == (4, 8)
    site = found.before.sites[2]
    rows = np.abs(found.before[site].weights[5] - found.after[site].weights[5]).sum(axis=1) / 2
    assert changes[2, 5] == pytest.approx(rows.mean(), abs=1e-6)
    assert ((changes > 0) & (changes <= 1)).all()


def test_the_figures_say_what_was_measured_and_belong_to_the_weights_that_are_there(model: PretrainedModel) -> None:
    figures = classifier_figures()
    assert figures is not None
    assert classifies(KEY, model.sha256)
    assert not classifies(KEY, "other")
    assert not classifies("hf:gpt-en", model.sha256)
    right = figures["right"]
    for name in ("before", "after", "seed", "shuffled", "self-attentive"):
        kinds = [right[name][kind]["right"] for kind in figures["labels"]]
        assert right[name]["mean"] == pytest.approx(np.mean(kinds), abs=1e-4)
    assert right["after"]["mean"] > right["before"]["mean"] > right["shuffled"]["mean"]
    assert {
        np.shape(figures["heads"][name][part]) for name in ("after", "seed", "shuffled") for part in ("rows", "cls")
    } == {(4, 8)}
    assert CLASSIFIER_WEIGHTS.stat().st_size < 16e6
