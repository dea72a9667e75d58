"""Blocks of causal networks: what is captured is transformers' own, and the parameters give it, or nothing is shown."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from models.experiments.arithmetic import block_form, parameters_at
from models.huggingface.block_form import ACTIVATIONS, BlockForm
from models.huggingface.model import PretrainedModel
from models.sites import VALUE_GRAM, Site
from models.trace import AttentionTrace
from tests.support.huggingface_samples import TEXT, tiny_model, tiny_network, tiny_tokenizer

KNOWN = ("llama", "mistral", "qwen2", "phi3", "gpt2", "gpt_neox")
NOT_KNOWN = ("qwen3", "gemma2", "opt", "gpt_oss", "bert", "bart", "bloom")
ALL = (
    *("norm", "query", "key", "value", "output", "second_norm", "expand", "contract"),
    *("final_norm", "table", "embedding"),
)
each_known = pytest.mark.parametrize("family", [*KNOWN, "gpt_neox in sequence"])


@cache
def model_of(family: str) -> PretrainedModel:
    if family in KNOWN:
        return tiny_model(family)
    network = tiny_network("gpt_neox", use_parallel_residual=False, rotary_pct=1.0)
    return PretrainedModel(network, tiny_tokenizer(ends=False), key="hf:neox", title="neox", head="causal")


@cache
def trace_of(family: str) -> AttentionTrace:
    return model_of(family).attend(TEXT, sites=("*",))


@cache
def eager(family: str) -> Any:
    """Return what transformers itself gives, with its own attention, for the same network and text."""
    model = model_of(family)
    network = type(model.network)(deepcopy(model.network.config))
    network.load_state_dict(model.network.state_dict())
    network.eval().set_attn_implementation("eager")
    with torch.no_grad():
        ids = torch.tensor([trace_of(family).source.ids])
        return network(ids, output_hidden_states=True, output_attentions=True, use_cache=False)


def form_of(family: str, place: Site) -> BlockForm:
    form = block_form(model_of(family), place)  # type: ignore[arg-type]  # what a page gives it
    assert form is not None
    return form


def wanted(family: str, form: BlockForm, place: Site) -> dict[str, Tensor]:
    names = [f"{part}.{kind}" for part in (*ALL, *(("gate",) if form.is_gated else ())) for kind in ("weight", "bias")]
    names += ["positions.weight"] if form.has_positions else []
    found = parameters_at(model_of(family), place, names)  # type: ignore[arg-type]
    return {name: torch.tensor(values, dtype=torch.float64) for name, values in found.items()}


def by_hand(form: BlockForm, p: dict[str, Tensor], x: Tensor, theta: float) -> tuple[Tensor, Tensor]:
    """Return weights and result of a block in float64, [token, d_model] in and out: complex numbers for the turn."""

    def norm(name: str, values: Tensor) -> Tensor:
        shape, weight, bias = values.shape[-1:], p[f"{name}.weight"], p[f"{name}.bias"]
        if form.is_rms:
            return nn.functional.rms_norm(values, shape, weight, form.epsilon)
        return nn.functional.layer_norm(values, shape, weight, bias, form.epsilon)

    def project(name: str, values: Tensor) -> Tensor:
        return nn.functional.linear(values, p[f"{name}.weight"], p[f"{name}.bias"])

    def turn(values: Tensor) -> Tensor:
        if not form.turned:
            return values
        half = form.turned // 2
        pairs = torch.complex(values[..., :half], values[..., half : form.turned])
        rates = torch.tensor([theta ** (-2 * each / form.turned) for each in range(half)], dtype=torch.float64)
        pairs = pairs * torch.exp(1j * torch.arange(len(x))[:, None] * rates)
        return torch.cat((pairs.real, pairs.imag, values[..., form.turned :]), -1)

    read = norm("norm", x)
    query, key, value = (
        project(name, read).view(len(x), -1, form.d_head).transpose(0, 1) for name in ("query", "key", "value")
    )
    back = torch.arange(len(x))[:, None] - torch.arange(len(x))
    mask = (back >= 0) & (back < (form.window or len(x)))
    context, weights = [], []
    for head in range(form.heads):
        shared = head * form.key_heads // form.heads
        scores = turn(query)[head] @ turn(key)[shared].T / form.d_head**0.5
        weights.append(scores.masked_fill(~mask, -torch.inf).softmax(-1))
        context.append(weights[-1] @ value[shared])
    attended = project("output", torch.cat(context, -1))
    given = norm("second_norm", x if form.is_parallel else x + attended)
    functions: dict[str, Any] = {
        "silu": nn.functional.silu,
        "gelu": nn.functional.gelu,
        "gelu_tanh": lambda values: nn.functional.gelu(values, approximate="tanh"),
    }
    activate, up = functions[form.activation], project("expand", given)
    hidden = activate(project("gate", given)) * up if form.is_gated else activate(up)
    return torch.stack(weights), x + attended + project("contract", hidden)


@each_known
def test_what_is_captured_of_a_block_is_what_transformers_computes(family: str) -> None:
    theirs, trace = eager(family), trace_of(family)
    for layer, place in enumerate(trace.sites):
        found = trace[place].companions
        np.testing.assert_allclose(trace[place].weights, theirs.attentions[layer][0].numpy(), atol=1e-5)
        np.testing.assert_allclose(found["input"][0], theirs.hidden_states[layer][0].numpy(), atol=1e-4)
        if place != trace.sites[-1]:
            np.testing.assert_allclose(found["residual"][0], theirs.hidden_states[layer + 1][0].numpy(), atol=1e-4)


@each_known
def test_the_parameters_of_a_block_give_its_weights_and_result_in_float64(family: str) -> None:
    theirs, trace = eager(family), trace_of(family)
    rope = getattr(model_of(family).network.config, "rope_parameters", None) or {}
    for layer, place in enumerate(trace.sites):
        form = form_of(family, place)
        p = wanted(family, form, place)
        weights, left = by_hand(form, p, theirs.hidden_states[layer][0].double(), rope.get("rope_theta", 1.0))
        np.testing.assert_allclose(weights, theirs.attentions[layer][0].numpy(), atol=1e-5)
        np.testing.assert_allclose(trace[place].companions["residual"][0], left, atol=1e-4, rtol=1e-4)
    closed = nn.functional.rms_norm if form.is_rms else nn.functional.layer_norm
    bias = () if form.is_rms else (p["final_norm.bias"],)
    final = closed(left, left.shape[-1:], p["final_norm.weight"], *bias, eps=form.epsilon)
    np.testing.assert_allclose(trace.vectors, final, atol=1e-4, rtol=1e-4)
    np.testing.assert_allclose(final @ p["table.weight"].T, theirs.logits[0].numpy(), atol=1e-3, rtol=1e-4)
    entered = p["embedding.weight"][list(trace.source.ids)]
    entered = entered + p["positions.weight"][: len(entered)] if form.has_positions else entered
    np.testing.assert_allclose(trace[trace.sites[0]].companions["input"][0], entered, atol=1e-6)


def test_forms_say_what_differs_between_families() -> None:
    forms = {family: form_of(family, Site("decoder", 1, "self")) for family in KNOWN}
    assert {family for family, form in forms.items() if form.is_rms} == {"llama", "mistral", "qwen2", "phi3"}
    assert {family for family, form in forms.items() if form.is_gated} == {"llama", "mistral", "qwen2", "phi3"}
    assert [family for family, form in forms.items() if form.has_positions] == ["gpt2"]
    assert [family for family, form in forms.items() if form.is_parallel] == ["gpt_neox"]
    assert [form.window for form in forms.values()] == [0, 5, 0, 0, 0, 0]
    assert [form.turned for form in forms.values()] == [8, 8, 8, 8, 0, 2]
    assert [form.group for form in forms.values()] == [2, 2, 2, 2, 1, 1]


@pytest.mark.parametrize("family", NOT_KNOWN)
def test_of_a_family_that_is_not_known_nothing_is_shown(family: str) -> None:
    model = tiny_model(family)
    assert all(block_form(model, place) is None for place in model.sites)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", ["input_layernorm", "mlp.down_proj", "self_attn.q_proj", "mlp.act_fn"])
def test_a_block_that_computes_something_else_is_not_shown(part: str) -> None:
    """As a family does that has modules of the same names."""
    network = tiny_network("llama")
    network.model.layers[1].get_submodule(part).register_forward_hook(lambda _m, _i, output: output * 1.01)
    model = PretrainedModel(network, tiny_tokenizer(ends=False), key="hf:odd", title="odd", head="causal")
    assert [model.blocks.form_at(place) is None for place in model.sites] == [False, True, False]


def test_nothing_more_is_captured_than_is_asked_for() -> None:
    place = Site("decoder", 1, "self")
    trace = model_of("llama").attend(TEXT, sites=(str(place.at("gate")), str(place.at("unrotated_key"))))
    assert set(trace[place].companions) == {"gate", "unrotated_key", VALUE_GRAM}
    assert trace[place].companions["unrotated_key"].shape == (4, len(trace.source), 8)
    assert set(model_of("llama").attend(TEXT)[place].companions) == {VALUE_GRAM}


def test_activations_are_those_of_torch() -> None:
    x = torch.linspace(-8, 8, 65, dtype=torch.float64)
    theirs = {
        "silu": nn.functional.silu(x),
        "gelu": nn.functional.gelu(x),
        "gelu_tanh": nn.functional.gelu(x, approximate="tanh"),
        "relu": nn.functional.relu(x),
    }
    assert set(theirs) == set(ACTIVATIONS)
    for name, expected in theirs.items():
        np.testing.assert_allclose(ACTIVATIONS[name](x.numpy()), expected, atol=1e-12)
