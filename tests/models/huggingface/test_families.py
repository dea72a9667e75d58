"""Families of transformers of every kind, built tiny from their own configurations: opened and equal, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from benchmarks.families import Found, try_family
from benchmarks.tiny_families import build
from models.errors import InputError
from models.huggingface import attention
from models.huggingface.lengths import telling_length
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel
from models.huggingface.reasons import in_words
from models.huggingface.sizes import _layer_counts
from models.loading import load
from models.messages import Message
from tests.support.drawing import redrawn
from tests.support.huggingface_samples import FAMILIES, TEXT, VOCABULARY, tiny_model, tiny_network, tiny_tokenizer

HYBRIDS = ("jamba", "minimax", "qwen3_next", "bamba", "recurrent_gemma", "zamba")
WITH_PICTURES = ("gemma3", "llava", "qwen2_vl")
OWN = ("megatron-bert", "rembert", "luke", "flaubert", "mvp")
SPARSE = ("deepseek_v32", "minimax_m3_vl_text")
OTHERS = ("gemma3n_text", "gpt_oss", "modernbert", "gemma4_text")
REFUSED = {
    "diffllama": "each of its layers computes attention 2 times",
    "granite_swa": "the weights observed in layer 0 differ from the model's own",
    "fnet": "none of its layers uses the attention interface of",
    "blip-2": "it needs more than text: pixel_values",
}


@pytest.mark.parametrize("family", [*HYBRIDS, *WITH_PICTURES, *OWN, *SPARSE, *OTHERS])
def test_a_family_opens_and_is_equal_at_three_lengths(family: str, tmp_path: Path) -> None:
    found = try_family(family, tmp_path / family)
    assert (found.state, found.reason) == ("opened", "")
    assert found.worst <= 1e-5
    assert found.predicts == ("none" if found.kind == "encoder-decoder" else found.predicts)
    if family in WITH_PICTURES:
        assert found.predicts == "causal"


@pytest.mark.parametrize("family", REFUSED)
def test_a_family_is_refused_with_its_reason(family: str, tmp_path: Path) -> None:
    found = try_family(family, tmp_path / family)
    assert found == Found(family, "refused", found.reason)
    assert REFUSED[family] in found.reason
    assert "<class" not in found.reason
    assert "Error" not in found.reason


class TestHybrids:
    def model(self, tmp_path: Path, layer_types: list[str]) -> PretrainedModel:
        config = transformers.Lfm2Config(
            vocab_size=VOCABULARY,
            hidden_size=32,
            num_hidden_layers=len(layer_types),
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=32,
            layer_types=layer_types,
        )
        redrawn(transformers.Lfm2ForCausalLM(config), seed=7, std=0.3).save_pretrained(tmp_path / "lfm2")
        tiny_tokenizer(ends=False).save_pretrained(tmp_path / "lfm2")
        return load_folder(tmp_path / "lfm2")

    def test_layers_that_attend_keep_their_numbers_and_the_others_are_named(self, tmp_path: Path) -> None:
        model = self.model(tmp_path, ["conv", "full_attention", "conv", "conv", "full_attention"])
        trace = model.attend(TEXT, sites=("*.weights", "decoder.*.self.input", "decoder.*.self.final"))
        assert [site.layer for site in trace.sites] == [1, 4]
        assert "layers 0, 2, 3 have no attention weights (conv) and are not shown" in map(str, trace.provenance.notes)
        states = [trace[site].companions for site in trace.sites]
        assert all({"input", "final"} <= set(each) for each in states)
        assert abs(states[0]["final"] - states[1]["input"]).max() > 0  # two layers lie between them

    def test_one_layer_without_attention_is_named_too(self, tmp_path: Path) -> None:
        notes = map(str, self.model(tmp_path, ["full_attention", "conv"]).attend(TEXT).provenance.notes)
        assert "layer 1 has no attention weights (conv) and is not shown" in notes

    def test_a_layer_that_others_share_has_their_numbers(self, tmp_path: Path) -> None:
        build("zamba2", tmp_path / "zamba2")
        assert [site.layer for site in load_folder(tmp_path / "zamba2").sites] == [1, 3]


class TestLongTexts:
    @pytest.mark.parametrize(
        ("config", "longest", "tokens"),
        [
            ({}, 1024, 0),
            ({"sliding_window": 4096, "num_experts_per_tok": 2}, 1024, 0),
            ({"sliding_window": 100}, 1024, 251),
            ({"text_config": {"index_topk": 64}}, 1024, 161),
            ({"index_block_size": 16, "index_topk_blocks": 8}, 1024, 161),
            ({"attention_window": [8, 32]}, 50, 41),
            ({"sliding_window": None, "block_size": 600}, 1024, 751),
            ({"chunk_size_feed_forward": 64}, 1024, 0),
        ],
    )
    def test_the_second_trial_is_beyond_whatever_the_configuration_names(
        self, config: dict[str, Any], longest: int, tokens: int
    ) -> None:
        assert telling_length(config, longest) >= tokens
        assert bool(telling_length(config, longest)) == bool(tokens)
        assert telling_length(config, longest) <= longest

    def changed(self, monkeypatch: pytest.MonkeyPatch, beyond: int, name: str = "picked") -> Any:
        """Return a Llama whose attention call has an argument of its own, which takes the first key away."""
        module = transformers.models.llama.modeling_llama
        own, forward = module.eager_attention_forward, module.LlamaAttention.forward

        def eager(layer: Any, query: Any, key: Any, value: Any, mask: Any, **kwargs: Any) -> Any:
            if query.shape[2] > kwargs.pop(name):
                mask = mask.clone()
                mask[..., 1:, 0] = torch.finfo(mask.dtype).min
            return own(layer, query, key, value, mask, **kwargs)

        monkeypatch.setattr(module, "eager_attention_forward", eager)
        monkeypatch.setattr(
            module.LlamaAttention,
            "forward",
            lambda layer, *given, **kwargs: forward(layer, *given, **{name: beyond}, **kwargs),
        )
        return tiny_network("llama")

    def open(self, network: Any) -> PretrainedModel:
        return PretrainedModel(network, tiny_tokenizer(ends=False), key="hf:x", title="x", head="causal")

    @pytest.mark.parametrize("beyond", [10, 100], ids=["on any text", "on longer texts"])
    def test_an_unknown_argument_that_changes_weights_is_refused_by_name(
        self, beyond: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(
            InputError,
            match=r"the attention of layer [0-9]+ uses picked, which is not supported here and changes its weights",
        ):
            self.open(self.changed(monkeypatch, beyond))

    def test_one_that_changes_nothing_at_a_length_that_is_shown_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        model = self.open(self.changed(monkeypatch, 128))
        assert model.longest == 128
        assert len(model.attend("x" * 128).source) == 128

    def test_one_that_comes_up_later_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(attention, "HARMLESS", attention.HARMLESS | {"picked"})
        model = self.open(self.changed(monkeypatch, 128))
        monkeypatch.setattr(attention, "HARMLESS", attention.HARMLESS - {"picked"})
        with pytest.raises(
            InputError, match="the model's attention uses picked here, which it did not when it was opened"
        ):
            model.attend(TEXT)


class TestTokensWithoutEmbedding:
    @pytest.mark.parametrize("family", ["gpt2", "bert", "marian", "bloom"])
    def test_a_text_with_one_is_refused_and_every_trace_says_so(self, family: str) -> None:
        tokenizer = tiny_tokenizer(ends=family != "gpt2")
        tokenizer.add_tokens(["<new>"])
        model = PretrainedModel(tiny_network(family), tokenizer, key="hf:x", title="x", head=FAMILIES[family][0])
        target = "chat" if model.is_translation else None
        notes = [str(each) for each in model.attend("a b", target).provenance.notes]
        assert "1 token of its tokenizer has no embedding and cannot be used: <new>" in notes
        with pytest.raises(
            InputError, match=r"^<new> has no embedding in this model: its embedding table has 261 rows"
        ):
            model.attend("a <new> b", target)
        if model.is_translation:
            with pytest.raises(InputError, match=r"^<new> has no embedding"):
                model.attend("a b", "a <new> b")

    def test_one_around_every_text_is_refused_at_opening(self) -> None:
        network = tiny_network("bert", vocab_size=2)
        with pytest.raises(InputError, match=r"(has|have) no embedding"):
            PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x", head="masked")

    def test_whatever_a_network_raises_on_a_text_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        model = tiny_model("llama")

        def fail(*_args: Any, **_kwargs: Any) -> None:
            raise IndexError("index out of range in self")  # noqa: EM101 - as torch says it

        monkeypatch.setattr(type(model.network), "forward", fail)
        with pytest.raises(InputError, match=r"^llama cannot read this text \(its files do not fit together"):
            model.attend(TEXT)


@pytest.mark.parametrize(
    "name",
    [
        "vocab_size_per_layer_input",
        "hidden_size_per_layer_input",
        "max_window_layers",
        "insert_layer_id",
        "vision_feature_layer",
    ],
)
def test_a_setting_with_layer_in_its_name_is_no_number_of_layers(name: str) -> None:
    assert list(_layer_counts({name: 10**6, "num_hidden_layers": 4, "text_config": {"n_layer": 5}})) == [4, 5]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("Unrecognized configuration class <class 'a.b.C'> for this kind of AutoModel: AutoModel."),
        TypeError("unsupported operand type(s) for //: 'int' and 'NoneType'"),
        AttributeError("'T5Config' object has no attribute 'x'"),
        RuntimeError("The size of tensor a (4) must match the size of tensor b (8)"),
        KeyError("x"),
        ValueError("Expected forward() to get self.x"),
        IndexError(),
    ],
)
def test_words_for_programmers_are_not_repeated(error: Exception) -> None:
    assert in_words(error) == "its files do not fit together, or this version of transformers cannot run them"


def test_words_for_a_person_are_repeated_and_missing_inputs_are_named() -> None:
    assert in_words(OSError("/a/b is no valid JSON file.\nmore"), "/a/b", "tiny") == "tiny is no valid JSON file"
    missing = in_words(TypeError("X.forward() missing 2 required positional arguments: 'pixel_values' and 'boxes'"))
    assert missing == "it needs more than text: pixel_values, boxes"
    assert isinstance(missing, Message)
    asked = in_words(ValueError("You have to specify either `pixel_values` or `image_embeds`."))
    assert asked == "it needs more than text: pixel_values, image_embeds"


@pytest.mark.parametrize("base", ["owner/base", None])
def test_an_adapter_is_named_as_one(base: str | None, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base, "peft_type": "LORA"}))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=rf"is an adapter \(LoRA\) of {base or 'another model'}, not a model"):
        load(tmp_path)


def test_a_head_for_next_words_over_a_model_that_reads_both_ways_predicts_nothing() -> None:
    network = tiny_network("bert", head="causal")
    model = PretrainedModel(network, tiny_tokenizer(), key="hf:x", title="x", head="causal")
    assert (model.kind, model.predicts, model.attend(TEXT).predictions) == ("encoder", "none", ())
