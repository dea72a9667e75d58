"""A tiny network of every architecture of GGUF files that transformers reads, as llama.cpp's converter writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import transformers

from tests.support.huggingface_samples import VOCABULARY

Array = np.ndarray[Any, Any]
Turned = Callable[[str, Array, Any], Array]

_COMMON = {"vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_TINY = _COMMON | {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
}
_ROPE = {"rope_type": "default", "rope_theta": 50.0}  # no default of anyone
_GROUPED = _TINY | {"num_key_value_heads": 2, "rope_parameters": _ROPE}
_HEAD = _GROUPED | {"head_dim": 8}
_PAIR = _COMMON | {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 3, "num_decoder_layers": 3, "num_heads": 4}
_PAIR |= {"decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu", "relative_attention_num_buckets": 8}

# What the converter's base class writes: a setting, and the names that configurations have for it.
_BASE = {
    "block_count": "num_hidden_layers n_layer num_layers",
    "context_length": "max_position_embeddings n_positions",
    "embedding_length": "hidden_size n_embd d_model",
    "feed_forward_length": "intermediate_size n_inner d_ff",
    "attention.head_count": "num_attention_heads n_head num_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.layer_norm_epsilon": "layer_norm_eps layer_norm_epsilon norm_epsilon norm_eps",
    "attention.key_length": "head_dim",
    "attention.value_length": "head_dim",
    "expert_count": "num_experts num_local_experts",
    "expert_used_count": "num_experts_per_tok",
    "expert_feed_forward_length": "moe_intermediate_size",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    "vocab_size": "vocab_size",
}


def _same(_name: str, values: Array, _config: Any) -> Array:
    return values


def _permuted(name: str, values: Array, config: Any) -> Array:
    """Return what llama.cpp makes of a projection for its rotary positions."""
    stem = name.rpartition(".")[0]
    if not stem.endswith(("q_proj", "k_proj")):
        return values
    heads = config.num_attention_heads if stem.endswith("q_proj") else config.num_key_value_heads
    return values.reshape(heads, 2, len(values) // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def _transposed(name: str, values: Array, _config: Any) -> Array:
    return values.T if ".c_" in name and name.endswith(".weight") else values


def _one_more(name: str, values: Array, _config: Any) -> Array:
    return values + 1 if name.endswith("norm.weight") else values


def _apart(name: str, values: Array, config: Any) -> Array:
    """Return Bloom's queries, keys and values of each head as all queries, all keys, all values."""
    if "query_key_value" not in name:
        return values
    heads = values.reshape(config.n_head, 3, -1, *values.shape[1:])
    return np.ascontiguousarray(heads.swapaxes(0, 1)).reshape(values.shape)


@dataclass(frozen=True, slots=True)
class Architecture:
    """What makes a tiny network, and what its file says beyond the usual."""

    family: str
    tiny: Mapping[str, Any]
    more: Mapping[str, Any] = field(default_factory=dict)  # settings without the architecture's name
    turned: Turned = _same


