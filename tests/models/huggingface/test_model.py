"""Transformers models of every family, tiny and random: what is captured equals their own eager attention."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import AttentionInterface, AttentionMaskInterface

from models.edits import harden, keep_heads, mask_key, scale_scores, set_row, uniform_row, window, zero_head
from models.errors import InputError
from models.hooks import CaptureError, current_session
from models.huggingface import attention, layers
from models.huggingface.attention import NAME
from models.huggingface.layers import own_weights
from models.huggingface.model import PretrainedModel
from models.huggingface.run import current_run
from models.sites import Site
from models.trace import AttentionTrace
from tests.support.huggingface_samples import (
    CAUSAL,
    ENCODERS,
    FAMILIES,
    OBSERVED,
    OWN,
    OWN_CAUSAL,
    OWN_ENCODERS,
    TEXT,
    TRANSLATORS,
    tiny_model,
    tiny_network,
    tiny_tokenizer,
)

TARGET = "Le chat, le chat: assis."
OUTPUT_PROJECTIONS = {  # of the first layer whose map comes first in a trace
    "bert": "bert.encoder.layer.0.attention.output.dense",
    "distilbert": "distilbert.transformer.layer.0.attention.out_lin",
    "gpt2": "transformer.h.0.attn.c_proj",
    "llama": "model.layers.0.self_attn.o_proj",
    "gpt_oss": "model.layers.0.self_attn.o_proj",
    "t5": "encoder.block.0.layer.0.SelfAttention.o",
    "bart": "model.encoder.layers.0.self_attn.out_proj",
}


def attend(family: str, **settings: Any) -> AttentionTrace:
    """Run the shared model of `family`; a translation is forced."""
    target = TARGET if family in TRANSLATORS else None
    return tiny_model(family).attend(TEXT, target, **settings)


def eager_weights(family: str, trace: AttentionTrace) -> dict[Site, np.ndarray]:
    """Return what a second network of the same weights, never observed, gives as its attentions."""
    network = tiny_network(family, attention="eager")
    inputs = {"input_ids": torch.tensor([trace.source.ids])}
    if family in TRANSLATORS:
        inputs["decoder_input_ids"] = torch.tensor([trace.target_input.ids])
    with torch.inference_mode():
        output = network(**inputs, output_attentions=True, use_cache=False)
    found = {}
    for (stack, kind), weights in own_weights(network, output).items():
        one = stack or tiny_model(family).kind
        found |= {Site(one, layer, kind): values[0].numpy() for layer, values in enumerate(weights)}
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_every_layer_and_head_equals_the_models_own_eager_attention(family: str) -> None:
    trace = attend(family)
    own = eager_weights(family, trace)
    layers = {"t5": 8, "bart": 8, "marian": 8, "mbart": 8}.get(family, 3)
    assert len(own) == layers
    assert set(trace.sites) == set(own)
    for site, weights in own.items():
        np.testing.assert_allclose(trace[site].weights, weights, atol=1e-5)
        assert weights.std() > 0.02  # maps that are far from even, or the comparison says little


@pytest.mark.parametrize("family", OBSERVED)
def test_each_captured_quantity_follows_from_those_before_it(family: str) -> None:
    trace = attend(family, sites=("*",))
    sinks = (
        {
            Site("decoder", layer, "self"): each.self_attn.sinks.numpy()
            for layer, each in enumerate(tiny_model(family).network.base_model.layers)
        }
        if family == "gpt_oss"
        else {}
    )
    for each in trace:
        given = {name: values.astype(np.float64) for name, values in each.companions.items()}
        masked = np.where(each.companions["mask"], given["scores"], -np.inf)
        parts = np.exp(masked - masked.max(axis=-1, keepdims=True))
        total = parts.sum(axis=-1, keepdims=True)
        if sinks:
            total += np.exp(sinks[each.site][:, None, None] - masked.max(axis=-1, keepdims=True))
        np.testing.assert_allclose(each.weights, parts / total, atol=1e-5)
        np.testing.assert_allclose(given["context"], each.weights @ given["value"], atol=1e-4)
        products = given["query"] @ given["key"].swapaxes(-1, -2)
        if family not in ("t5", "gemma2"):
            scale = 1.0 if family == "opt" else given["query"].shape[-1] ** -0.5
            np.testing.assert_allclose(given["scores"], products * scale, atol=1e-3)
        if family == "gemma2":
            np.testing.assert_allclose(given["scores"], 2 * np.tanh(products * 8**-0.5 / 2), atol=1e-3)
        assert given["output"].shape == (1, len(each.query_tokens), 32)


@pytest.mark.parametrize("family", OUTPUT_PROJECTIONS)
def test_the_output_is_what_the_projection_makes_of_the_heads(family: str) -> None:
    model = tiny_model(family)
    each = attend(family, sites=("*",))[model.sites[0]]
    joined = torch.tensor(each.companions["context"]).transpose(0, 1).flatten(1)  # [query, head * d_head]
    with torch.inference_mode():
        expected = model.network.get_submodule(OUTPUT_PROJECTIONS[family])(joined[None]).numpy()
    np.testing.assert_allclose(each.companions["output"], expected, atol=1e-5)


def test_the_position_bias_of_t5_depends_on_distance_and_head_alone() -> None:
    each = attend("t5", sites=("encoder.*.self", "encoder.*.self.scores", "encoder.*.self.query", "encoder.*.self.key"))
    for layer in each:
        given = layer.companions
        bias = given["scores"] - given["query"] @ given["key"].swapaxes(-1, -2)  # [head, query, key]
        assert np.abs(bias).max() > 0.1
        np.testing.assert_allclose(bias[:, 1:, 1:], bias[:, :-1, :-1], atol=1e-4)
        assert np.abs(bias[0] - bias[1]).max() > 0.1


@pytest.mark.parametrize("family", [*CAUSAL, *OWN_CAUSAL, *TRANSLATORS])
def test_no_query_of_a_decoder_reads_ahead(family: str) -> None:
    for each in attend(family):
        ahead = np.triu(each.weights, k=1).any()
        assert each.causal == (each.site.stack == "decoder" and each.site.kind == "self")
        assert ahead != each.causal


@pytest.mark.parametrize("family", [*ENCODERS, *OWN_ENCODERS])
def test_an_encoder_reads_both_ways_and_its_site_says_so(family: str) -> None:
    for each in attend(family):
        assert each.site.stack == "encoder"
        assert np.triu(each.weights, k=1).any()
        assert not each.causal


@pytest.mark.parametrize(("family", "layers"), [("mistral", (0, 1, 2)), ("gemma2", (0, 2)), ("gpt_oss", (0, 2))])
def test_a_sliding_window_is_shown_as_it_is(family: str, layers: tuple[int, ...]) -> None:
    trace = attend(family)
    far = np.tril(np.ones(trace.maps[0].weights.shape[1:], dtype=bool), k=-5)
    for each in trace:
        assert (each.weights[:, far] > 0).any() == (each.site.layer not in layers)
    assert f"sliding window of 5 tokens in layer {', '.join(map(str, layers))}" in trace.provenance.notes


@pytest.mark.parametrize(
    "changes", [{"alibi": True}, {"new_decoder_architecture": True, "num_kv_heads": 2}, {"multi_query": False}]
)
def test_each_kind_of_falcon_gives_its_own_weights(changes: dict[str, Any]) -> None:
    network = tiny_network("falcon", **changes)
    trace = PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x", head="causal").attend(TEXT)
    with torch.inference_mode():
        own = network(input_ids=torch.tensor([trace.source.ids]), output_attentions=True).attentions
    assert len(trace.maps) == len(own) == 3
    for each, weights in zip(trace, own, strict=True):
        np.testing.assert_allclose(each.weights, weights[0].numpy(), atol=1e-5)


def test_big_bird_reads_in_full_up_to_where_it_would_read_in_blocks() -> None:
    """A checkpoint says block_sparse; transformers changes over at a text that is too short for its blocks."""
    sparse = {"attention_type": "block_sparse", "block_size": 2, "num_random_blocks": 1}
    network = tiny_network("big_bird", **sparse)
    model = PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x", head="masked")
    assert model.longest == 14  # 2 blocks that all read, 3 that slide, 1 drawn and 1 to spare, of 2 tokens each
    trace, full = model.attend("The cat sat."), tiny_model("big_bird").attend("The cat sat.")
    assert len(trace.source) == 14
    for each in trace:
        np.testing.assert_allclose(each.weights, full[each.site].weights, atol=1e-6)
    with pytest.raises(InputError, match="14 at most"):
        model.attend("The cat sat...")
    fresh = model.replay(trace).fresh(1)
    assert fresh.weights(np.arange(14)[None], model.sites[0]).shape == (1, 4, 14, 14)


@pytest.mark.parametrize(("family", "longest"), [("mpt", 128), ("xglm", 1024), ("xlnet", 1024)])
def test_a_family_with_positions_that_are_computed_takes_what_its_configuration_says(family: str, longest: int) -> None:
    assert tiny_model(family).longest == longest


def test_a_local_layer_of_gpt_neo_reads_its_window_alone() -> None:
    far = np.tril(np.ones((len(attend("gpt_neo").source),) * 2, dtype=bool), k=-5)
    assert [bool((each.weights[:, far] > 0).any()) for each in attend("gpt_neo")] == [True, False, True]


@pytest.mark.parametrize("family", ["llama", "phi3"])
def test_grouped_query_heads_are_expanded_and_say_so(family: str) -> None:
    trace = attend(family, sites=("*",))
    for each in trace:
        key = each.companions["key"]
        assert key.shape[0] == each.weights.shape[0] == 4
        np.testing.assert_array_equal(key[0::2], key[1::2])
        assert np.abs(key[0] - key[2]).max() > 0.1
    assert any(note.startswith("grouped-query attention: 4 query heads share 2") for note in trace.provenance.notes)


def test_rows_with_a_sink_are_never_renormalised() -> None:
    trace = attend("gpt_oss")
    for each in trace:
        assert not each.rows_sum_to_one
        assert each.weights.sum(axis=-1).min() < 0.9
        assert each.weights.sum(axis=-1).max() < 1 + 1e-6
    assert any("an attention sink" in note for note in trace.provenance.notes)


def test_layers_of_one_shared_module_are_numbered_by_firing() -> None:
    model = tiny_model("albert")
    assert [str(site) for site in model.sites] == ["encoder.0.self", "encoder.1.self", "encoder.2.self"]
    weights = [each.weights for each in attend("albert")]
    assert np.abs(weights[0] - weights[1]).max() > 0.1


class TestEdits:
    @pytest.mark.parametrize("family", OUTPUT_PROJECTIONS)
    def test_zero_head_equals_its_slice_blanked_before_the_output_projection(self, family: str) -> None:
        model, network = tiny_model(family), tiny_network(family, attention="eager")
        first = next(site for site in model.sites)
        edited = attend(family, edits=(zero_head(str(first), 1),))

        def blank(_: Any, given: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            width = given[0].shape[-1] // 4
            states = given[0].clone()
            states[..., width : 2 * width] = 0
            return (states,)

        network.get_submodule(OUTPUT_PROJECTIONS[family]).register_forward_pre_hook(blank)
        body = network.get_encoder() if family in TRANSLATORS else network.base_model
        with torch.inference_mode():
            expected = body(input_ids=torch.tensor([edited.source.ids])).last_hidden_state[0].numpy()
        assert edited.vectors is not None
        np.testing.assert_allclose(edited.vectors, expected, atol=1e-4)
        assert not np.allclose(edited.vectors, attend(family).vectors, atol=1e-2)  # type: ignore[arg-type]
        assert not edited[first].weights[1].any()

    @pytest.mark.parametrize("family", ["bert", "albert", "mistral", "gpt_oss", "t5"])
    @pytest.mark.parametrize(
        "edit",
        [
            lambda place: keep_heads(place, (0,)),
            lambda place: uniform_row(place, None, None),
            lambda place: harden(place, None, None),
            lambda place: set_row(place, 0, 5, (1.0,), 0.5),
            lambda place: scale_scores(place, 3.0),
            lambda place: mask_key(place, 2),
            lambda place: window(place, 6, 5, 1),
        ],
        ids=["keep_heads", "uniform_row", "harden", "set_row", "scale_scores", "mask_key", "window"],
    )
    def test_each_edit_acts_on_the_layers_after_it(self, family: str, edit: Callable[[str], Any]) -> None:
        place = str(tiny_model(family).sites[0])
        before, after = attend(family), attend(family, edits=(edit(place),))
        assert before.vectors is not None
        assert after.vectors is not None
        assert np.abs(before.vectors - after.vectors).max() > 1e-3
        assert np.abs(before.maps[1].weights - after.maps[1].weights).max() > 1e-3
        assert after.provenance.edits == (edit(place),)

    @pytest.mark.parametrize("family", OBSERVED)
    def test_without_an_effect_nothing_changes_by_a_bit(self, family: str) -> None:
        place = str(tiny_model(family).sites[0])
        before, after = attend(family), attend(family, edits=(scale_scores(place, 1.0),))
        np.testing.assert_array_equal(before.vectors, after.vectors)  # type: ignore[arg-type]
        for each in before:
            np.testing.assert_array_equal(each.weights, after[each.site].weights)
        assert any(note.startswith("no effect") for note in after.provenance.notes)

    @pytest.mark.parametrize("family", OWN)
    def test_a_model_outside_of_the_interface_is_shown_but_not_edited(self, family: str) -> None:
        model = tiny_model(family)
        assert not model.editable
        assert "its attention cannot be edited" in attend(family).provenance.notes[0]
        with pytest.raises(InputError, match="cannot be edited"):
            attend(family, edits=(zero_head("*.0.self", 0),))
        with pytest.raises(CaptureError, match="scores: never fired"):
            attend(family, sites=("*.scores",))

    def test_a_row_left_without_a_key_is_explained(self) -> None:
        with pytest.raises(InputError, match=r"hide every key from a word\. decoder\.0\.self: query 1"):
            attend("llama", edits=(mask_key("decoder.0.self", 0),))

    def test_a_place_that_is_not_there_is_named(self) -> None:
        with pytest.raises(CaptureError, match="Check its address"):
            attend("bert", edits=(zero_head("decoder.0.cross", 0),))


class TestIsolation:
    def test_two_threads_never_mix(self) -> None:
        model = tiny_model("albert")
        edits = [(zero_head(f"encoder.{layer}.self", layer),) for layer in range(3)]
        texts = [f"Text {'of many words ' * number}." for number in range(3)]
        jobs = [(text, edit) for text in texts for edit in edits]
        alone = [model.attend(text, edits=edit) for text, edit in jobs]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda job: model.attend(job[0], edits=job[1]), jobs * 4))
        for one, other in zip(alone * 4, together, strict=True):
            for each in one:
                np.testing.assert_array_equal(each.weights, other[each.site].weights)

    def test_other_users_of_transformers_see_no_difference(self) -> None:
        functions = {name: AttentionInterface()[name] for name in AttentionInterface() if name != NAME}
        masks = {name: AttentionMaskInterface()[name] for name in AttentionMaskInterface() if name != NAME}
        plain, inputs = tiny_network("llama", attention="sdpa"), torch.tensor([[5, 6, 7, 8]])
        before = plain(input_ids=inputs).logits
        PretrainedModel(tiny_network("llama"), tiny_tokenizer(), key="hf:x", title="x", head="causal").attend(TEXT)
        assert {name: AttentionInterface()[name] for name in functions} == functions
        assert {name: AttentionMaskInterface()[name] for name in masks} == masks
        assert plain.config._attn_implementation == "sdpa"
        torch.testing.assert_close(plain(input_ids=inputs).logits, before, rtol=0, atol=0)

    @pytest.mark.parametrize("settings", [{}, {"sites": ("encoder.9.self",)}, {"edits": (zero_head("*.0.self", 99),)}])
    def test_nothing_stays_open_after_success_or_error(self, settings: dict[str, Any]) -> None:
        before = attend("bert")
        try:
            attend("bert", **settings)
        except (CaptureError, ValueError):
            assert settings
        assert current_run() is None
        assert current_session() is None
        np.testing.assert_array_equal(attend("bert").vectors, before.vectors)  # type: ignore[arg-type]

    def test_outside_of_a_run_the_network_computes_the_same(self) -> None:
        model, trace = tiny_model("gpt2"), attend("gpt2")
        with torch.inference_mode():
            states = model.network.base_model(input_ids=torch.tensor([trace.source.ids])).last_hidden_state[0]
        np.testing.assert_array_equal(states.numpy(), trace.vectors)  # type: ignore[arg-type]


def test_the_families_that_their_page_names_are_those_that_are_tested() -> None:
    page = (Path(__file__).parents[3] / "docs" / "families.md").read_text(encoding="utf8")
    listed = page.partition("<!-- tested:begin -->")[2].partition("<!-- tested:end -->")[0]
    edited, shown, refused = (re.findall(r"`([^`]+)`", each) for each in listed.strip().split("\n- "))
    assert edited == sorted(OBSERVED)
    assert shown == sorted(OWN)
    assert set(shown) <= layers.OWN_WEIGHTS
    body = inspect.getsource(TestRefusals)
    assert all(rf"\({each}\) cannot be observed" in body for each in refused)


class TestRefusals:
    def refuse(self, network: Any, match: str, **settings: Any) -> None:
        with pytest.raises(InputError, match=match):
            PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x", **settings)

    def test_a_model_without_attention(self) -> None:
        network = tiny_config("mamba", hidden_size=16, num_hidden_layers=2, state_size=4)
        self.refuse(network, r"\(mamba\) cannot be observed: none of its layers")

    def test_a_model_that_was_loaded_under_another_attention(self) -> None:
        self.refuse(
            tiny_network("bert", attention="sdpa"), "loaded with the attention implementation 'sdpa'", head="masked"
        )

    def test_a_decoder_with_one_softmax_over_both_texts(self) -> None:
        text = {"vocab_size": 300, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "head_dim": 8}
        text |= {"num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}
        vision = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = transformers.T5Gemma2Config(
            encoder={"text_config": text, "vision_config": vision | {"image_size": 16, "patch_size": 8}},
            decoder=text,
            image_token_index=7,
            eoi_token_index=8,
        )
        network = transformers.AutoModelForSeq2SeqLM.from_config(config, attn_implementation=NAME, dtype=torch.float32)
        self.refuse(
            network,
            r"\(t5gemma2\) cannot be observed: its decoder uses one softmax for self-attention and cross-attention",
            head="translation",
        )

    def test_a_model_that_gives_something_else_for_its_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(layers, "OWN_WEIGHTS", frozenset(("squeezebert",)))  # which gives its scores
        sizes = {"hidden_size": 32, "embedding_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
        config = transformers.AutoConfig.for_model("squeezebert", vocab_size=300, intermediate_size=32, **sizes)
        network = transformers.AutoModel.from_config(config, attn_implementation="eager", dtype=torch.float32)
        self.refuse(network, r"\(squeezebert\) cannot be observed: the weights it returns do not sum to 1")

    def test_a_model_that_needs_more_than_a_text(self) -> None:
        text = {"vocab_size": 300, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
        size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        vision = size | {"image_size": 16, "patch_size": 8}
        config = transformers.CLIPConfig(text_config=size | text, vision_config=vision, projection_dim=8)
        network = transformers.AutoModel.from_config(config, attn_implementation=NAME, dtype=torch.float32)
        self.refuse(network, "x cannot be shown: it does not run on text alone")

    def test_double_precision(self) -> None:
        self.refuse(
            tiny_network("bert").double(), "weights in torch.float64 are not supported; use float32", head="masked"
        )

    def test_a_decoder_without_a_trained_head(self) -> None:
        self.refuse(tiny_network("bart", head="none"), "has no trained output layer, so its decoder cannot")

    @pytest.mark.parametrize("wrong", ["weights", "values"])
    def test_a_model_whose_own_attention_does_something_else(self, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
        module = transformers.models.llama.modeling_llama
        own = module.eager_attention_forward

        def other(*args: Any, **kwargs: Any) -> Any:
            context, weights = own(*args, **kwargs)
            if args[0].layer_idx < 2:  # in the last layer, no weights come after wrong values
                return context, weights
            return (context, weights.softmax(-1)) if wrong == "weights" else (context * 1.01, weights)

        monkeypatch.setattr(module, "eager_attention_forward", other)
        reason = (
            "weights observed in layer 2 differ" if wrong == "weights" else "its results change when it is observed"
        )
        self.refuse(tiny_network("llama"), reason, head="causal")

    def test_a_layer_that_stays_silent_later(self) -> None:
        network = tiny_network("bert")
        model = PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x")
        layer = network.bert.encoder.layer[1]
        layer.forward = lambda states, *_args, **_kwargs: states
        with pytest.raises(CaptureError, match=r"encoder\.1\.self: fired 0 times"):
            model.attend(TEXT)


def tiny_config(family: str, **settings: Any) -> Any:
    config = transformers.AutoConfig.for_model(family, vocab_size=300, pad_token_id=0, **settings)
    return transformers.AutoModel.from_config(config, attn_implementation=NAME, dtype=torch.float32)


class TestPredictions:
    @pytest.mark.parametrize("family", ["gpt2", "llama", "bloom"])
    def test_a_causal_model_predicts_after_each_token(self, family: str) -> None:
        trace, network = attend(family), tiny_network(family, attention="eager")
        ids = torch.tensor([trace.source.ids])
        with torch.inference_mode():
            values = network(input_ids=ids, use_cache=False).logits[0].log_softmax(-1)
        assert [each.position for each in trace.predictions] == list(range(len(trace.source)))
        for each in trace.predictions[:-1]:
            expected = float(values[each.position, trace.source.ids[each.position + 1]])
            assert each.log_probability == pytest.approx(expected, abs=1e-3)
        last = trace.predictions[-1]
        assert last.log_probability is None
        best, token = values[-1].exp().max(-1)
        assert last.alternatives[0] == (
            tiny_model(family).tokenizer.piece(int(token)),
            pytest.approx(float(best), abs=1e-4),
        )
        assert [likely for _, likely in last.alternatives] == sorted((p for _, p in last.alternatives), reverse=True)

    @pytest.mark.parametrize(
        ("family", "causal"), [("gpt2", True), ("llama", True), ("mistral", False), ("bert", False)]
    )
    def test_a_long_causal_text_is_worked_out_in_blocks(
        self, family: str, causal: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With grouped heads, too; a sliding window, and a text read both ways, are not: their masks are others."""
        module, blocks = attention, []
        monkeypatch.setattr("models.huggingface.run.LONG", 4)
        own = module.causal_weights
        monkeypatch.setattr(module, "causal_weights", lambda *given, **more: blocks.append(1) or own(*given, **more))
        trace = attend(family)
        assert bool(blocks) == causal
        for site, weights in eager_weights(family, trace).items():
            np.testing.assert_allclose(trace[site].weights, weights, atol=1e-5)
        blocks.clear()
        edited = tiny_model(family).attend(TEXT, edits=[scale_scores("*.*.self", 0.5)])
        assert not blocks  # scores that are edited are worked out whole
        assert not np.allclose(edited[edited.sites[0]].weights, trace[trace.sites[0]].weights)

    def test_a_long_causal_text_predicts_at_its_last_positions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("models.huggingface.one_stack.LOGITS", 4 * 261)
        trace = attend("llama")
        assert [each.position for each in trace.predictions] == list(range(len(trace.source) - 4, len(trace.source)))
        np.testing.assert_allclose(
            [each.log_probability for each in trace.predictions[:-1]],
            [each.log_probability for each in tiny_model("llama").attend(TEXT).predictions[:-1]],
            atol=1e-5,
        )

    def test_a_masked_model_fills_each_mask(self) -> None:
        model, network = tiny_model("bert"), tiny_network("bert", attention="eager")
        trace = model.attend("The <mask> drank <mask>.")
        with torch.inference_mode():
            values = network(input_ids=torch.tensor([trace.source.ids])).logits[0].softmax(-1)
        places = [place for place, text in enumerate(trace.source.texts) if text == "<mask>"]
        assert [each.position for each in trace.predictions] == places
        assert len(places) == 2
        for each in trace.predictions:
            assert each.alternatives[0][1] == pytest.approx(float(values[each.position].max()), abs=1e-4)
            assert each.log_probability is None
        assert not set(places) & set(trace.source.specials)
        assert model.attend("The cat drank.").predictions == ()

    def test_without_a_head_there_is_no_table(self) -> None:
        model = PretrainedModel(tiny_network("bert", head="none"), tiny_tokenizer(), key="hf:x", title="x")
        assert model.attend("The <mask> drank.").predictions == ()


