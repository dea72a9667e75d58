"""Translation models with tiny random networks and the shipped tokenizer: fast, and free of what training gave."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from models.mechanisms import mechanisms
from models.networks.base import TranslationNetwork
from models.networks.convs2s import ConvolutionalNetwork
from models.translation.checkpoints import TOKENIZER_FILE, WEIGHTS
from models.translation.entry import Entry
from models.translation.tokenizer import PairTokenizer
from models.translation.translator import Translator
from models.vocabulary import END

KEYS = tuple(mechanisms())
ATTENTIVE = tuple(key for key in KEYS if mechanisms()[key].has_attention)
SHIPPED_TOKENIZER = WEIGHTS / "en-fr" / TOKENIZER_FILE

_RECURRENT = {"d_embedding": 8, "d_encoder": 6, "d_decoder": 10}
_TRANSFORMER = {"d_model": 16, "heads": 4, "layers": 2, "d_feedforward": 24}
SIZES: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {  # a mechanism that is not named here is tested with its own sizes
        "rctm": {"d_model": 8},
        "seq2seq": {"d_embedding": 8, "d_decoder": 10},
        "rnn-encoder-decoder": {**_RECURRENT, "d_summary": 7},
        "bahdanau": {**_RECURRENT, "d_attention": 5},
        "hard": {**_RECURRENT, "d_attention": 5},
        "luong-dot": {"d_embedding": 8, "d_encoder": 5},
        "luong-general": _RECURRENT,
        "luong-concat": {**_RECURRENT, "d_attention": 5},
        "luong-location": _RECURRENT,
        "luong-local-m": _RECURRENT,
        "luong-local-p": {**_RECURRENT, "d_position": 5},
        "luong-general-input-feeding": _RECURRENT,
        "lstmn-shallow": {"d_embedding": 9, "d_hidden": 14},
        "lstmn-deep": {"d_embedding": 8, "d_hidden": 10},
        "convs2s": {"d_model": 8, "encoder_layers": 2, "decoder_layers": 2},
        "transformer-post-ln": _TRANSFORMER,
        "transformer": _TRANSFORMER,
        "transformer-relative": {**_TRANSFORMER, "reach": 6},
    }
)

FLUENT = (" le", " chat", " la", " voiture", " est", " dans", " maison")
"""Words that are one piece each, so that text made of them is cut into the very pieces that wrote it."""

AWKWARD = MappingProxyType(
    {
        "repeated": "the cat the cat the cat",
        "one token": "a",
        "special": "<s> </s> <pad> <b>bold</b> &amp; $x$ %{x}",
        "emoji": "👩\u200d👩\u200d👧 🇫🇷 🔥",
        "chinese": "我爱自然语言。",
        "right to left": "אני أحب השפה.",
        "long": "Donaudampfschifffahrtsgesellschaftskapitän" + "x" * 60,
        "broken": "\ud800 \u0301 \ufffd \u200b",
    }
)


@cache
def tokenizer() -> PairTokenizer:
    return PairTokenizer.load(SHIPPED_TOKENIZER)


def network(key: str, *, seed: int = 0, vocabulary: int | None = None, **sizes: Any) -> TranslationNetwork:
    """Build the network of a mechanism in evaluation mode, every parameter drawn, biases and scales included."""
    vocabulary = vocabulary or len(tokenizer())
    made: TranslationNetwork = mechanisms()[key].build(vocabulary=vocabulary, **{**SIZES.get(key, {}), **sizes})
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(std=0.5, generator=generator)
        for part in made.modules():
            if getattr(part, "pre_norm", True) is False:
                _keep_what_comes_in(part)
            if isinstance(part, ConvolutionalNetwork):  # its scores and logits are sums that nothing scales down
                part.leave_encoder.weight *= 0.2
                part.leave_decoder.weight *= 0.2
    return made.eval()


def _keep_what_comes_in(layer: nn.Module) -> None:
    """Make what a post-LN layer adds small beside what it gets: else six of them forget what was read in."""
    for name, parameter in layer.named_parameters():
        if "output." in name or "contract." in name:
            parameter *= 0.2
        elif name.startswith("norms.") and name.endswith("weight"):
            parameter += 1


def translator(key: str, made: TranslationNetwork | None = None, **card: Any) -> Translator:
    """Wrap a network, `network(key)` if none is given, as `models.load` would."""
    entry = Entry(f"{key}-en-fr", mechanisms()[key], "en-fr", {"sha256": "0" * 64, **card}, Path("nowhere"))
    return Translator(entry, made or network(key), tokenizer())


def only_writing(made: Any, ids: list[int]) -> Any:
    """Let a network write nothing but `ids`."""
    with torch.no_grad():
        made.output_bias.fill_(-1e4)
        made.output_bias[ids] = 0
    return made


def fluent_ids() -> list[int]:
    ids = tokenizer().encode_batch([text.strip() for text in FLUENT])
    return [token for each in ids for token in each]


@cache
def fluent(key: str, source: str) -> Translator:
    """Return a random model whose translation of `source` has words of `FLUENT` alone, at least four, and ends."""
    for seed in range(200):
        model = translator(key, only_writing(network(key, seed=seed), [END, *fluent_ids()]))
        written = model.attend(source, sites=()).target
        if written.ids[-1] == END and len(written) > 4:
            return model
    message = f"{key}: no seed of 200 gives a translation that ends"
    raise LookupError(message)
