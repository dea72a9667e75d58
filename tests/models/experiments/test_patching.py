"""Activation patching: one head against runs one by one, all heads against the other text, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import models
from models.edits import patch, read_edit
from models.errors import InputError
from models.experiments.batch_edits import BatchRowEdit
from models.experiments.patching import patch_each_head
from models.recording import filled_patches
from models.trace import AttentionTrace
from tests.support.huggingface_samples import CAUSAL as OBSERVED_CAUSAL
from tests.support.huggingface_samples import tiny_model, tiny_network

ONE, OTHER = "The cat drank the milk.", "The dog drank the milk."
CAUSAL = ("The cat, the cat: it sat", "The dog, the dog: he sat")


class Served:
    """A model in a service, as `scale.client.model` has it: its facts are here, its tokenizer is not."""

    def __init__(self, model: Any) -> None:
        self.editable, self.predicts = model.editable, model.predicts


def total(trace: AttentionTrace) -> float:
    return sum(step.log_probability for step in trace.steps)


@pytest.mark.parametrize("key", ["transformer-en-fr", "transformer-relative-en-fr"])
def test_every_decoder_head_of_the_other_sentence_gives_its_forced_translation(key: str) -> None:
    """What a decoder reads of the source comes through its heads alone, so that all of them are the other sentence."""
    model = models.load(key)
    before = model.attend(ONE)
    there = model.attend(OTHER, before.output_text)
    edits = [patch(str(site), None, OTHER) for site in before.sites if site.stack == "decoder"]
    after = model.attend(ONE, before.output_text, edits=edits)
    np.testing.assert_allclose(
        [step.log_probability for step in after.steps], [step.log_probability for step in there.steps], atol=1e-4
    )
    assert total(after) < total(before) - 1
    assert after.provenance.edits == tuple(edits)
    assert after.provenance.edits[0].outputs is None


@pytest.mark.parametrize("family", ["gpt2", "llama", "gpt_neox"])
def test_every_head_of_the_other_text_predicts_as_it_does_after_the_same_last_token(family: str) -> None:
    model = tiny_model(family)
    one, there = (model.attend(text) for text in CAUSAL)
    found = patch_each_head(model, one, CAUSAL[1], batch=5)
    with torch.inference_mode():
        rows = [
            tiny_network(family)(torch.tensor([each.source.ids])).logits[0, -1].log_softmax(-1) for each in (one, there)
        ]
    ids = list(dict.fromkeys(int(row.argmax()) for row in rows))
    measured = [float(row[ids[0]] - (row[ids[1]] if len(ids) > 1 else 0)) for row in rows]
    assert (found.before, found.every) == pytest.approx(measured, abs=1e-4)
    assert np.abs(found.changes).max() > 1e-4


def test_a_batched_grid_equals_one_edited_run_a_head() -> None:
    model = models.load("transformer-en-fr")
    trace = model.attend(ONE)
    shares: list[float] = []
    found = patch_each_head(model, trace, OTHER, batch=7, on_progress=shares.append)
    assert len(found.heads) == 72
    assert shares == sorted(shares)
    assert shares[-1] == 1
    for number in (0, 30, 71):
        site, head = found.heads[number]
        alone = model.attend(ONE, trace.output_text, edits=[patch(str(site), head, OTHER)])
        assert found.changes[number] == pytest.approx(total(alone) - total(trace), abs=1e-4)


@pytest.mark.parametrize("family", OBSERVED_CAUSAL)
def test_a_run_that_begins_at_a_later_layer_gives_what_the_whole_run_gives(family: str) -> None:
    model = tiny_model(family)
    trace, there = model.attend(CAUSAL[0]), model.attend(CAUSAL[1], sites=("*.context",))
    replay, (*_earlier, site) = model.replay(trace).asking((5, 7)), trace.sites
    edits = filled_patches(
        tuple(patch(str(site), head, CAUSAL[1]) for head in range(2)), len(trace.source), lambda _text: there
    )
    singles = [BatchRowEdit(str(site), each, row + 1) for row, each in enumerate(edits)]
    later = replay.beginning_at(site)
    whole, begun = (each.run(each.as_it_is(3), singles).answers for each in (replay, later))
    np.testing.assert_allclose(begun, whole, atol=1e-5)
    assert np.abs(whole[1:] - whole[0]).max() > 1e-5
    assert len(later._layers.places) == (1 if replay._layers.observed else 0)


def test_a_run_that_begins_later_leaves_the_network_as_it_was() -> None:
    model = tiny_model("llama")
    before, trace = dict(model.network.named_modules()), model.attend(CAUSAL[0])
    model.replay(trace).asking((5, 7)).beginning_at(trace.sites[-1])
    assert dict(model.network.named_modules()) == before
    for again, first in zip(model.attend(CAUSAL[0]), trace, strict=True):
        np.testing.assert_array_equal(again.weights, first.weights)


def test_patching_with_the_same_text_changes_nothing() -> None:
    model = tiny_model("gpt2")
    found = patch_each_head(model, model.attend(CAUSAL[0]), CAUSAL[0])
    assert found.other == ""
    np.testing.assert_allclose(found.changes, 0, atol=1e-5)
    assert found.every == pytest.approx(found.before, abs=1e-5)


def test_an_edit_survives_a_link_whatever_is_written_in_it() -> None:
    for text in ("A cat, (or two) ~ 50% & more; done.", "猫喝了牛奶。", "a+b=c #1"):
        edit = patch("decoder.0.self", 3, text)
        written = edit.to_text()
        assert not set(" ~") & set(written)
        assert written.count(",") == 2
        assert read_edit(written) == edit


def test_texts_of_unequal_length_are_refused_with_both_lengths() -> None:
    model = models.load("transformer-en-fr")
    trace = model.attend(ONE)
    lengths = [len(model.attend(text).source) for text in (ONE, "The old dog drank.")]
    with pytest.raises(InputError, match=f"this one has {len(trace.source)}.* has {lengths[1]}"):
        patch_each_head(model, trace, "The old dog drank.")
    with pytest.raises(InputError, match="Activation patching needs two texts with the same"):
        model.attend(ONE, edits=[patch("decoder.0.cross", 0, "The old dog drank.")])
    with pytest.raises(InputError, match="run in a service of their own"):
        patch_each_head(Served(model), trace, OTHER)  # type: ignore[arg-type]
    encoder = tiny_model("bert")
    read = encoder.attend(ONE)
    with pytest.raises(InputError, match="Activation patching works for translators and next-word"):
        patch_each_head(encoder, read, OTHER)