class TestTranslations:
    @pytest.mark.parametrize("family", TRANSLATORS)
    def test_its_own_translation_is_what_generate_gives(self, family: str) -> None:
        trace, network = tiny_model(family).attend(TEXT), tiny_network(family, attention="eager")
        limit = len(trace.target)
        ids = network.generate(
            input_ids=torch.tensor([trace.source.ids]),
            do_sample=False,
            num_beams=1,
            max_new_tokens=limit,
            use_cache=False,
        )[0].tolist()
        assert (trace.target_input.ids[0], *trace.target.ids) == tuple(ids)
        assert trace.target_input.ids[1:] == trace.target.ids[:-1]
        assert trace.provenance.decoding == "greedy"

    @pytest.mark.parametrize("family", ["t5", "bart"])
    def test_a_forced_translation_says_how_likely_each_token_was(self, family: str) -> None:
        trace, network = attend(family), tiny_network(family, attention="eager")
        assert trace.output_text == TARGET
        with torch.inference_mode():
            values = (
                network(
                    input_ids=torch.tensor([trace.source.ids]), decoder_input_ids=torch.tensor([trace.target_input.ids])
                )
                .logits[0]
                .log_softmax(-1)
            )
        for place, step in enumerate(trace.steps):
            assert step.log_probability == pytest.approx(float(values[place, step.id]), abs=1e-3)
        assert trace.provenance.decoding == "forced"

    def test_an_edit_is_in_force_while_it_writes(self) -> None:
        model, edits = tiny_model("bart"), (uniform_row("*.*.cross", None, None), uniform_row("*.*.self", None, None))
        edited = model.attend(TEXT, edits=edits)
        assert edited.target != model.attend(TEXT).target
        ids = edited.target.ids
        chosen = [max(step.alternatives, key=lambda each: each[1])[0] for step in edited.steps]
        assert chosen == [model.tokenizer.piece(token) for token in ids]


