"""The attention of a model's outputs as one map a layer: of one row of the batch, the steps of generation joined."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from models.errors import shortly
from models.trace import TraceError

Maps = dict[int, Tensor]
"""The weights of each layer of a stack, [head, query, key]."""

ENCODER, DECODER, CROSS, ONLY = "encoder_attentions", "decoder_attentions", "cross_attentions", "attentions"
_NONE = (
    "outputs: they have no attention weights. Open the model with from_pretrained(..., attn_implementation='eager') "
    "and call it with output_attentions=True; generate needs return_dict_in_generate=True as well"
)
_SHAPE = (
    "{name}, layer {layer}: got weights of shape {got}; expected {expected} from the tokens. Are these the ids that "
    "the model was given? Weights of windows or blocks alone (Longformer, BigBird) are no whole map: "
    "AttentionTrace.from_arrays takes one that you fill"
)


def attentions_in(outputs: Any) -> dict[str, list[Any]]:
    """Return what outputs have of attention, by name: layers, or steps of layers; TraceError if there is none."""
    if isinstance(outputs, Mapping):
        given = {name: outputs.get(name) for name in (ENCODER, DECODER, CROSS, ONLY)}
    elif isinstance(outputs, list | tuple) or getattr(outputs, "ndim", 0) == 5:
        given = {ONLY: _layers_alone(list(outputs))}
    else:
        given = {name: getattr(outputs, name, None) for name in (ENCODER, DECODER, CROSS, ONLY)}
    found = {name: list(each) for name, each in given.items() if each is not None and _any(each)}
    if not found:
        raise TraceError(_NONE)
    if CROSS in found and ONLY in found:  # a decoder alone that reads what an encoder gave it
        found[DECODER] = found.pop(ONLY)
    return found


def _layers_alone(layers: list[Any]) -> list[Any]:
    """Return the tuple of a model's attention as it is; TraceError if it is the model's whole answer."""
    if any(getattr(each, "ndim", 4) not in (3, 4) for each in layers) or len({_depth(each) for each in layers}) > 1:
        message = (
            "outputs: got a tuple of several things; expected the outputs of return_dict=True, or the tuple of "
            "attentions alone, such as outputs[-1]"
        )
        raise TraceError(message)
    return layers


def _depth(each: Any) -> bool:
    return isinstance(each, list | tuple)


def _any(layers: Any) -> bool:
    return any(_any(each) if _depth(each) else each is not None for each in layers)


def is_generated(layers: Sequence[Any]) -> bool:
    """Return whether these are steps of generation, each with its layers."""
    return _depth(layers[0])


def prompt_length(steps: Sequence[Any]) -> int:
    """Return how many tokens the first step of generation read."""
    return int(next(each for each in steps[0] if each is not None).shape[-2])


def layer_count(found: Mapping[str, list[Any]]) -> int:
    """Return how many layers the deepest stack has."""
    return max(len(each[0]) if is_generated(each) else len(each) for each in found.values())


def chosen_layers(found: Mapping[str, list[Any]], layers: int | Iterable[int] | None) -> tuple[int, ...] | None:
    """Return the layers that were asked for, each once, in order; None for all."""
    if layers is None:
        return None
    count = layer_count(found)
    wanted = tuple(sorted({operator.index(each) for each in ([layers] if isinstance(layers, int) else layers)}))
    if not wanted or not 0 <= wanted[0] <= wanted[-1] < count:
        message = f"layers: got {shortly(wanted)}; expected some of 0 to {count - 1}"
        raise TraceError(message)
    return wanted


def chosen_row(row: int | None, count: int) -> int:
    """Return the row of the batch that is wanted; TraceError if none is named among several."""
    if row is None and count != 1:
        message = f"row: the outputs are those of {count} texts; say which is wanted with row=0 to row={count - 1}"
        raise TraceError(message)
    chosen = 0 if row is None else operator.index(row)
    if not 0 <= chosen < count:
        message = f"row: got {row}; expected 0 to {count - 1}"
        raise TraceError(message)
    return chosen


def tensor_of(values: Any) -> Tensor:
    """Return numbers of any library as a tensor; a copy, unless they are one already."""
    return values if isinstance(values, Tensor) else torch.as_tensor(np.array(values))


def rows_of(count: int, row: int, layers: Sequence[Any], only: Sequence[int] | None) -> Maps:
    """Return the weights of one row, [head, query, key], by their layers, which have a batch of `count`."""
    found = Maps()
    for number, each in enumerate(layers):
        if each is None or (only is not None and number not in only):
            continue
        values = tensor_of(each)
        values = values[None] if values.ndim == 3 else values
        if values.ndim != 4 or len(values) != count:
            message = (
                f"layer {number}: got weights of shape {tuple(values.shape)}; expected [batch, head, query, key], "
                f"of a batch of {count}, as there are rows of ids"
            )
            raise TraceError(message)
        found[number] = values[row].detach()
    return found


def joined(steps: Sequence[Any], rows: Sequence[int], only: Sequence[int] | None, *, cross: bool) -> Maps:
    """Return the steps of generation as one map a layer, [head, query, key].

    The first step has a row for each token of the prompt, each later one for one token more; where nothing is cached
    it repeats those before it. `rows` are the places in the batch at each step: with beams, those of the winner's way.
    """
    found = Maps()
    for number, first in enumerate(steps[0]):
        if first is None or (only is not None and number not in only):
            continue
        parts = [step[number][row].detach() for step, row in zip(steps, rows, strict=False)]
        prompt = parts[0].shape[1]
        total = prompt + len(rows) - 1
        whole = parts[0].new_zeros(len(parts[0]), total, parts[0].shape[2] if cross else total)
        for step, part in enumerate(parts):
            end = prompt + step
            lines = part if step == 0 else part[:, -1:]  # [head, query, key]
            keys = whole.shape[2] if cross else end
            lines = lines[..., :keys]  # a cache of fixed length has zeros behind
            whole[:, end - lines.shape[1] : end, keys - lines.shape[2] : keys] = lines  # a window has the last keys
        found[number] = whole
    return found


def check_shape(name: str, weights: Mapping[int, Tensor], queries: int, keys: int) -> None:
    """Raise TraceError if a map has not as many rows and columns as there are tokens."""
    for layer, each in weights.items():
        if each.shape[1:] != (queries, keys):
            expected = (len(each), queries, keys)
            raise TraceError(_SHAPE.format(name=name, layer=layer, got=tuple(each.shape), expected=expected))
