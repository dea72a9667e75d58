"""Every architecture of GGUF files in transformers' table: opened as what was written, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType
from transformers.integrations.gguf.gguf_config_mapping import GGUF_CONFIG_ARCHS
from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES, load_gguf_checkpoint

from models.errors import InputError
from models.huggingface.gguf_header import read_header
from models.huggingface.gguf_settings import ALIASES, REFUSED, described
from models.huggingface.gguf_unpacking import unpack_into
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel
from tests.support.gguf_architectures import ARCHITECTURES, tiny_of
from tests.support.gguf_files import made, setting, tensor, text, write_tiny
from tests.support.huggingface_samples import TEXT

UNTRIED = ("gpt-oss", "t5encoder", "gemma", "phi2", "command-r", *REFUSED, *GGUF_CONFIG_ARCHS)


def _unpacked(path: Path, title: str = "tiny") -> PretrainedModel:
    folder = path.with_suffix("")
    folder.mkdir()
    unpack_into(folder, path, read_header(path, title), title)
    return load_folder(folder)


def test_every_architecture_of_the_table_is_opened_or_refused() -> None:
    read = {ALIASES.get(each, each) for each in ARCHITECTURES}
    refused = {*REFUSED, *GGUF_CONFIG_ARCHS} - read
    assert read | refused == {*GGUF_SUPPORTED_ARCHITECTURES, *GGUF_CONFIG_ARCHS}
    assert not read & {*GGUF_CONFIG_ARCHS}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_each_opens_as_the_network_that_it_was_written_from(architecture: str, tmp_path: Path) -> None:
    """Settings that are nobody's defaults: what is left unread shows in the weights."""
    path, network = tmp_path / "tiny.gguf", tiny_of(architecture)
    write_tiny(path, network, GGMLQuantizationType.F32, architecture=architecture)
    model: Any = _unpacked(path)
    load: Any = load_gguf_checkpoint
    known = tiny_of("llama") if architecture == "mistral" else network  # whose name its table of tensors has not
    theirs = load(path, return_tensors=True, model_to_load=known)["tensors"]
    ours = model.network.state_dict()
    assert theirs
    for name, values in theirs.items():
        torch.testing.assert_close(ours[name].float(), values.float(), atol=0, rtol=0)
    trace = model.attend(TEXT, "It sat." if model.is_translation else None)
    more = {"decoder_input_ids": torch.tensor([trace.target_input.ids])} if model.is_translation else {}
    ids = torch.tensor([trace.source.ids])
    with torch.no_grad():
        own = network(ids, output_attentions=True, use_cache=False, **more)
        torch.testing.assert_close(model.network(ids, use_cache=False, **more).logits, own.logits, atol=1e-5, rtol=1e-5)
    given = own.encoder_attentions if model.is_translation else own.attentions
    maps = [each for each in trace.maps if each.site.stack == trace.maps[0].site.stack]
    for mine, other in zip(maps, given, strict=True):
        torch.testing.assert_close(torch.tensor(mine.weights), other[0], atol=1e-5, rtol=0)


@pytest.mark.parametrize("architecture", sorted({*UNTRIED}))
def test_each_other_is_refused_by_name(architecture: str, tmp_path: Path) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(made([setting("general.architecture", 8, text(architecture))], [tensor()]))
    with pytest.raises(InputError, match=f"^other cannot be opened: GGUF files of the architecture '{architecture}'"):
        described(path, read_header(path, "other"), "other")


@pytest.mark.parametrize(
    ("key", "value"),
    [("llama.attention.sliding_window", 5), ("llama.rope.dimension_count", 4), ("llama.attention.scale", 0.5)],
)
def test_a_setting_that_would_be_dropped_is_refused_by_name(key: str, value: float, tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    write_tiny(path, tiny_of("llama"), GGMLQuantizationType.F32, {key: value}, architecture="llama")
    with pytest.raises(InputError, match=f"its setting {key.removeprefix('llama.')} = {value} is not supported"):
        described(path, read_header(path, "tiny"), "tiny")


def test_gemma_of_27_billion_weights_divides_by_the_width_of_all_heads(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    network = tiny_of("gemma2")
    write_tiny(path, network, GGMLQuantizationType.F32, architecture="gemma2")
    assert described(path, read_header(path, "tiny"), "tiny")["query_pre_attn_scalar"] == network.config.head_dim
    large = {"gemma2.block_count": 46, "gemma2.embedding_length": 64}
    write_tiny(path, network, GGMLQuantizationType.F32, large, architecture="gemma2")
    assert described(path, read_header(path, "tiny"), "tiny")["query_pre_attn_scalar"] == 64 // 4


def test_a_plain_t5_has_no_gate(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(made([setting("general.architecture", 8, text("t5"))], [tensor()]))
    assert described(path, read_header(path, "tiny"), "tiny")["feed_forward_proj"] == "relu"
