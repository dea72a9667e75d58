"""GGUF files: of tiny networks, written by the package `gguf`; and small ones that lie, written byte by byte."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import (
    GGML_QUANT_SIZES,
    MODEL_ARCH_NAMES,
    GGMLQuantizationType,
    GGUFWriter,
    dequantize,
    get_tensor_name_map,
    quantize,
)

from tests.support.huggingface_samples import tiny_tokenizer

NUMBERS = {4: "I", 5: "i", 6: "f", 7: "?", 10: "Q"}


def text(value: str | bytes, length: int | None = None) -> bytes:
    """Return a string as GGUF has it, saying whatever `length` it likes."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data) if length is None else length) + data


def setting(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


ARCHITECTURE = setting("general.architecture", 8, text("llama"))


def tensor(
    name: str = "token_embd.weight", dims: Sequence[int] = (32, 8), kind: int = 0, start: int = 0, *, count: int = -1
) -> bytes:
    said = len(dims) if count < 0 else count
    return text(name) + struct.pack(f"<I{len(dims)}QIQ", said, *dims, kind, start)


def made(
    settings: Sequence[bytes] = (ARCHITECTURE,),
    tensors: Sequence[bytes] = (),
    *,
    counts: tuple[int, int] | None = None,
    version: int = 3,
    data: int = 4096,
) -> bytes:
    """Return a file with these settings and tensors, and `data` bytes behind them."""
    said = (len(tensors), len(settings)) if counts is None else counts
    head = b"GGUF" + struct.pack("<IQQ", version, *said) + b"".join((*settings, *tensors))
    return head + bytes(-len(head) % 32) + bytes(data)


def _permuted(values: np.ndarray, heads: int) -> np.ndarray:
    """Return what llama.cpp makes of a projection for its rotary positions."""
    return values.reshape(heads, 2, len(values) // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def write_tiny(path: Path, network: Any, kind: GGMLQuantizationType, more: Mapping[str, Any] | None = None) -> None:
    """Write a tiny decoder as llama.cpp's converter does: Llama's projections permuted, norms in float32."""
    config = network.config
    name = config.model_type
    writer = GGUFWriter(path, name)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_key_length(config.head_dim)
    writer.add_vocab_size(config.vocab_size)
    for key, value in (more or {}).items():
        writer.add_string(key, value)
    _add_tokenizer(writer)
    table = get_tensor_name_map(next(key for key, each in MODEL_ARCH_NAMES.items() if each == name), 9)
    tied = config.tie_word_embeddings
    for own, values in network.state_dict().items():
        if tied and own.startswith("lm_head"):
            continue
        stem, _, ending = own.rpartition(".")
        array = values.float().numpy()
        if name == "llama" and stem.endswith(("q_proj", "k_proj")):
            array = _permuted(
                array, config.num_attention_heads if stem.endswith("q_proj") else config.num_key_value_heads
            )
        kept = kept_as(array.shape, kind)
        writer.add_tensor(f"{table.get_name(stem)}.{ending}", quantize(array, kept), raw_dtype=kept)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: GGUFWriter) -> None:
    said = json.loads(tiny_tokenizer().backend_tokenizer.to_str())
    vocabulary = sorted(said["model"]["vocab"], key=said["model"]["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(vocabulary)
    writer.add_token_types([3 if each.startswith("<") and len(each) > 1 else 1 for each in vocabulary])
    writer.add_token_scores([0.0] * len(vocabulary))  # of which no merges come
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(4)
    writer.add_pad_token_id(0)


def kept_as(shape: Sequence[int], kind: GGMLQuantizationType) -> GGMLQuantizationType:
    """Return how numbers of a shape are stored: norms, and rows of no whole blocks, in float32."""
    return GGMLQuantizationType.F32 if len(shape) == 1 or shape[-1] % GGML_QUANT_SIZES[kind][0] else kind


def rounded(values: torch.Tensor, kind: GGMLQuantizationType) -> torch.Tensor:
    """Return numbers as they come back from a file: through their blocks, then float16 for those."""
    kind = kept_as(values.shape, kind)
    back = torch.from_numpy(np.array(dequantize(quantize(values.float().numpy(), kind), kind)))
    return back if kind in (GGMLQuantizationType.F32, GGMLQuantizationType.BF16) else back.half().float()
