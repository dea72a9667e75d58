"""What the settings of a GGUF file say of a network, as transformers configures it.

Its own reader leaves out settings of several architectures that change what the network computes; they are read here.
What a file states and its architecture has no setting for is refused: no map would show that it was dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from transformers import CONFIG_MAPPING
from transformers.integrations.gguf.gguf_config_mapping import GGUF_CONFIG_ARCHS
from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES, load_gguf_checkpoint

from models.errors import InputError
from models.huggingface.gguf_header import Header
from models.messages import Message

ALIASES: Mapping[str, str] = {"qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe", "minimax-m2": "minimax_m2"}
"""Architectures that files call otherwise than transformers."""

REFUSED: Mapping[str, str] = {
    "general": "a heading of the table, no architecture",
    "tokenizer": "a heading of the table, no architecture",
    "gpt_oss": "files call it gpt-oss, and its experts' tensors are not found by transformers",
    "qwen2_moe": "files call it qwen2moe",
    "qwen3_moe": "files call it qwen3moe",
    "minimax_m2": "files call it minimax-m2",
    "mamba": "it has no attention",
    "gemma4": "its heads are of several sizes, of which transformers reads one",
    "deci": "transformers has no network of this name",
}
"""What transformers' table has and is not read here, and why."""

_PARTLY_ROTATED = frozenset(("phi3", "stablelm", "nemotron", "minimax-m2"))

# Settings that change what is computed, and what configurations call them.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "attention.sliding_window": ("sliding_window",),
    "attn_logit_softcapping": ("attn_logit_softcapping",),
    "final_logit_softcapping": ("final_logit_softcapping",),
    "attention.layer_norm_epsilon": ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps", "norm_eps", "layer_norm_epsilon"),
    "attention.key_length": ("head_dim", "d_kv"),
    "expert_feed_forward_length": ("moe_intermediate_size", "intermediate_size"),
    "expert_shared_feed_forward_length": ("shared_expert_intermediate_size",),
    "use_parallel_residual": ("use_parallel_residual",),
}
_NOT_READ = (
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.temperature_scale",
    "embedding_scale",
    "expert_weights_scale",
    "logit_scale",
    "residual_scale",
)
_SCALED_BY_WIDTH: Mapping[str, int] = {"gemma2": 46, "gemma3": 62}
"""Gemma of 27 billion weights, by its layers, divides by the width of a head as if heads filled the whole width."""


def described(path: Path, header: Header, title: str) -> dict[str, Any]:
    """Return the configuration of a file as a mapping; InputError if its architecture or a setting is not read here."""
    architecture = str(header.metadata["general.architecture"])
    _check_known(architecture, header, title)
    load: Any = load_gguf_checkpoint  # of no types
    found: dict[str, Any] = load(path, return_tensors=False)["config"]
    prefix = f"{architecture}."
    said = {key.removeprefix(prefix): value for key, value in header.metadata.items() if key.startswith(prefix)}
    own = CONFIG_MAPPING[found["model_type"]]()
    for key, names in _NAMES.items():
        if key not in said:
            continue
        name = next((each for each in names if _can_be_set(own, each)), None)
        if name is not None:
            found[name] = bool(said[key]) if isinstance(getattr(own, name, None), bool) else said[key]
        elif key == "attention.sliding_window":
            _refuse(title, key, said[key])
    for key in _NOT_READ:
        if said.get(key):
            _refuse(title, key, said[key])
    _rotate(found, said, architecture, title)
    _SPECIAL.get(architecture, _as_it_is)(found, said, header)
    return found


def _can_be_set(config: Any, name: str) -> bool:
    """Return whether a configuration has a setting; the width of a head many take without having it."""
    computed = isinstance(getattr(type(config), name, None), property)
    return not computed and (hasattr(config, name) or (name == "head_dim" and not hasattr(config, "d_kv")))


def _check_known(architecture: str, header: Header, title: str) -> None:
    """Refuse what transformers would not read, or read otherwise than it is meant."""
    known = ALIASES.get(architecture, architecture)
    if known not in GGUF_SUPPORTED_ARCHITECTURES or known in GGUF_CONFIG_ARCHS or architecture in REFUSED:
        message = Message(
            "{title} cannot be opened: GGUF files of the architecture {name} are not supported here.",
            title=title,
            name=repr(architecture[:60]),
        )
        raise InputError(message)
    scaling = header.metadata.get(f"{architecture}.rope.scaling.type", "none")
    if scaling != "none":
        message = Message(
            "{title} cannot be opened: its scaling of rotary positions, {name}, is not supported for GGUF files.",
            title=title,
            name=repr(str(scaling)[:60]),
        )
        raise InputError(message)


def _rotate(found: dict[str, Any], said: Mapping[str, Any], architecture: str, title: str) -> None:
    """Set how fast positions are rotated, and how much of each head."""
    if "rope.freq_base" in said:
        found["rope_theta"] = said["rope.freq_base"]
    rotated = said.get("rope.dimension_count")
    if rotated is None or "num_attention_heads" not in found:
        return
    width = found.get("head_dim") or found["hidden_size"] // found["num_attention_heads"]
    found.pop("rotary_dim", None)
    if architecture in _PARTLY_ROTATED:
        found["partial_rotary_factor"] = rotated / width
    elif rotated != width:
        _refuse(title, "rope.dimension_count", rotated)


def _refuse(title: str, key: str, value: Any) -> NoReturn:
    message = Message(
        "{title} cannot be opened: its setting {name} = {value} is not supported for its architecture.",
        title=title,
        name=key,
        value=str(value)[:60],
    )
    raise InputError(message)


def _as_it_is(_found: dict[str, Any], _said: Mapping[str, Any], _header: Header) -> None:
    """Change nothing."""


def _gpt2(found: dict[str, Any], said: Mapping[str, Any], _header: Header) -> None:
    """GPT-2: how many positions there are, and how wide its inner layers are."""
    found |= {"n_positions": said["context_length"], "n_inner": said.get("feed_forward_length")}


def _t5(found: dict[str, Any], _said: Mapping[str, Any], header: Header) -> None:
    """T5: gated by GELU where there are tensors of a gate, else ReLU as in the paper."""
    gated = any(".ffn_gate." in each.name for each in header.tensors)
    found["feed_forward_proj"] = "gated-gelu" if gated else "relu"


def _gemma(found: dict[str, Any], said: Mapping[str, Any], header: Header) -> None:
    """Gemma 2 and 3: scores are divided by a root that no setting states; llama.cpp has it by the model's size."""
    architecture = str(header.metadata["general.architecture"])
    wide = said["block_count"] == _SCALED_BY_WIDTH[architecture]
    found["query_pre_attn_scalar"] = (
        said["embedding_length"] // said["attention.head_count"] if wide else found["head_dim"]
    )


_SPECIAL = {"gpt2": _gpt2, "t5": _t5, "gemma2": _gemma, "gemma3": _gemma}
