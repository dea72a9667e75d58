"""From a folder to a `PretrainedModel`: safetensors only, nothing random, no code of the checkpoint's own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoTokenizer

from models.cards import lacking
from models.errors import InputError
from models.huggingface.attention import NAME
from models.huggingface.embedded import Local
from models.huggingface.files import (
    INDEX_FILE,
    WEIGHTS_FILE,
    base_of_adapter,
    is_marian,
    is_weights,
    lack_of_tokenizer,
)
from models.huggingface.half_weights import open_half
from models.huggingface.heads import openers
from models.huggingface.layers import attention_for
from models.huggingface.model import PretrainedModel
from models.huggingface.offers import origin
from models.huggingface.placement import ON_CPU, Placement
from models.huggingface.reasons import in_words
from models.huggingface.sizes import check_sizes
from models.huggingface.tokens import TextTokenizer
from models.keys import pretrained_key
from models.messages import Message
from models.model import Predicts
from models.networks.seeding import building

LONGEST_NAMED = 80
"""Characters of a name in a folder that are repeated in a message."""


def load_folder(folder: Path, local: Local | None = None, placement: Placement = ON_CPU) -> PretrainedModel:
    """Load the transformers model in `folder`, ready to `attend`."""
    known = local or Local(pretrained_key(folder.name), folder.name, folder)
    if base := base_of_adapter(folder):
        message = Message(
            "{title} is an adapter (LoRA) of {base}, not a model. Merge it into that model and save the result.",
            title=known.title,
            base=base[:LONGEST_NAMED],
        )
        raise InputError(message)
    digest = check_weights(folder, known)
    check_others(known, folder)
    try:
        network, tokenizer, head = _open(folder, known.title, placement)
        cited = (known.paper, known.year) if known.paper else None
        return PretrainedModel(
            network, tokenizer, key=known.key, title=known.title, sha256=digest, head=head, cited=cited
        )
    except (InputError, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever libraries make of the files of strangers, a panic of Rust among it
        message = Message(
            "{title} cannot be opened: {reason}.", title=known.title, reason=_reason(error, folder, known.title)
        )
        raise InputError(message) from error


def check_weights(folder: Path, known: Local) -> str:
    """Return the hash of the weights in `folder`; InputError if it is not the one that is known."""
    digest = hash_weights(folder, known.title)
    if known.sha256 and digest != known.sha256:
        message = Message(
            "{title}: its weights have SHA-256 {digest}; expected {sha256}. Install it again.",
            title=known.title,
            digest=digest,
            sha256=known.sha256,
        )
        raise InputError(message)
    return digest


def check_others(known: Local, folder: Path) -> None:
    """Raise InputError if a file from which the configuration or the tokenizer is read is not the one expected."""
    for name, expected in known.others:
        if not (folder / name).is_file() or _hash(folder / name) != expected:
            message = Message(
                "{title}: its {file} is not the one expected. Install it again.", title=known.title, file=name
            )
            raise InputError(message)


def _open(folder: Path, title: str, placement: Placement) -> tuple[Any, TextTokenizer, Predicts]:
    """Return the network in `folder` and its tokenizer, after its configuration is held against its files."""
    options = {"local_files_only": True, "trust_remote_code": False}
    config = AutoConfig.from_pretrained(folder, **options)
    if getattr(config, "quantization_config", None) is not None:
        message = Message(
            "{title}: its weights are quantised. Only unquantised weights can be shown exactly.", title=title
        )
        raise InputError(message)
    classes = openers(config)
    if not classes:
        message = Message("{title}: transformers has no class that runs it on text alone.", title=title)
        raise InputError(message)
    check_sizes(folder, config, title, classes[0][0])
    tokenizer = _load_tokenizer(folder, config.model_type, title, options)
    network, head = _load_network(folder, config, title, options | {"dtype": placement.numbers()})
    return nn.Module.to(network, placement.place()), tokenizer, head


def _reason(error: BaseException, folder: Path, title: str) -> str:
    """Return what is wrong, in words; the folder is called by the model's title."""
    if isinstance(error, KeyError) and error.args == (NAME,):  # the family lists the ways in which it can attend
        return Message("its attention does not use the attention interface of transformers")
    return in_words(error, str(folder), title)


def hash_weights(folder: Path, title: str) -> str:
    """Return the SHA-256 of the weights; of several files, that of their hashes in hexadecimal, in order of names."""
    single = folder / WEIGHTS_FILE
    if single.is_file():
        return _hash(single)
    index = folder / INDEX_FILE
    if not index.is_file():
        message = lacking(folder) or Message(
            "{title}: it has no weights in safetensors, the only format supported here.", title=title
        )
        raise InputError(message)
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf8"))["weight_map"].values()))
        if elsewhere := [name for name in names if not is_weights(name)]:
            message = Message(
                "{title}: the list of its weight files contains {file}, which is not one of its weight files.",
                title=title,
                file=repr(elsewhere[0])[:LONGEST_NAMED],
            )
            raise InputError(message)
        hashes = [_hash(folder / name) for name in names]
    except InputError:
        raise
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        message = Message("{title}: the list of its weight files is incomplete. Download it again.", title=title)
        raise InputError(message) from error
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load_tokenizer(folder: Path, family: str, title: str, options: dict[str, Any]) -> TextTokenizer:
    names = {path.name for path in folder.iterdir()}
    if lack := lack_of_tokenizer(names, family):
        message = Message("{title} cannot be opened: {lack}.", title=title, lack=lack)
        raise InputError(message)
    if is_marian(names):
        from models.huggingface.marian import MarianText

        return MarianText(folder, **options)
    return TextTokenizer(AutoTokenizer.from_pretrained(folder, **options))


def _open_whole(opener: Any, folder: Path, config: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return a network, and what of it was found in its files."""
    with building():
        found: tuple[Any, Any] = opener.from_pretrained(
            folder,
            config=config,
            attn_implementation=attention_for(config.model_type),
            use_safetensors=True,
            output_loading_info=True,
            **options,
        )
    return found


def _load_network(folder: Path, config: Any, title: str, options: dict[str, Any]) -> tuple[Any, Predicts]:
    """Return the network with the head that its checkpoint has weights for, or without one."""
    missing: list[str] = []
    for opener, head in openers(config):
        half = origin(folder) is not None and options["dtype"] == torch.float32
        network, found = (half and open_half(opener, folder, config)) or _open_whole(opener, folder, config, options)
        missing = sorted(name for name in found["missing_keys"] if head != "none" or "pooler" not in name)
        if not missing and not found["mismatched_keys"]:
            return network, head
    message = Message(
        "{title}: its file lacks some weights ({names}). They would be random.",
        title=title,
        names=", ".join(missing[:3]) or Message("of another size"),
    )
    raise InputError(message)
