"""Traces of what BertViz's functions take: one tensor a layer, and the texts of the tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from models.sites import Site
from models.trace import AttentionTrace, TokenSequence, TraceError
from models.trace.arrays import as_floats, fields_of, steps_of
from models.trace.marks import Marks, is_special
from models.trace.tokens import UNKNOWN, RecordedTexts, followed
from models.translation.pieces import token_sequence

HtmlAction = Literal["view", "return"]
_KINDS = {
    "attention": ("encoder", "self"),
    "encoder_attention": ("encoder", "self"),
    "decoder_attention": ("decoder", "self"),
    "cross_attention": ("decoder", "cross"),
}
_TOKENS = ("tokens", "encoder_tokens", "decoder_tokens")
_NONE = TokenSequence((), (), (), ())


def trace_of_call(call: Mapping[str, Any]) -> AttentionTrace:
    """Return the trace that is given, or one of the weights and tokens of BertViz's call, by their names there."""
    if call["html_action"] not in ("view", "return"):
        message = f"html_action is 'view' or 'return'; got {call['html_action']!r}"
        raise ValueError(message)
    named = {name: call[name] for name in (*_KINDS, *_TOKENS) if call[name] is not None}
    attention = named.get("attention")
    if isinstance(attention, AttentionTrace):
        if len(named) > 1:
            message = "a trace has its tokens: give it alone"
            raise TypeError(message)
        return attention
    weights = {name: named[name] for name in _KINDS if name in named}
    if not weights or ("attention" in weights and len(weights) > 1):
        message = (
            f"give a trace, or attention, or encoder_attention and its like; got {', '.join(weights) or 'nothing'}"
        )
        raise TypeError(message)
    maps = {name: _layers(name, each, call["include_layers"]) for name, each in weights.items()}
    tokens, prettify = {name: list(named[name]) for name in _TOKENS if name in named}, call["prettify_tokens"]
    if "cross_attention" not in maps and len(maps) == 1:
        ((name, layers),) = maps.items()
        read = _needed(tokens, "tokens" if name == "attention" else name.replace("attention", "tokens"))
        return _of_one_text(layers, _pair(_sequence(read, prettify), call["sentence_b_start"]))
    return _of_two_texts(maps, tokens, prettify)


def _needed(tokens: Mapping[str, list[str]], name: str) -> list[str]:
    if name not in tokens:
        message = f"{name} are missing: a list of texts, one a token"
        raise TypeError(message)
    return tokens[name]


def _sequence(tokens: Sequence[str], prettify: bool) -> TokenSequence:
    """Return tokens and the words that they make up, without their tokenizer's marks if wanted."""
    specials = [is_special(each) for each in tokens]
    if not prettify:
        places = tuple(place for place, special in enumerate(specials) if special)
        return replace(TokenSequence.from_words(tokens), specials=places)
    marks, told = Marks.of_text(tokens), list(zip(tokens, specials, strict=True))
    texts = [name if special else marks.read(name) for name, special in told]
    return token_sequence([-1] * len(texts), texts, [None if special else marks.raw(name) for name, special in told])


def _pair(tokens: TokenSequence, second: int | None) -> TokenSequence:
    """Return tokens of two texts, of which the second begins at a place; as they are where there is one text."""
    if second is None:
        return tokens
    if not 0 < second < len(tokens):
        message = f"sentence_b_start is the place of a token, 1 to {len(tokens) - 1}; got {second}"
        raise ValueError(message)
    places = range(len(tokens))
    return replace(tokens, segments=tuple(-1 if place in tokens.specials else int(place >= second) for place in places))


def _layers(name: str, given: Any, layers: Sequence[int] | None) -> dict[int, Any]:
    """Return the weights of each layer that is wanted."""
    if not isinstance(given, tuple | list) and not hasattr(given, "shape"):
        message = f"{name} is a trace, or one tensor a layer (outputs.attentions); got {type(given).__name__}"
        raise TypeError(message)
    found = dict(enumerate(given))
    if layers is not None:
        if missing := sorted(set(layers) - set(found)):
            message = f"include_layers names {missing}; {name} has the layers 0 to {len(found) - 1}"
            raise ValueError(message)
        found = {layer: found[layer] for layer in layers}
    for layer, values in found.items():
        _check(f"{name}, layer {layer}", values)
    return found


def _check(where: str, values: Any) -> None:
    """Raise TraceError for what is no weights of one text, [head, query, key]."""
    if values is None:
        message = (
            f"{where}: nothing there. Load the model with attn_implementation='eager' and ask for output_attentions."
        )
    elif isinstance(values, tuple | list) and hasattr(next(iter(values), None), "detach"):
        message = (
            f"{where}: a tuple of tensors, as `generate` returns one a step. Give what one run of the model returns."
        )
    else:
        try:
            shape = as_floats(values).shape
        except (TypeError, ValueError) as error:
            message = f"{where}: no numbers in a grid ({error})"
            raise TraceError(message) from error
        if len(shape) == 3 or (len(shape) == 4 and shape[0] == 1):
            return
        message = f"{where}: got the shape {shape}; expected [batch, head, query, key] with a batch of 1"
        if len(shape) == 4:
            message = f"{where}: a batch of {shape[0]}. Choose one text: weights[row : row + 1] of each layer."
    raise TraceError(message)


def _of_one_text(layers: Mapping[int, Any], tokens: TokenSequence) -> AttentionTrace:
    """Return a trace of self-attention; as of a decoder where no token attends to a later one."""
    causal = len(tokens) > 1 and not any(np.triu(as_floats(weights), 1).any() for weights in layers.values())
    stack = "decoder" if causal else "encoder"
    maps: dict[str | Site, Any] = {f"{stack}.{layer}.self": each for layer, each in layers.items()}
    return AttentionTrace(**fields_of(maps, RecordedTexts(tokens, _NONE, _NONE), ()))


def _of_two_texts(
    maps: Mapping[str, Mapping[int, Any]], tokens: Mapping[str, list[str]], prettify: bool
) -> AttentionTrace:
    """Return a trace of an encoder, a decoder or both. A row of cross-attention is of the token that it writes."""
    read, read_in = _needed(tokens, "encoder_tokens"), _needed(tokens, "decoder_tokens")
    written = followed(_sequence(read_in[1:], prettify), UNKNOWN)
    named: dict[str | Site, Any] = {
        f"{stack}.{layer}.{kind}": weights
        for name, (stack, kind) in _KINDS.items()
        for layer, weights in maps.get(name, {}).items()
    }
    texts = RecordedTexts(_sequence(read, prettify), _sequence(read_in, prettify), written)
    return AttentionTrace(**fields_of(named, texts, steps_of(written)))
