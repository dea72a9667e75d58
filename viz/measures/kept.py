"""Bytes of the keys and values that a causal model keeps while it writes, and of other ways of sharing them."""

from __future__ import annotations

from dataclasses import dataclass

from models.trace.written import KeptLayer


@dataclass(frozen=True, slots=True)
class KeptBytes:
    """Bytes of keys and values after so many tokens."""

    tokens: int
    own: int  # as this model shares them
    multi_head: int  # a key and a value for each query head
    grouped: int  # one for each group of query heads
    multi_query: int  # one for all query heads of a layer


def group_of(kept: tuple[KeptLayer, ...]) -> int:
    """Return how many query heads share a key-value head: as in the model if they do, else two."""
    shared = {each.heads // each.key_heads for each in kept if 1 < each.key_heads < each.heads}
    return min(shared, default=2)


def bytes_of(kept: tuple[KeptLayer, ...], tokens: int) -> KeptBytes:
    """Return what is kept of `tokens` tokens."""
    group = group_of(kept)
    return KeptBytes(
        tokens,
        own=sum(each.bytes_at(tokens) for each in kept),
        multi_head=sum(each.bytes_at(tokens, each.heads) for each in kept),
        grouped=sum(each.bytes_at(tokens, -(-each.heads // group)) for each in kept),
        multi_query=sum(each.bytes_at(tokens, 1) for each in kept),
    )
