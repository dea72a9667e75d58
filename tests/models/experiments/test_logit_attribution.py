"""Direct logit attribution and the logit lens, against float64 equations and transformers' own hidden states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import models
from models.errors import InputError
from models.experiments.logit_attribution import logit_attribution, logit_lens
from models.experiments.logits import LogitAttribution, LogitLens
from models.experiments.residual_stream import has_residual_stream, residual_stream
from models.sites import Site
from tests.support.huggingface_samples import tiny_model, tiny_network

TEXT = "The cat, the cat: it sat."
SENTENCE = "The cat drank the milk."
ADDING_UP = ("gpt2", "gpt_neox", "opt", "llama", "mistral", "qwen2", "qwen3", "phi3", "gpt_oss")


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().double().numpy()


@pytest.mark.parametrize("family", ADDING_UP)
def test_contributions_of_a_pretrained_model_sum_to_the_logit(family: str) -> None:
    """Heads, embedding and rest, each less its mean over the vocabulary, are the network's own logit to 1e-4."""
    model = tiny_model(family)
    trace = model.attend(TEXT)
    with torch.inference_mode():
        logits = tiny_network(family)(torch.tensor([trace.source.ids])).logits[0]
    for position in (0, 7, len(trace.source) - 1):
        found = logit_attribution(residual_stream(model, trace, position))
        row = numbers(logits[position])
        assert found.logit == pytest.approx(row.max() - row.mean(), abs=1e-4)
        summed = found.contributions.sum() + found.embedding + found.rest
        assert summed == pytest.approx(row.max() - row.mean(), abs=1e-4)
        assert found.probability == pytest.approx(float(logits[position].softmax(-1).max()), abs=1e-5)


@pytest.mark.parametrize("family", ADDING_UP)
def test_states_are_those_of_transformers_and_the_last_layer_of_the_lens_is_the_model(family: str) -> None:
    model = tiny_model(family)
    trace = model.attend(TEXT)
    stream = residual_stream(model, trace, 5)
    with torch.inference_mode():
        own = tiny_network(family)(torch.tensor([trace.source.ids]), output_hidden_states=True)
    for layer, state in enumerate(own.hidden_states[:-1]):
        np.testing.assert_allclose(numbers(stream.states[layer]), numbers(state[0, 5]), atol=1e-5)
    np.testing.assert_allclose(numbers(stream.norm(stream.states[-1])), numbers(own.hidden_states[-1][0, 5]), atol=1e-4)
    lens = logit_lens(stream)
    assert lens.ranks[-1] == 1
    assert lens.probabilities[-1] == pytest.approx(float(own.logits[0, 5].softmax(-1).max()), abs=1e-5)
    assert [len(each) for each in lens.layers] == [8] * (len(own.hidden_states))


def test_contributions_of_gpt2_equal_its_equations_in_float64() -> None:
    """Each head: context times its rows of W_O, through the closing LayerNorm with its length frozen."""
    model, network = tiny_model("gpt2"), tiny_network("gpt2")
    trace = model.attend(TEXT, sites=("*.context",))
    position = 6
    found = logit_attribution(residual_stream(model, trace, position))
    core: Any = network.transformer
    last: list[torch.Tensor] = []
    core.ln_f.register_forward_pre_hook(lambda _m, inputs: last.append(inputs[0]))
    logits = numbers(network(torch.tensor([trace.source.ids])).logits[0, position])
    answer = int(logits.argmax())
    state = numbers(last[0][0, position])
    sigma = np.sqrt(state.var() + core.ln_f.eps)
    unembedding = numbers(network.lm_head.weight)
    for number, (site, head) in enumerate(found.heads):
        context = trace[site].companions["context"][head, position].astype(np.float64)
        rows = numbers(core.h[site.layer].attn.c_proj.weight)[8 * head : 8 * head + 8]  # Conv1D: [in, out]
        written = context @ rows
        effect = unembedding @ (numbers(core.ln_f.weight) * (written - written.mean()) / sigma)
        assert found.contributions[number] == pytest.approx(effect[answer] - effect.mean(), abs=1e-5)
        raised = np.sort(effect - effect.mean())[::-1][:8]
        np.testing.assert_allclose([value for _word, value in found.raised[number]], raised, atol=1e-5)


