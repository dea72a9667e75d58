"""From a GGUF file to a folder as transformers saves it: plain numbers, configuration and tokenizer.

What quantised blocks stand for is stored in float16, which keeps the likeliest next token; bfloat16 does not. Which
tensor is which, and what llama.cpp has moved in it, is known to transformers.
"""

from __future__ import annotations

import json
import shutil
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import MODEL_ARCH_NAMES, GGMLQuantizationType, dequantize, get_tensor_name_map
from safetensors.torch import save_file
from tokenizers import pre_tokenizers
from torch import Tensor, nn
from tqdm import tqdm
from transformers import CONFIG_MAPPING, AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast
from transformers.integrations.gguf.gguf_tokenizer_mapping import (
    GGUF_PRE_TOKENIZER_SPLITS,
    convert_gguf_tokenizer,
    get_gguf_tokenizer,
)
from transformers.modeling_gguf_pytorch_utils import TENSOR_PROCESSORS, TensorProcessor

from models.errors import InputError
from models.huggingface.files import INDEX_FILE, WEIGHTS_FILE
from models.huggingface.gguf_header import Header
from models.huggingface.gguf_header import Tensor as GgufTensor
from models.huggingface.gguf_settings import described
from models.huggingface.reasons import in_words
from models.huggingface.sizes import check_described
from models.messages import Message

PART_BYTES = 100_000_000
"""Bytes of weights that are written at once."""

CHUNK = 2**20
"""Numbers that are made of quantised blocks at once."""

_DIGITS_APART = frozenset(("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"))
"""Byte-level tokenizers that take each digit for itself, then cut as GPT-2 does; as llama.cpp lists them."""

_AS_GPT2 = frozenset(("", "default", "gpt-2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe", "jina-v1-en"))
_EXACT = {
    GGMLQuantizationType.F32: torch.float32,
    GGMLQuantizationType.F16: torch.float16,
    GGMLQuantizationType.BF16: torch.bfloat16,
}


