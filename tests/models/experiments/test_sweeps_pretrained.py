"""Sweeps over transformers models of every kind, against runs one by one and against the models' own attention."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

import models
from models.edits import zero_head
from models.errors import InputError
from models.experiments.sweeps import heads_of, leave_out_each_word, switch_off_each_head, turned
from models.trace import AttentionTrace
from models.translation import replaying as replays
from tests.support.huggingface_samples import TRANSLATORS, tiny_model, tiny_network

TEXT = "The cat, the cat: it sat."
TARGET = "le chat dort"
PROJECTIONS = {"t5": "o", "bart": "out_proj", "marian": "out_proj", "mbart": "out_proj"}


@cache
def run(family: str) -> AttentionTrace:
    return tiny_model(family).attend(TEXT, TARGET if family in TRANSLATORS else None)


def known(trace: AttentionTrace) -> np.ndarray:
    """Return the log-probabilities that a trace tells: of its steps, or of the tokens of a causal text."""
    if trace.target:
        return np.array([step.log_probability for step in trace.steps])
    return np.array([each.log_probability for each in trace.predictions if each.log_probability is not None])


@cache
def eager(family: str) -> Any:
    """Return the same network with the attention that transformers itself has."""
    network = tiny_network(family, attention="eager")
    for mine, theirs in zip(tiny_model(family).network.parameters(), network.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    return network


def forced(family: str, ids: list[int]) -> np.ndarray:
    """Return the log-probabilities of the target of `run(family)` by the network's own attention, `ids` being read."""
    trace = run(family)
    with torch.inference_mode():
        logits = eager(family)(
            input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([trace.target_input.ids]), use_cache=False
        ).logits[0]
    return logits.log_softmax(-1)[torch.arange(len(trace.target)), list(trace.target.ids)].double().numpy()


@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "llama", "mistral", "gpt_oss", *TRANSLATORS])
def test_a_batched_sweep_of_heads_equals_one_run_a_head(family: str) -> None:
    """What is written or read on is less likely, and final vectors turn, as when one head after another is edited."""
    model, trace = tiny_model(family), run(family)
    sweep = switch_off_each_head(model.replay(trace), batch=5)
    assert sweep.heads == heads_of(trace)
    assert len(sweep.written) == len(sweep.baseline) == len(known(trace))
    np.testing.assert_allclose(sweep.baseline, known(trace))
    for number, (site, head) in enumerate(sweep.heads):
        alone = model.attend(TEXT, TARGET if trace.target else None, edits=[zero_head(str(site), head)])
        assert alone.target.ids == trace.target.ids
        np.testing.assert_allclose(sweep.changes[number], known(alone) - known(trace), atol=1e-5)
        if not trace.target:
            assert sweep.turns is not None
            for token, change in enumerate(sweep.turns[number]):
                one, other = (each.vectors[token].astype(float) for each in (trace, alone))  # type: ignore[index]
                cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
                assert change == pytest.approx(1 - cosine, abs=1e-5)
    effects = sweep.turns if sweep.changes.size == 0 else sweep.changes
    assert effects is not None
    assert np.abs(effects).max(axis=1).min() > 1e-4  # an edit that does nothing would pass most of the above


def test_only_what_a_model_predicts_has_a_probability() -> None:
    """A causal text's tokens but the first; the target of a translation, whose vectors are not of one text."""
    trace = run("gpt2")
    assert switch_off_each_head(tiny_model("gpt2").replay(trace)).written.ids == trace.source.ids[1:]
    assert not switch_off_each_head(tiny_model("bert").replay(run("bert"))).written
    assert switch_off_each_head(tiny_model("marian").replay(run("marian"))).turns is None


