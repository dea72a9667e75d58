"""Every text family of `transformers`, tiny: its own configuration with small numbers, random weights, a tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.models.auto import modeling_auto

from tests.support.huggingface_samples import VOCABULARY, tiny_tokenizer

LAYERS, POSITIONS, WINDOW = 4, 512, 16
MOST_WEIGHTS = 20_000_000
"""Weights beyond which a network counts as not tiny."""

_MAPPINGS = ("MULTIMODAL_LM", "CAUSAL_LM", "MASKED_LM", "SEQ_TO_SEQ_CAUSAL_LM")

# What numbers become, by the names that configurations give them; the first that fits.
_SIZES: tuple[tuple[int, str], ...] = (
    (
        32,
        "hidden_size d_model n_embd dim emb_dim embed_dim embedding_size word_embed_proj_dim hidden_dim "
        "out_hidden_size projection_dim text_hidden_size input_embedding_size output_embedding_size "
        "text_embed_dim backbone_hidden_size attention_hidden_size true_hidden_size intra_bottleneck_size "
        "encoder_hidden_size cross_attention_hidden_size projector_hidden_size lru_width mamba_d_ssm "
        "output_dim vision_output_dim hidden_size_global embed_dim_text",
    ),
    (
        4,
        "num_attention_heads n_head n_heads num_heads attention_heads encoder_attention_heads "
        "decoder_attention_heads num_encoder_attention_heads num_decoder_attention_heads "
        "swa_num_attention_heads num_sliding_attention_heads num_experts num_local_experts n_routed_experts "
        "moe_num_experts linear_num_value_heads linear_num_heads mamba_n_heads mamba_num_heads n_mamba_heads "
        "index_n_heads num_mamba_heads",
    ),
    (
        2,
        "num_key_value_heads kv_n_heads num_kv_heads swa_num_key_value_heads num_query_groups "
        "num_global_key_value_heads num_experts_per_tok num_experts_per_token moe_topk moe_top_k moe_k "
        "linear_num_key_heads index_topk_blocks eos_token_id sep_token_id",
    ),
    (
        8,
        "head_dim kv_channels d_kv dim_head v_head_dim qk_nope_head_dim qk_rope_head_dim index_head_dim "
        "global_head_dim swa_head_dim attention_head_size swa_v_head_dim linear_key_head_dim "
        "linear_value_head_dim linear_head_dim block_size index_block_size global_block_size chunk_size "
        "mamba_chunk_size mamba_d_state ssm_state_size state_size mamba_dt_rank time_step_rank "
        "hidden_size_per_layer_input laurel_rank patch_size rank embedding_rank pos_embed_size",
    ),
    (
        16,
        "qk_head_dim q_lora_rank kv_lora_rank o_lora_rank query_pre_attn_scalar mamba_d_head mamba_head_dim "
        "mamba_headdim image_size crop_size",
    ),
    (
        LAYERS,
        "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_decoder_layers depth "
        "num_encoder_layers max_window_layers speech_encoder_layers t2u_encoder_layers t2u_decoder_layers",
    ),
    (
        48,
        "intermediate_size ffn_dim ffn_hidden_size encoder_ffn_dim decoder_ffn_dim d_ff d_inner dim_ff dff "
        "mlp_dim moe_intermediate_size expert_ffn_hidden_size shared_expert_intermediate_size "
        "feed_forward_size intermediate_size_mlp dense_intermediate_size share_expert_dim moe_hidden_size "
        "speech_encoder_intermediate_size moe_shared_expert_intermediate_size "
        "shared_experts_intermediate_size",
    ),
    (
        VOCABULARY,
        "vocab_size src_vocab_size tgt_vocab_size vocab_size_per_layer_input decoder_vocab_size "
        "text_vocab_size t2u_vocab_size char_vocab_size unit_hifi_gan_vocab_size entity_vocab_size "
        "unpadded_vocab_size",
    ),
    (
        POSITIONS,
        "max_position_embeddings n_positions n_ctx max_seq_len context_length model_max_length "
        "max_source_positions max_target_positions max_encoder_position_embeddings "
        "max_decoder_position_embeddings seq_len",
    ),
    (
        WINDOW,
        "sliding_window window_size local_attention attention_window_size sliding_window_size index_topk "
        "attention_chunk_size local_radius attention_window local_attention_window_len",
    ),
    (
        1,
        "n_shared_experts num_shared_experts moe_num_shared_experts n_group topk_group first_k_dense_replace "
        "n_groups mamba_n_groups num_dense_layers num_expert_group moe_layer_start_index bos_token_id "
        "decoder_start_token_id cls_token_id",
    ),
    (
        0,
        "pad_token_id",
    ),
)
_TINY = {name: value for value, names in _SIZES for name in names.split()}

_IMAGE = frozenset(name for name in ("image", "video", "audio", "vision", "boi", "eoi", "boa", "eoa", "mask", "user"))

# What single families need besides.
_HYBRID = ["linear_attention", "full_attention"] * 2
_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
_SECTIONS = {"rope_parameters": _ROPE | {"mrope_section": [2, 1, 1]}}
_EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1}
_ZAMBA = {"attention_hidden_size": 64, "attention_head_dim": 16, "n_mamba_heads": 8, "mamba_headdim": 8}
_SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False},
    "bamba": {"attn_layer_indices": [1, 3]},
    "granitemoehybrid": {"layer_types": _HYBRID},
    "kimi_linear": {"layer_types": _HYBRID},
    "bailing_hybrid": {"layer_types": _HYBRID},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2},
    "codegen": {"rotary_dim": 4},
    "gptj": {"rotary_dim": 4},
    "deepseek_v2": _EXPERTS,
    "dots1": _EXPERTS,
    "mamba2": {"num_heads": 8, "head_dim": 8},
    "gemma3n_text": {"num_kv_shared_layers": 0, "activation_sparsity_pattern": [0.0] * LAYERS},
    "hunyuan_v1_dense": {"head_dim": 8},
    "hunyuan_v1_moe": {"head_dim": 8},
    "ministral": {"head_dim": 8},
    "t5": {"decoder_start_token_id": 0},
    "nemotron": {"num_key_value_heads": 2, "head_dim": 8},
    "encoder-decoder": {"decoder_start_token_id": 1, "pad_token_id": 0},
    "zamba": _ZAMBA | {"layers_block_type": ["linear_attention", "linear_attention", "hybrid", "hybrid"]},
    "zamba2": _ZAMBA | {"hybrid_layer_ids": [1, 3], "layers_block_type": ["mamba", "hybrid"] * 2},
    "esm": {"pad_token_id": 0, "vocab_size": VOCABULARY, "mask_token_id": 3},
    "reformer": {"is_decoder": True, "axial_pos_embds": False},
    "xmod": {"default_language": "en_XX"},
    "glm4v_moe": {
        "text_config": {"rope_parameters": _ROPE | {"mrope_section": [1, 1, 0], "partial_rotary_factor": 0.5}}
    },
    **{
        family: {"text_config": _SECTIONS}
        for family in ("qwen2_vl", "qwen2_5_vl", "glm46v", "glm4v", "glm_ocr", "glmga", "paddleocr_vl", "cosmos3_edge")
    },
}


def families() -> dict[str, str]:
    """Return the families (``model_type``) with a head over words, and the class with that head."""
    found: dict[str, str] = {}
    for mapping in _MAPPINGS:
        for family, name in getattr(modeling_auto, f"MODEL_FOR_{mapping}_MAPPING_NAMES").items():
            found.setdefault(family, name)
    return dict(sorted(found.items()))


def tiny_config(family: str) -> Any:
    """Return the configuration of a family with small numbers."""
    return _shrunk(transformers.AutoConfig.for_model(family), _SPECIAL.get(family, {}))


def _shrunk(config: Any, special: Mapping[str, Any]) -> Any:
    own = config.to_dict()
    layers = next((own[name] for name in ("num_hidden_layers", "n_layer", "num_layers") if name in own), None)
    given: dict[str, Any] = {}
    for name, value in own.items():
        part = getattr(config, name) if isinstance(value, dict) else None
        if isinstance(part, transformers.PreTrainedConfig):
            given[name] = _shrunk(part, special.get(name, {}))
        elif isinstance(value, int) and not isinstance(value, bool):
            given |= _number(name, value)
        elif name == "layer_types" and value:
            kinds = list(dict.fromkeys(value))
            given |= {name: (kinds * LAYERS)[:LAYERS]} if len(kinds) > 1 else {}
        elif isinstance(value, list) and len(value) == layers:
            given[name] = value[:LAYERS]
    if own.get("num_key_value_heads") in (None, own.get("num_attention_heads")) or "qk_nope_head_dim" in own:
        given = {name: 4 if name == "num_key_value_heads" else value for name, value in given.items()}
    fitting = {name: value for name, value in given.items() if name not in ("model_type", "transformers_version")}
    fitting |= {
        name: value for name, value in special.items() if name not in fitting or not hasattr(fitting[name], "to_dict")
    }
    return type(config)(**fitting)


def _number(name: str, value: int) -> dict[str, int]:
    if name in _TINY:
        return {name: _TINY[name] if name.endswith(("_token_id", "vocab_size")) else min(value, _TINY[name])}
    if name.endswith(("_token_id", "_token_index")) and name.split("_")[0] in _IMAGE:
        return {name: 3}
    return {}


def build(family: str, folder: Path) -> Any:
    """Write a tiny model of `family` with random weights and a tokenizer into `folder`; return its class."""
    kind = getattr(transformers, families()[family])
    config = tiny_config(family)
    with torch.device("meta"):
        size = sum(each.numel() for each in kind(config).parameters())
    if size > MOST_WEIGHTS:
        message = f"{size:,} weights"
        raise ValueError(message)
    torch.manual_seed(7)
    network = kind(tiny_config(family))
    with torch.no_grad():
        for name, each in _matrices(network):
            each.normal_(0, 0.4 if "norm" not in name else 0.1)
    network.save_pretrained(folder)
    tiny_tokenizer(ends=not _is_causal(family)).save_pretrained(folder)
    return kind


def _is_causal(family: str) -> bool:
    return family in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and "bert" not in family


def _matrices(network: Any) -> Iterator[tuple[str, Any]]:
    yield from ((n, p) for n, p in network.named_parameters() if p.ndim >= 2 and p.is_floating_point())