def unpack_into(folder: Path, path: Path, header: Header, title: str) -> None:
    """Write what the GGUF file `path` has into `folder`, which is there and empty; `header` was read from it."""
    _check_room(header, folder, title)
    try:
        _write(folder, path, header, title)
    except (InputError, MemoryError, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever libraries make of the settings of strangers, a panic of Rust among it
        reason = in_words(error, str(path), title)
        message = Message("{title} cannot be opened: {reason}.", title=title, reason=reason)
        raise InputError(message) from error


def _write(folder: Path, path: Path, header: Header, title: str) -> None:
    """Write all files of the folder."""
    settings = described(path, header, title)
    config = CONFIG_MAPPING[settings["model_type"]].from_dict(settings)
    openers = (AutoModelForSeq2SeqLM,) if config.is_encoder_decoder else (AutoModelForCausalLM, AutoModel)
    opener: Any = next(each for each in openers if type(config) in each._model_mapping)
    check_described({each.name: int(np.prod(each.shape)) for each in header.tensors}, config, title, opener)
    with torch.device("meta"):
        network = opener.from_config(config)
    config.architectures = [type(network).__name__]
    config.save_pretrained(folder)
    _save_tokenizer(folder, path, title)
    _save_weights(folder, path, header, _Places(header, settings, network, title))


class _Places:
    """Which tensors of a network those of a file are."""

    def __init__(self, header: Header, settings: dict[str, Any], network: nn.Module, title: str) -> None:
        kind: Any = TENSOR_PROCESSORS.get(header.metadata["general.architecture"], TensorProcessor)
        self.processor = kind(config=settings)
        self.names = _names(header.metadata["general.architecture"], network, self.processor)
        self.merged: dict[str, Any] = {"tensors": {}}  # what is made of several tensors of the file: experts
        self.shapes = {name: tuple(each.shape) for name, each in network.state_dict().items()}
        self.title = title

    def placed(self, name: str, values: np.ndarray[Any, Any]) -> tuple[str, np.ndarray[Any, Any]] | None:
        """Return what the network calls a tensor, as the network has it; None if it was merged with others."""
        made = self.processor.process(
            weights=values, name=name, tensor_key_mapping=self.names, parsed_parameters=self.merged
        )
        if made.name is None:
            return None
        place = self.names.get(made.name, "")
        if self.shapes.get(place) != tuple(made.weights.shape):
            message = Message(
                "{title} cannot be opened: its architecture has no tensor called {name}.",
                title=self.title,
                name=repr(name[:60]),
            )
            raise InputError(message)
        return place, made.weights


def _names(architecture: str, network: Any, processor: Any) -> dict[str, str]:
    """Return what the tensors of a GGUF file of this architecture are called in a network."""
    kind = next(each for each, name in MODEL_ARCH_NAMES.items() if name == architecture)
    table = get_tensor_name_map(kind, network.config.num_hidden_layers)
    found: dict[str, str] = {}
    for name in network.state_dict():
        whole = processor.preprocess_name(name)
        stem, dot, ending = whole.rpartition(".") if whole.endswith((".weight", ".bias")) else (whole, "", "")
        # some files were made of the network without its head, in which names are shorter
        place = table.get_name(stem) or table.get_name(stem.removeprefix(f"{network.base_model_prefix}."))
        if place is None:
            processor.perform_fallback_tensor_mapping(found, dot + ending, "", whole)
        else:
            found[place + dot + ending] = whole
    return found


def _save_weights(folder: Path, path: Path, header: Header, places: _Places) -> None:
    """Write every tensor, so many bytes at once, and the list of the files."""
    parts = _Parts(folder)
    data = np.memmap(path, mode="r", dtype=np.uint8)
    merged = set()
    bar = tqdm(header.tensors, desc=places.title, unit="tensor", disable=None)
    for each in bar:
        found = places.placed(each.name, _numbers(data[each.start : each.start + each.size], each))
        if found is None:
            merged.add(each.kind)
        else:
            name, numbers = found
            parts.add(name, _stored(torch.from_numpy(np.ascontiguousarray(numbers)), each.kind))
    kind = merged.pop() if len(merged) == 1 else GGMLQuantizationType.Q4_0
    for name, numbers in places.merged["tensors"].items():
        parts.add(name, _stored(numbers, kind))
    parts.close()


def _numbers(data: np.ndarray[Any, Any], tensor: GgufTensor) -> np.ndarray[Any, Any]:
    """Return the numbers of a tensor in float32, made a few rows at a time: what is made on the way is large."""
    rows = data.reshape(-1, tensor.size // prod(tensor.shape[:-1]))
    values = np.empty((len(rows), tensor.shape[-1]), np.float32)
    step = max(1, CHUNK // tensor.shape[-1])
    for begin in range(0, len(rows), step):
        values[begin : begin + step] = dequantize(rows[begin : begin + step], tensor.kind)
    return values.reshape(tensor.shape)


def _stored(values: Tensor, kind: GGMLQuantizationType) -> Tensor:
    """Return numbers in the type in which they are kept: their own, or float16 where it has room for them."""
    if kind in _EXACT:
        return values.to(_EXACT[kind])
    half = values.half()
    return half if bool(half.isfinite().all()) else values


class _Parts:
    """Weights in one file of safetensors or several, none of which is large in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.size = folder, 0
        self.waiting: dict[str, Tensor] = {}
        self.written: list[list[str]] = []  # the names of the tensors in each file

    def add(self, name: str, values: Tensor) -> None:
        """Take one tensor."""
        self.waiting[name] = values.contiguous()
        self.size += values.nbytes
        if sum(each.nbytes for each in self.waiting.values()) >= PART_BYTES:
            self._write()

    def close(self) -> None:
        """Write what is left, and give each file its name."""
        self._write()
        count = len(self.written)
        names = [f"model-{place:05}-of-{count:05}.safetensors" for place in range(1, 1 + count)]
        for place, name in enumerate(names):
            (self.folder / str(place)).rename(self.folder / (name if count > 1 else WEIGHTS_FILE))
        if count > 1:
            places = {each: name for name, held in zip(names, self.written, strict=True) for each in held}
            index = {"metadata": {"total_size": self.size}, "weight_map": places}
            (self.folder / INDEX_FILE).write_text(json.dumps(index, indent=1), encoding="utf8")

    def _write(self) -> None:
        if self.waiting:
            save_file(self.waiting, self.folder / str(len(self.written)), metadata={"format": "pt"})
            self.written.append(list(self.waiting))
            self.waiting = {}


def _save_tokenizer(folder: Path, path: Path, title: str) -> None:
    """Write the tokenizer of a GGUF file as `tokenizers` reads it."""
    architecture, described, options = get_gguf_tokenizer(str(path))
    backend, _ = convert_gguf_tokenizer(architecture, described)
    cuts = described.get("pre_tokenizer_type") or ""
    if described.get("tokenizer_type") == "gpt2":
        if cuts in _DIGITS_APART:
            backend.pre_tokenizer = pre_tokenizers.Sequence(
                [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
            )
        elif cuts not in _AS_GPT2 and cuts not in GGUF_PRE_TOKENIZER_SPLITS:
            message = Message(
                "{title} cannot be opened: its tokenization method, {name}, is not supported here.",
                title=title,
                name=repr(cuts[:60]),
            )
            raise InputError(message)
    make: Any = PreTrainedTokenizerFast
    make(tokenizer_object=backend, **options).save_pretrained(folder)


def _check_room(header: Header, folder: Path, title: str) -> None:
    """Raise InputError if the disk has no room for what a file unpacks to."""
    needed = sum(int(np.prod(each.shape)) * (_EXACT.get(each.kind, torch.float16).itemsize) for each in header.tensors)
    if needed > shutil.disk_usage(folder).free:
        message = Message(
            "{title} cannot be opened: this disk does not have {size} free for it.",
            title=title,
            size=f"{needed / 1e6:,.0f} MB",
        )
        raise InputError(message)