@pytest.mark.parametrize("family", TRANSLATORS)
def test_a_head_off_is_its_slice_before_the_output_projection_at_zero(family: str) -> None:
    """Every head of encoder, decoder and cross-attention, masked by hand in the network's own attention."""
    trace, network = run(family), eager(family)
    sweep = switch_off_each_head(tiny_model(family).replay(trace))
    names = {module: name for name, module in tiny_model(family).network.named_modules()}
    layers = {site: names[module] for module, sites in tiny_model(family)._layers.places.items() for site in sites}
    assert {str(site).partition(".")[0] + site.kind for site, _head in sweep.heads} == {
        "encoderself",
        "decoderself",
        "decodercross",
    }
    for (site, head), changes in zip(sweep.heads, sweep.changes, strict=True):
        projection = network.get_submodule(f"{layers[site]}.{PROJECTIONS[family]}")
        size = projection.in_features // len(trace[site].weights)

        def mask(_module: Any, given: Any, *, start: int = head * size, end: int = (head + 1) * size) -> Any:
            joined = given[0].clone()  # [batch, query, head * d_head]
            joined[..., start:end] = 0
            return (joined,)

        handle = projection.register_forward_pre_hook(mask)
        try:
            found = forced(family, list(trace.source.ids))
        finally:
            handle.remove()
        np.testing.assert_allclose(changes, found - known(trace), atol=2e-5)


@pytest.mark.parametrize("family", TRANSLATORS)
def test_leaving_a_word_out_is_running_without_its_tokens(family: str) -> None:
    trace = run(family)
    source = trace.source
    sweep = leave_out_each_word(tiny_model(family).replay(trace))
    assert sweep.words == ("The", "cat", ",", "the", "cat", ":", "it", "sat", ".")
    assert [source.word_texts[place] for place in sweep.places] == list(sweep.words)
    for place, changes in zip(sweep.places, sweep.changes, strict=True):
        ids = [token for token, owner in zip(source.ids, source.words, strict=True) if owner != place]
        assert len(ids) < len(source)
        np.testing.assert_allclose(changes, forced(family, ids) - known(trace), atol=2e-5)
    assert np.abs(sweep.changes).max(axis=1).min() > 1e-3


def test_long_texts_run_fewer_at_once_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    model, trace = tiny_model("marian"), run("marian")
    whole = model.replay(trace)
    assert whole.most == replays.BATCH
    monkeypatch.setattr(replays, "CELLS", 3 * max(each.weights.size for each in trace))
    few = model.replay(trace)
    assert few.most == 3
    np.testing.assert_allclose(switch_off_each_head(few).changes, switch_off_each_head(whole).changes, atol=1e-5)


def test_what_cannot_be_swept_is_refused_with_the_reason() -> None:
    deberta = tiny_model("deberta-v2")
    with pytest.raises(InputError, match="cannot be edited"):
        switch_off_each_head(deberta.replay(deberta.attend(TEXT)))
    for family in ("bert", "gpt2"):
        with pytest.raises(InputError, match="This model neither translates nor classifies, so the"):
            leave_out_each_word(tiny_model(family).replay(run(family)))
    with pytest.raises(ValueError, match="not of this model"):
        tiny_model("bert").replay(run("gpt2"))


def test_vectors_turn_by_their_angle_alone() -> None:
    one = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    other = np.array([[0.0, 3.0], [-1.0, 0.0], [5.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(turned(one, other), [1, 2, 0, 0])


def test_every_head_of_minilm_is_measured_in_one_sweep() -> None:
    """A pair of texts, each token of which has its text's type."""
    model: Any = models.load("hf:minilm")
    texts: Any = {"source": "The cat drank the milk.", "pair": "It was hungry."}
    trace = model.attend(**texts)
    sweep = switch_off_each_head(model.replay(trace, pair=texts["pair"]))
    assert sweep.turns is not None
    assert sweep.turns.shape == (72, len(trace.source))
    assert (sweep.turns > -1e-6).all()
    assert sweep.turns.max() > 1e-3
    site, head = sweep.heads[30]
    alone = model.attend(**texts, edits=[zero_head(str(site), head)])
    np.testing.assert_allclose(sweep.turns[30], turned(trace.vectors, alone.vectors), atol=1e-5)