_EXPERTS = _GROUPED | {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
_GEMMA = _HEAD | {"sliding_window": 5, "query_pre_attn_scalar": 8}
_GEMMA_SAYS = {"attention.sliding_window": 5}

ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": Architecture("llama", _HEAD, turned=_permuted),
    "mistral": Architecture("mistral", _HEAD, turned=_permuted),
    "qwen2": Architecture("qwen2", _GROUPED),
    "qwen2moe": Architecture("qwen2_moe", _EXPERTS | {"shared_expert_intermediate_size": 40}),
    "qwen3": Architecture("qwen3", _HEAD),
    "qwen3moe": Architecture("qwen3_moe", _EXPERTS | {"head_dim": 8, "norm_topk_prob": True}),
    "falcon": Architecture(
        "falcon",
        _COMMON | {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "ffn_hidden_size": 128},
        {"context_length": 128, "feed_forward_length": 128, "attention.head_count_kv": 1},
    ),
    "phi3": Architecture(
        "phi3",
        _GROUPED | {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5}, "sliding_window": 5},
        {"attention.sliding_window": 5},
    ),
    "bloom": Architecture(
        "bloom", _COMMON | {"hidden_size": 32, "n_layer": 3, "n_head": 4}, {"context_length": 128}, _apart
    ),
    "t5": Architecture("t5", _PAIR, {"attention.relative_buckets_count": 8, "decoder_start_token_id": 0}),
    "umt5": Architecture("umt5", _PAIR, {"attention.relative_buckets_count": 8, "decoder_start_token_id": 0}),
    "stablelm": Architecture(
        "stablelm",
        _GROUPED | {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5}, "use_qkv_bias": True},
        {"use_parallel_residual": False},
    ),
    "gpt2": Architecture(
        "gpt2",
        _COMMON | {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64, "n_inner": 48},
        turned=_transposed,
    ),
    "starcoder2": Architecture(
        "starcoder2",
        _GROUPED | {"sliding_window": 5},
        {"attention.sliding_window": 5},
    ),
    "nemotron": Architecture(
        "nemotron",
        _HEAD | {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.25}},
        {},
        _one_more,
    ),
    "gemma2": Architecture(
        "gemma2",
        _GEMMA | {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0, "rope_parameters": None},
        _GEMMA_SAYS | {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0},
        _one_more,
    ),
    "gemma3": Architecture(
        "gemma3_text",
        _GEMMA
        | {"num_hidden_layers": 7}
        | {
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                "full_attention": _ROPE,
            }
        },
        _GEMMA_SAYS,
        _one_more,
    ),
    "minimax-m2": Architecture(
        "minimax_m2",
        _GROUPED
        | {"head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 2}
        | {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5}},
        {"expert_gating_func": 2},
    ),
}


def tiny_of(architecture: str) -> Any:
    """Make the tiny network of an architecture with random weights, norms and biases among them."""
    about = ARCHITECTURES[architecture]
    given = {name: value for name, value in about.tiny.items() if value is not None}
    config = transformers.AutoConfig.for_model(about.family, **given)
    opener = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
    network: Any = opener.from_config(config, attn_implementation="eager", dtype=torch.float32)
    generator = torch.Generator().manual_seed(8)
    with torch.no_grad():
        for name, each in (*network.named_parameters(), *network.named_buffers()):
            if each.ndim >= 2 and "." in name:
                each.normal_(0, 0.4, generator=generator)
            elif "norm" in name or "ln_" in name or "bias" in name:
                each.add_(torch.empty_like(each).normal_(0, 0.2, generator=generator))
    return network.eval()


def settings_of(architecture: str, config: Any) -> dict[str, Any]:
    """Return what the converter writes of a configuration, under the names of the file."""
    about = ARCHITECTURES[architecture]
    said: dict[str, Any] = {}
    for key, names in _BASE.items():
        value = next((found for each in names.split() if (found := getattr(config, each, None)) is not None), None)
        if value is not None and not isinstance(value, list):
            said[key] = value
    rope = getattr(config, "rope_parameters", None) or {}
    rope = rope.get("full_attention", rope)
    if rope:
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        said["rope.freq_base"] = float(rope["rope_theta"])
        said["rope.dimension_count"] = int(width * rope.get("partial_rotary_factor", 1))
    return said | dict(about.more)


def tensors_of(architecture: str, network: Any) -> Iterator[tuple[str, Array]]:
    """Return the tensors of a network as its file has them, by the names of transformers."""
    turned, config = ARCHITECTURES[architecture].turned, network.config
    tied = getattr(config, "tie_word_embeddings", False)
    for name, values in network.state_dict().items():
        if tied and (name.startswith("lm_head") or (name.endswith(".embed_tokens.weight") and "coder." in name)):
            continue
        array = values.float().numpy()
        if name.endswith("experts.gate_up_proj"):
            gate, up = np.split(array, 2, axis=1)
            stem = name.removesuffix("gate_up_proj")
            yield f"{stem}gate_proj.weight", gate
            yield f"{stem}up_proj.weight", up
        elif name.endswith("experts.down_proj"):
            yield f"{name}.weight", array
        elif name.endswith("shared_expert_gate.weight"):
            yield name, array[0]
        elif name.endswith("e_score_correction_bias"):
            yield f"{name.removesuffix('_bias')}.bias", array
        else:
            yield name, turned(name, array, config)