class TestInput:
    @pytest.mark.parametrize(
        ("family", "settings", "match"),
        [
            ("bert", {"source": " \n"}, "The text is empty"),
            ("bert", {"source": "a", "pair": " "}, "The second text is empty"),
            ("bert", {"source": "a" * 127}, "has 129 tokens; this model takes 128 at most"),
            ("bert", {"source": "a" * 100, "pair": "b" * 40}, "The pair of texts has 143 tokens"),
            ("bert", {"source": "a", "target": "b"}, "does not translate; it takes one text"),
            ("gpt2", {"source": "a", "pair": "b"}, "takes one text. A pair of texts needs a bidirectional"),
            ("bart", {"source": "a", "pair": "b"}, "takes one text. A pair of texts needs a bidirectional"),
            ("bart", {"source": "a", "target": "\t"}, "The translation is empty"),
            ("bart", {"source": "a", "target": "b" * 200}, "The translation has 202 tokens"),
        ],
    )
    def test_what_a_model_cannot_take_is_explained(self, family: str, settings: dict[str, str], match: str) -> None:
        with pytest.raises(InputError, match=match):
            tiny_model(family).attend(**settings)

    def test_the_limit_is_the_models_own_or_a_thousand(self) -> None:
        assert tiny_model("bert").longest == 128
        assert tiny_model("roberta").longest == 127  # its positions are counted from after padding
        assert tiny_model("t5").longest == 1024

    def test_the_longest_text_runs(self) -> None:
        model = tiny_model("roberta")
        trace = model.attend("a" * (model.longest - 2))
        assert len(trace.source) == model.longest

    def test_fit_cuts_after_the_last_word_that_fits(self) -> None:
        model = tiny_model("bert")
        text = " ".join(f"word{number}" for number in range(60))
        kept, left_out = model.fit(text)
        words = text.split()
        assert kept == " ".join(words[: len(words) - left_out])
        assert len(model.attend(kept).source) <= 128
        with pytest.raises(InputError):
            model.attend(" ".join(words[: len(words) - left_out + 1]))
        assert model.fit("short") == ("short", 0)

    def test_fit_cuts_a_word_that_is_too_long_inside(self) -> None:
        assert tiny_model("bert").fit("a" * 500) == ("a" * 126, 1)

    @pytest.mark.parametrize("pair", ["It.", "b" * 60, " spaces at both ends "])
    def test_fit_leaves_room_for_a_second_text(self, pair: str) -> None:
        model, text = tiny_model("bert"), " ".join(f"word{number}" for number in range(60))
        kept, left_out = model.fit(text, pair=pair)
        words = text.split()
        assert kept == " ".join(words[: len(words) - left_out])
        assert len(model.attend(kept, pair=pair).source) <= 128
        with pytest.raises(InputError):
            model.attend(" ".join(words[: len(words) - left_out + 1]), pair=pair)

    def test_fit_cuts_nothing_where_the_second_text_leaves_no_room(self) -> None:
        assert tiny_model("bert").fit("a cat", pair="b" * 125) == ("a cat", 0)
        with pytest.raises(InputError, match="The pair of texts has 133 tokens"):
            tiny_model("bert").attend("a cat", pair="b" * 125)
