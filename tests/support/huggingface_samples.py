"""Tiny transformers models with random weights, one a family, and a byte-level tokenizer that all of them share."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import cache
from typing import Any

import sentencepiece
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from models.huggingface.layers import attention_for
from models.huggingface.model import PretrainedModel
from models.model import Predicts

SPECIALS = ("<pad>", "<s>", "</s>", "<mask>", "<unk>")
VOCABULARY = len(SPECIALS) + 256
TEXT = "The cat, the cat: it sat."

_COMMON = {
    "vocab_size": VOCABULARY,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_TINY = _COMMON | {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
}
_GROUPED = _TINY | {"num_key_value_heads": 2, "head_dim": 8}
_PAIR = _COMMON | {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 128,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}

# For each family its head and what makes it tiny.
FAMILIES: dict[str, tuple[Predicts, dict[str, Any]]] = {
    "bert": ("masked", _TINY),
    "roberta": ("masked", _TINY),
    "distilbert": ("masked", _COMMON | {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48}),
    "electra": ("masked", _TINY | {"embedding_size": 16}),
    "albert": ("masked", _TINY | {"embedding_size": 16}),
    "gpt2": ("causal", _COMMON | {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128}),
    "gpt_neox": ("causal", _TINY),
    "opt": ("causal", _TINY | {"ffn_dim": 48, "word_embed_proj_dim": 32}),
    "llama": ("causal", _GROUPED),
    "mistral": ("causal", _GROUPED | {"sliding_window": 5}),
    "qwen2": ("causal", _GROUPED),
    "qwen3": ("causal", _GROUPED),
    "gemma2": ("causal", _GROUPED | {"sliding_window": 5, "query_pre_attn_scalar": 8, "attn_logit_softcapping": 2.0}),
    "phi3": ("causal", _TINY | {"num_key_value_heads": 2}),
    "gpt_oss": ("causal", _GROUPED | {"sliding_window": 5, "num_local_experts": 2, "num_experts_per_tok": 1}),
    "t5": (
        "translation",
        _COMMON
        | {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4}
        | {"decoder_start_token_id": 0},
    ),
    "bart": ("translation", _PAIR),
    "marian": ("translation", _PAIR),
    "mbart": ("translation", _PAIR),
    "deberta-v2": (
        "masked",
        _TINY
        | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8, "type_vocab_size": 0},
    ),
    "bloom": ("causal", _COMMON | {"hidden_size": 32, "n_layer": 3, "n_head": 4}),
    "falcon": ("causal", _COMMON | {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}),
    "gpt_neo": (
        "causal",
        _COMMON
        | {"hidden_size": 32, "num_layers": 3, "num_heads": 4, "max_position_embeddings": 128, "window_size": 5}
        | {"attention_types": [[["global", "local", "global"], 1]]},
    ),
    "gptj": ("causal", _COMMON | {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128, "rotary_dim": 4}),
    "mpnet": ("masked", _TINY),
    "openai-gpt": ("causal", _COMMON | {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128}),
    "xlnet": ("none", _COMMON | {"d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 48}),
    "mpt": ("causal", _COMMON | {"d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": 128}),
    "xglm": ("causal", _COMMON | {"d_model": 32, "num_layers": 3, "attention_heads": 4, "ffn_dim": 48}),
    "codegen": ("causal", _COMMON | {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128, "rotary_dim": 4}),
    "roformer": ("masked", _TINY | {"embedding_size": 16}),
    "big_bird": ("masked", _TINY | {"attention_type": "original_full"}),
    "xlm": ("masked", _COMMON | {"emb_dim": 32, "n_layers": 3, "n_heads": 4, "n_langs": 1}),
}
OWN_CAUSAL = ("bloom", "falcon", "gpt_neo", "gptj", "openai-gpt", "mpt", "xglm", "codegen")
OWN_ENCODERS = ("deberta-v2", "mpnet", "xlnet", "roformer", "big_bird", "xlm")
OWN = (*OWN_CAUSAL, *OWN_ENCODERS)
OBSERVED = tuple(family for family in FAMILIES if family not in OWN)
ENCODERS = ("bert", "roberta", "distilbert", "electra", "albert")
TRANSLATORS = ("t5", "bart", "marian", "mbart")
CAUSAL = tuple(family for family in OBSERVED if family not in ENCODERS + TRANSLATORS)

_CLASSES = {
    "none": transformers.AutoModel,
    "masked": transformers.AutoModelForMaskedLM,
    "causal": transformers.AutoModelForCausalLM,
    "translation": transformers.AutoModelForSeq2SeqLM,
}


def tiny_tokenizer(*, ends: bool = True) -> transformers.PreTrainedTokenizerFast:
    """Make a byte-level tokenizer, every byte a token; with `ends`, texts stand between <s> and </s>."""
    names = [*SPECIALS, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={name: index for index, name in enumerate(names)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    if ends:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        mask_token="<mask>",
        unk_token="<unk>",
    )


@cache
def tiny_pieces(sentences: Iterable[str], **ids: int) -> bytes:
    """Train a sentencepiece model on sentences, and return its file; `ids` are those of its special pieces."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(list(sentences) * 3),
        model_writer=file,
        vocab_size=80,
        hard_vocab_limit=False,
        minloglevel=2,
        **ids,
    )
    return file.getvalue()


def tiny_network(family: str, *, head: Predicts | None = None, attention: str | None = None, **changes: Any) -> Any:
    """Make the network of `family` with random weights, large enough for maps that are far from even."""
    own, settings = FAMILIES[family]
    config = transformers.AutoConfig.for_model(family, **settings | changes)
    network = _CLASSES[head or own].from_config(
        config, attn_implementation=attention or attention_for(family), dtype=torch.float32
    )
    generator = torch.Generator().manual_seed(8)  # its own: threads of an earlier test may draw from the common one
    with torch.no_grad():
        for name, each in network.named_parameters():
            if each.ndim >= 2 or "sinks" in name:  # XLNet's heads have a matrix each
                each.normal_(0, 0.4, generator=generator)
            elif (each != each[0]).any():  # drawn by the library
                each.normal_(0, 0.02, generator=generator)
    return network.eval()


@cache
def tiny_model(family: str) -> PretrainedModel:
    """Return the observed model of `family`; shared by tests, as it is by visitors."""
    tokenizer = tiny_tokenizer(ends=family not in CAUSAL)
    return PretrainedModel(tiny_network(family), tokenizer, key=f"hf:{family}", title=family, head=FAMILIES[family][0])
