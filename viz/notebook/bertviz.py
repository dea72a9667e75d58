"""Traces of what BertViz's functions take: one tensor a layer, and the texts of the tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace import AttentionTrace, TraceError

_MARKS = {"Ġ": " ", "▁": " ", "</w>": ""}
"""How tokenizers write the beginning or the end of a word, as BertViz reads it."""

_KINDS = {
    "attention": ("encoder", "self"),
    "encoder_attention": ("encoder", "self"),
    "decoder_attention": ("decoder", "self"),
    "cross_attention": ("decoder", "cross"),
}
_UNUSED = {"sentence_b_start", "html_action", "display_mode"}
"""Of BertViz's call: what changes nothing here."""


def trace_of_call(attention: Any, tokens: Sequence[str] | None, **call: Any) -> AttentionTrace:
    """Return the trace that is given, or one of the weights and tokens of BertViz's call."""
    given = {name: call.pop(name, None) for name in (*_KINDS, "encoder_tokens", "decoder_tokens")}
    layers, cleaned = call.pop("include_layers", None), call.pop("prettify_tokens", True)
    if unknown := sorted(set(call) - _UNUSED):
        message = f"there is no option {', '.join(unknown)}"
        raise TypeError(message)
    if isinstance(attention, AttentionTrace):
        if tokens is not None or any(each is not None for each in given.values()):
            message = "a trace has its tokens: give it alone"
            raise TypeError(message)
        return attention
    given |= {"attention": attention}
    weights = {name: given[name] for name in _KINDS if given[name] is not None}
    if not weights or ("attention" in weights and len(weights) > 1):
        message = (
            f"give a trace, or attention, or encoder_attention and its like; got {', '.join(weights) or 'nothing'}"
        )
        raise TypeError(message)
    texts = {"tokens": tokens, "encoder_tokens": given["encoder_tokens"], "decoder_tokens": given["decoder_tokens"]}
    own = {
        name: [_clean(each) if cleaned else each for each in said] for name, said in texts.items() if said is not None
    }
    maps = {name: _layers(name, each, layers) for name, each in weights.items()}
    if "attention" in maps:
        return _of_one_text(maps["attention"], _needed(own, "tokens"))
    return _of_two_texts(maps, own)


def _clean(text: str) -> str:
    """Return a token without its tokenizer's marks; one that is nothing but marks stays."""
    cleaned = text
    for mark, meant in _MARKS.items():
        cleaned = cleaned.replace(mark, meant)
    return cleaned.strip() or text


def _needed(own: Mapping[str, list[str]], name: str) -> list[str]:
    if name not in own:
        message = f"{name} are missing: a list of texts, one a token"
        raise TypeError(message)
    return own[name]


def _layers(name: str, given: Any, layers: Sequence[int] | None) -> dict[int, NDArray[np.float32]]:
    """Return the weights of each layer, [head, query, key]."""
    if not isinstance(given, tuple | list) and not hasattr(given, "shape"):
        message = f"{name} is a trace, or one tensor a layer (outputs.attentions); got {type(given).__name__}"
        raise TypeError(message)
    found = dict(enumerate(given))
    if layers is not None:
        if missing := sorted(set(layers) - set(found)):
            message = f"include_layers names {missing}; {name} has the layers 0 to {len(found) - 1}"
            raise ValueError(message)
        found = {layer: found[layer] for layer in layers}
    return {layer: _weights(f"{name}, layer {layer}", values) for layer, values in found.items()}


def _weights(where: str, values: Any) -> NDArray[np.float32]:
    if values is None:
        message = (
            f"{where}: nothing there. Load the model with attn_implementation='eager' and ask for output_attentions."
        )
        raise TraceError(message)
    if isinstance(values, tuple | list) and hasattr(next(iter(values), None), "detach"):
        message = (
            f"{where}: a tuple of tensors, as `generate` returns one a step. Give what one run of the model returns."
        )
        raise TraceError(message)
    if hasattr(values, "detach"):  # a tensor of torch, which is not imported here; numpy has no bfloat16
        values = values.detach().float().cpu().numpy()
    try:
        weights = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        message = f"{where}: no numbers in a grid ({error})"
        raise TraceError(message) from error
    if weights.ndim == 4 and len(weights) != 1:
        message = f"{where}: a batch of {len(weights)}. Choose one text: weights[row : row + 1] of each layer."
        raise TraceError(message)
    if weights.ndim not in (3, 4):
        message = f"{where}: got the shape {weights.shape}; expected [batch, head, query, key] with a batch of 1"
        raise TraceError(message)
    return weights.reshape(weights.shape[-3:])


def _of_one_text(layers: Mapping[int, NDArray[np.float32]], tokens: list[str]) -> AttentionTrace:
    """Return a trace of self-attention; as of a decoder where no token attends to a later one."""
    causal = len(tokens) > 1 and not any(np.triu(weights, 1).any() for weights in layers.values())
    stack = "decoder" if causal else "encoder"
    maps: dict[str | Site, Any] = {f"{stack}.{layer}.self": each for layer, each in layers.items()}
    return AttentionTrace.from_arrays(maps, source=tokens)


def _of_two_texts(
    maps: Mapping[str, Mapping[int, NDArray[np.float32]]], own: Mapping[str, list[str]]
) -> AttentionTrace:
    """Return a trace of an encoder, a decoder or both. A row of cross-attention is of the token that it writes."""
    if "cross_attention" not in maps and len(maps) == 1:
        ((name, layers),) = maps.items()
        return _of_one_text(layers, _needed(own, name.replace("attention", "tokens")))
    encoder, decoder = _needed(own, "encoder_tokens"), _needed(own, "decoder_tokens")
    named: dict[str | Site, NDArray[np.float32]] = {
        f"{stack}.{layer}.{kind}": weights
        for name, (stack, kind) in _KINDS.items()
        for layer, weights in maps.get(name, {}).items()
    }
    trace = AttentionTrace.from_arrays(named, source=encoder, target=[*decoder[1:], "…"])
    read_in = AttentionTrace.from_arrays({}, source=decoder).source
    decoders = [each.site for each in trace if (each.site.stack, each.site.kind) == ("decoder", "self")]
    fitted = (
        replace(each, query_tokens=read_in, key_tokens=read_in) if each.site in decoders else each for each in trace
    )
    return replace(trace, target_input=read_in, maps=tuple(fitted))
