"""Half precision and devices: the record stays float32 and equal to the model's own attention in its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from models.edits import zero_head
from models.errors import InputError
from models.huggingface.layers import own_weights
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel
from models.huggingface.placement import DEVICES, DTYPES, Placement, placed
from models.loading import load
from models.sites import Site
from models.trace import AttentionTrace
from models.writing import Writing
from tests.support.huggingface_samples import (
    CAUSAL,
    FAMILIES,
    OBSERVED,
    TEXT,
    TRANSLATORS,
    tiny_model,
    tiny_network,
    tiny_tokenizer,
)

TARGET = "Le chat, le chat: assis."


def half(family: str, dtype: torch.dtype) -> PretrainedModel:
    tokenizer = tiny_tokenizer(ends=family not in CAUSAL)
    network = tiny_network(family).to(dtype)
    return PretrainedModel(network, tokenizer, key=f"hf:{family}", title=family, head=FAMILIES[family][0])


def attend(model: PretrainedModel, family: str, **settings: object) -> AttentionTrace:
    return model.attend(TEXT, TARGET if family in TRANSLATORS else None, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_record_is_float32_and_equals_eager_attention_in_half_precision(family: str, dtype: torch.dtype) -> None:
    model = half(family, dtype)
    trace = attend(model, family)
    network = tiny_network(family, attention="eager").to(dtype)
    inputs = {"input_ids": torch.tensor([trace.source.ids])}
    if family in TRANSLATORS:
        inputs["decoder_input_ids"] = torch.tensor([trace.target_input.ids])
    with torch.inference_mode():
        own = own_weights(network, network(**inputs, output_attentions=True, use_cache=False))
    for (stack, kind), weights in own.items():
        for layer, expected in enumerate(weights):
            found = trace[Site(stack or model.kind, layer, kind)].weights
            assert found.dtype == np.float32
            off = np.abs(found - expected[0].float().numpy())
            eps = torch.finfo(dtype).eps
            weighs_in_half = family == "gpt_oss"  # its own softmax rounds, and the layers drift apart
            assert off.max() <= eps or (weighs_in_half and off.mean() <= eps / 8)
            if family in OBSERVED:  # a softmax in half precision does not sum to 1 so nearly
                np.testing.assert_array_less(found.sum(-1), 1 + 1e-5)
    assert trace.vectors is not None
    assert trace.vectors.dtype == np.float32
    named = str(dtype).removeprefix("torch.")
    assert f"computed in {named} on cpu; softmax and trace in float32" in map(str, trace.provenance.notes)


@pytest.mark.parametrize("family", ["bert", "llama", "t5"])
def test_an_edit_acts_in_half_precision(family: str) -> None:
    model = half(family, torch.bfloat16)
    place = model.sites[0]
    plain, edited = attend(model, family), attend(model, family, edits=(zero_head(str(place), 1),))
    assert not edited[place].weights[1].any()
    assert np.abs(plain.maps[1].weights - edited.maps[1].weights).max() > 1e-3
    assert model.fresh_network(1).dtype == torch.bfloat16
    assert model.replay(plain).weights(np.arange(len(plain.source))[None], place).dtype == np.float32


def test_what_a_network_takes_goes_where_it_is() -> None:
    network = tiny_network("llama").to("meta")
    inputs = placed(network, {"input_ids": torch.tensor([[5, 6]]), "logits_to_keep": 3})
    assert inputs["input_ids"].device.type == "meta"
    assert inputs["logits_to_keep"] == 3
    assert network.get_input_embeddings()(inputs["input_ids"]).device.type == "meta"


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_folder_is_opened_with_the_numbers_asked_for(dtype: str, tmp_path: Path) -> None:
    tiny_model("gpt2").network.save_pretrained(tmp_path)
    tiny_tokenizer(ends=False).save_pretrained(tmp_path)
    model = load_folder(tmp_path, placement=Placement(dtype=dtype))
    assert {str(each.dtype) for each in model.network.parameters()} == {f"torch.{dtype}"}
    again = load(tmp_path, device="auto", dtype=dtype)
    assert isinstance(again, PretrainedModel)
    assert again.network.device.type == Placement("auto").place()
    said = [note for note in map(str, model.attend(TEXT).provenance.notes) if note.startswith("computed in")]
    assert bool(said) == (dtype != "float32")


@pytest.mark.parametrize("device", [each for each in ("cuda", "mps") if not getattr(torch, each).is_available()])
def test_a_device_that_is_not_there_is_named(device: str, tmp_path: Path) -> None:
    tiny_model("gpt2").network.save_pretrained(tmp_path)
    tiny_tokenizer(ends=False).save_pretrained(tmp_path)
    with pytest.raises(InputError, match=rf"PyTorch finds no {device} on this machine; it finds (cuda, |mps, )?cpu"):
        load(tmp_path, device=device)


@pytest.mark.parametrize(("device", "dtype"), [("gpu", "float32"), ("cpu", "int8"), ("cpu", "float64"), ("", "half")])
def test_what_is_no_device_or_number_is_refused_with_those_that_are(device: str, dtype: str) -> None:
    with pytest.raises(InputError) as refused:
        load("bahdanau-en-fr", device=device, dtype=dtype)
    assert ", ".join(DEVICES if device not in DEVICES else DTYPES) in str(refused.value)


@pytest.mark.skipif(Placement("auto").place() == "cpu", reason="this machine has no accelerator")
@pytest.mark.parametrize("family", FAMILIES)
def test_an_accelerator_gives_what_the_processor_gives(family: str, tmp_path: Path) -> None:
    tiny_model(family).network.save_pretrained(tmp_path)
    tiny_tokenizer(ends=family not in CAUSAL).save_pretrained(tmp_path)
    found, expected = (
        attend(load_folder(tmp_path, placement=Placement("auto")), family),
        attend(tiny_model(family), family),
    )
    for site in expected.sites:
        np.testing.assert_allclose(found[site].weights, expected[site].weights, atol=1e-4)


@pytest.mark.parametrize("family", ["gpt2", "llama", "mistral"])
def test_half_precision_writes_with_its_keys_kept(family: str) -> None:
    model = half(family, torch.bfloat16)
    trace = model.attend(TEXT, write=3)
    again = model.attend(TEXT, write=Writing(3, cache=False))
    assert trace.written is not None
    assert trace.written.kept
    assert {layer.number_bytes for layer in trace.written.kept} == {2}
    assert trace.source.ids == again.source.ids
    for site in trace.sites:
        assert trace[site].weights.dtype == np.float32
        np.testing.assert_allclose(trace[site].weights, again[site].weights, atol=torch.finfo(torch.bfloat16).eps)
