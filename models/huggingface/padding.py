"""Which tokens of a row only fill it up: told by the mask, or else by what the model never attends to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

import torch
from torch import Tensor

from models.huggingface.attention_outputs import Maps
from models.huggingface.id_tokenizer import IdTokenizer
from models.trace import TraceError

_RESIDUE = 1e-4
"""A weight that a padding mask may leave: older models add -10,000 to a score."""


def kept(
    ids: Sequence[int], tokenizer: IdTokenizer, mask: Tensor | None, own: Iterable[Tensor], other: Iterable[Tensor] = ()
) -> list[int]:
    """Return the positions of `ids` that are no padding.

    Shapes: `own` are maps of these tokens on themselves, [head, token, token]; `other` maps of others on them,
    [head, query, token].
    """
    if mask is not None:
        if len(mask) != len(ids):
            message = f"attention_mask: got {len(mask)} values of a row; expected {len(ids)}, one a token"
            raise TraceError(message)
        return [place for place, read in enumerate(mask.tolist()) if read]
    filling = [each == tokenizer.pad for each in ids]
    first, last = (sum(takewhile(bool, each)) for each in (filling, reversed(filling)))
    text = range(first, len(ids) - last)
    inner, outer = list(own), list(other)
    if len(text) == len(ids) or not text or not (inner or outer):
        return list(range(len(ids)))
    read = torch.zeros(len(ids), dtype=torch.bool)
    for each in inner:
        read |= (each[:, list(text)].amax((0, 1)) > 0).cpu()
        if tokenizer.pad_ends:  # a mark of the end attends to itself, and padding does not
            read[text.stop :] |= (each.diagonal(dim1=1, dim2=2).amax(0) > 0).cpu()[text.stop :]
    for each in outer:
        read |= (each.amax((0, 1)) > 0).cpu()
    return [place for place, seen in enumerate(read.tolist()) if seen or place in text]


def without_filling(sequence: Sequence[int], prompt: int, tokenizer: IdTokenizer) -> list[int]:
    """Return what was generated, with its prompt, without what fills it up after its end."""
    end = len(sequence)
    while end > prompt + 1 and sequence[end - 1] == tokenizer.pad:
        end -= 1
    return list(sequence[: end + 1 if tokenizer.pad_ends and end < len(sequence) else end])


def without_padding(name: str, weights: Maps, queries: list[int], keys: list[int], *, whole: bool) -> Maps:
    """Return maps of the tokens that are left; TraceError if they must be `whole`, and attend to others."""
    found = Maps()
    for layer, each in weights.items():
        rows = each[:, queries]  # [head, query left, key]
        found[layer] = rows[:, :, keys]
        left_out = sorted(set(range(rows.shape[2])) - set(keys))
        if whole and left_out and rows.numel() and float(rows[:, :, left_out].max()) > _RESIDUE:
            message = (
                f"attention_mask: {name}, layer {layer}, attends to tokens that the mask leaves out. Give the "
                "model the same mask; or leave it out here, to see what the model attended to"
            )
            raise TraceError(message)
    return found
