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

from tests.support.gguf_architectures import settings_of, tensors_of
from tests.support.huggingface_samples import tiny_tokenizer

IN_FILES = {"mistral": "llama", "umt5": "t5"}
"""Architectures that go by the name of another in files; `general.name` tells them apart."""

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


def write_tiny(
    path: Path,
    network: Any,
    kind: GGMLQuantizationType,
    more: Mapping[str, Any] | None = None,
    architecture: str | None = None,
) -> None:
    """Write a tiny network as llama.cpp's converter does: norms in float32; `more` settings by their whole names."""
    name = architecture or network.config.model_type
    inside = IN_FILES.get(name, name)
    writer = GGUFWriter(path, inside)
    if inside != name:
        writer.add_name(name)
    settings = {f"{inside}.{key}": value for key, value in settings_of(name, network.config).items()}
    for key, value in (settings | dict(more or {})).items():
        add = {str: writer.add_string, bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32}
        add[type(value)](key, value)
    _add_tokenizer(writer)
    table = get_tensor_name_map(next(key for key, each in MODEL_ARCH_NAMES.items() if each == inside), 9)
    for own, array in tensors_of(name, network):
        kept = kept_as(array.shape, kind)
        writer.add_tensor(_called(own, table), quantize(np.ascontiguousarray(array), kept), raw_dtype=kept)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _called(own: str, table: Any) -> str:
    """Return what llama.cpp calls a tensor of transformers."""
    stem, _, ending = own.rpartition(".")
    called = table.get_name(stem) or table.get_name(stem.removeprefix("transformer."))
    if called is None:
        raise LookupError(own)
    return f"{called}.{ending}"


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
