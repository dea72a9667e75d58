"""The places, heads and rows of an edit in words."""

from __future__ import annotations

from models.messages import Message
from models.vocabulary import FIRST_POSITION

_STACKS = {"encoder": Message("encoder"), "decoder": Message("decoder")}
_KINDS = {
    "self": Message("self-attention"),
    "cross": Message("cross-attention"),
    "hops": Message("hops"),
    "*": Message("attention"),
}


def place_in_words(site: str) -> Message:
    """Say ``stack.layer.kind`` in words."""
    stack, layer, kind = site.split(".")
    attention = _KINDS[kind]
    if "*" not in (stack, layer):
        return Message("{stack} layer {layer} {attention}", stack=_STACKS[stack], layer=layer, attention=attention)
    if stack != "*":
        return Message("{attention} of every {stack} layer", attention=attention, stack=_STACKS[stack])
    if layer != "*":
        return Message("{attention} of every layer {layer}", attention=attention, layer=layer)
    return Message("{attention} of every layer", attention=attention)


def head_in_words(position: int | None) -> Message:
    """Say which head is meant: ``head 3``, or ``every head`` for None."""
    return Message("every head") if position is None else Message("head {position}", position=position)


def row_in_words(position: int | None) -> Message:
    """Say which row is meant: ``row 4`` for position 3, or ``every row`` for None."""
    return Message("every row") if position is None else Message("row {position}", position=position + FIRST_POSITION)
