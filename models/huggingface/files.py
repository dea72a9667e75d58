"""Which files of a transformers model are read here: weights, configuration, and tokenizers that tell places.

Importing it does not import torch or transformers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from models.messages import Message

TOKENIZER_FILE = "tokenizer.json"
WEIGHTS_FILE, INDEX_FILE = "model.safetensors", "model.safetensors.index.json"
GGUF_ENDING = ".gguf"

ADAPTER_FILE = "adapter_config.json"
"""What a folder has that holds an adapter (LoRA), a change of another model."""

_SOME_MODEL = Message("another model")
_PARTS = re.compile(r"model(-[0-9]{5}-of-[0-9]{5})?\.safetensors")
_SETTINGS = frozenset(
    (
        "config.json",
        "generation_config.json",
        INDEX_FILE,
        "tokenizer_config.json",
        "special_tokens_map.json",
        "added_tokens.json",
    )
)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Files that together make a tokenizer."""

    files: tuple[str, ...]
    families: tuple[str, ...] = ()  # values of ``model_type`` of which alone these files are read; empty for any

    def describe(self) -> str:
        """Name the files, and the families that have them."""
        named = reduce(lambda one, other: Message("{one} with {other}", one=one, other=other), self.files)
        families = ", ".join(self.families)
        return Message("{files} (only {families})", files=named, families=families) if families else named


MARIAN_FILES = ("source.spm", "target.spm", "vocab.json")
"""What a Marian checkpoint has for a tokenizer: two sentencepiece models, and the ids of their pieces."""

SECOND_VOCABULARY = "target_vocab.json"
"""What a Marian checkpoint has besides if what it writes has ids of its own."""

_VOCABULARIES = (
    _Vocabulary((TOKENIZER_FILE,)),
    _Vocabulary(("vocab.txt",)),
    _Vocabulary(("vocab.json", "merges.txt")),
    _Vocabulary(MARIAN_FILES, ("marian",)),
    # Of other families, what transformers makes of a sentencepiece model alone has other pieces or other ids.
    _Vocabulary(("spiece.model",), ("t5", "mt5")),
)


def is_weights(name: str) -> bool:
    """Return whether `name` is of weights, or of a part of them, in safetensors."""
    return _PARTS.fullmatch(name) is not None


def is_read(name: str) -> bool:
    """Return whether a file called `name` is of any use here."""
    return is_weights(name) or name in _SETTINGS or any(name in each.files for each in _VOCABULARIES)


def base_of_adapter(folder: Path) -> str:
    """Return which model the adapter (LoRA) in `folder` changes; nothing if it is a model, or no adapter."""
    file = folder / ADAPTER_FILE
    if not file.is_file() or (folder / "config.json").is_file():
        return ""
    try:
        return str(json.loads(file.read_text(encoding="utf8"))["base_model_name_or_path"] or _SOME_MODEL)
    except (OSError, ValueError, KeyError, TypeError):
        return _SOME_MODEL


def lack_of_tokenizer(names: Collection[str], family: str) -> str:
    """Say why the files of a model make no tokenizer that is read here; nothing if they make one.

    Without them, transformers would make up a vocabulary of a few special tokens for some families.
    """
    if is_marian(names) and SECOND_VOCABULARY in names:
        return Message(
            "it has a separate output vocabulary, {file}, which is not supported here", file=SECOND_VOCABULARY
        )
    fitting = (each for each in _VOCABULARIES if not each.families or family in each.families)
    if any(set(each.files) <= set(names) for each in fitting):
        return ""
    named = (each.describe() for each in _VOCABULARIES)
    every = reduce(lambda one, other: Message("{one}; or {other}", one=one, other=other), named)
    return Message("it has no tokenizer that is supported here. Supported: {files}", files=every)


def is_marian(names: Collection[str]) -> bool:
    """Return whether the tokenizer of a model is that of Marian, which stands in `MARIAN_FILES`."""
    return set(MARIAN_FILES) <= set(names)