@pytest.mark.parametrize("key", ["transformer-en-fr", "transformer-relative-en-fr", "transformer-zh-en"])
def test_contributions_of_our_decoders_equal_their_equations(key: str) -> None:
    model: Any = models.load(key)
    source = "猫喝了牛奶。" if key.endswith("zh-en") else SENTENCE
    trace = model.attend(source, sites=("decoder.*.*.context", "decoder.*.cross.final"))
    network, position = model.network, 2
    found = logit_attribution(residual_stream(model, trace, position))
    norm = network.decoder_norm
    state = trace[f"decoder.{len(network.decoder) - 1}.cross"].companions["final"][0, position].astype(np.float64)
    sigma = np.sqrt(state.var() + norm.eps)
    unembedding = numbers(network.embedding.weight)[2:]
    answer = trace.target.ids[position] - 2
    logits = unembedding @ (numbers(norm.weight) * (state - state.mean()) / sigma + numbers(norm.bias))
    logits += numbers(network.output_bias)[2:]
    assert found.answer == trace.target.texts[position]
    assert found.logit == pytest.approx(logits[answer] - logits.mean(), abs=1e-3)
    assert found.contributions.sum() + found.embedding + found.rest == pytest.approx(found.logit, abs=1e-4)
    assert np.log(found.probability) == pytest.approx(trace.steps[position].log_probability, abs=1e-4)
    for number, (site, head) in enumerate(found.heads):
        layer = network.decoder[site.layer]
        weight = numbers((layer.attention if site.kind == "self" else layer.cross).output.weight)
        context = trace[site].companions["context"][head, position].astype(np.float64)
        written = weight[:, len(context) * head : len(context) * (head + 1)] @ context
        effect = unembedding @ (numbers(norm.weight) * (written - written.mean()) / sigma)
        assert found.contributions[number] == pytest.approx(effect[answer] - effect.mean(), abs=1e-4)


def test_what_does_not_add_up_is_refused() -> None:
    """Post-LN, sandwiched normalisations, encoders, and attention that its library alone computes."""
    refused = [models.load("transformer-post-ln-en-fr"), models.load("bahdanau-en-fr")]
    refused += [tiny_model(family) for family in ("bert", "bart", "gptj")]
    for model in refused:
        assert not has_residual_stream(model)
        with pytest.raises(InputError, match="do not simply add up"):
            residual_stream(model, model.attend(SENTENCE), 1)
    gemma = tiny_model("gemma2")
    with pytest.raises(InputError, match="do not simply add up"):
        residual_stream(gemma, gemma.attend(TEXT), 1)
    gpt = tiny_model("gpt2")
    with pytest.raises(InputError, match="expected 0 to"):
        residual_stream(gpt, gpt.attend(TEXT), 900)


def test_the_lens_of_our_decoder_ends_in_what_it_wrote() -> None:
    model = models.load("transformer-en-fr")
    trace = model.attend(SENTENCE)
    for position, step in enumerate(trace.steps):
        lens = logit_lens(residual_stream(model, trace, position))
        assert lens.answer == trace.target.texts[position]
        assert np.log(lens.probabilities[-1]) == pytest.approx(step.log_probability, abs=1e-4)
        assert lens.layers[-1][0][0] == step.alternatives[0][0]
        assert len(lens.layers) == 4
        assert 0 <= lens.leads_from <= 4


def test_records_survive_a_journey_as_text() -> None:
    model = tiny_model("llama")
    stream = residual_stream(model, model.attend(TEXT), 4)
    attribution, lens = logit_attribution(stream), logit_lens(stream)
    again = LogitAttribution.read(attribution.to_text().encode())
    assert again.to_text() == attribution.to_text()
    assert again.heads[0] == (Site("decoder", 0, "self"), 0)
    assert LogitLens.read(lens.to_text().encode()).to_text() == lens.to_text()
