"""From scores to weights: the softmax over the keys that a mask allows, the one place where weights are made.

Every mechanism ends here, so that all treat a masked key and a row without keys alike. A mask is boolean, True where a
query may read a key, and broadcasts against the scores.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.messages import Message

HALF = (torch.bfloat16, torch.float16)


class FullyMaskedRowError(ValueError):
    """A query may read no key at all, so that its weights are not defined."""

    def __init__(self, message: Message, row: int) -> None:
        super().__init__(message)
        self.row = row


def full_precision(values: Tensor) -> Tensor:
    """Return half-precision `values` as float32, others as they are."""
    return values.float() if values.dtype in HALF else values


def causal_mask(queries: int, first_query: int = 0, *, device: torch.device | None = None) -> Tensor:
    """Return the mask that lets a query read keys up to its own position.

    Shapes: returns [query, first_query + queries].
    """
    positions = torch.arange(first_query + queries, device=device)
    return positions[None, :] <= positions[first_query:, None]


def masked_softmax(scores: Tensor, mask: Tensor | None = None, *, overwrite: bool = False) -> Tensor:
    """Return a = softmax(e) over the keys that the mask allows; masked keys get exactly 0.

    Shapes: `scores` [..., query, key]; returns [..., query, key].
    """
    precision = torch.float32 if scores.dtype in HALF else scores.dtype
    if mask is None:
        return scores.softmax(dim=-1, dtype=precision)
    readable = mask.any(dim=-1)
    if not bool(readable.all()):
        row = (~readable).nonzero()[0].tolist()
        message = Message(
            "row {row} of the mask (shape {shape}) has no key to attend to; leave at least one",
            row=row,
            shape=tuple(mask.shape),
        )
        raise FullyMaskedRowError(message, row[-1])
    fill = scores.masked_fill_ if overwrite else scores.masked_fill
    return fill(~mask, -torch.inf).softmax(dim=-1, dtype=precision)


def causal_weights(query: Tensor, key: Tensor, *, scale: float, rows: int = 128) -> Tensor:
    """Return softmax(scale q k') over the keys up to each query's own position; what lies ahead is never computed.

    As `masked_softmax` under `causal_mask`, in blocks of rows that fit into a processor's cache.

    Shapes: `query` [..., token, d_head]; `key` [..., token, d_head]; returns [..., query, key].
    """
    count = query.shape[-2]
    weights = query.new_zeros((*query.shape[:-1], count))
    ahead = ~causal_mask(min(rows, count), device=query.device)
    for start in range(0, count, rows):
        end = min(start + rows, count)
        scores = (query[..., start:end, :] * scale) @ key[..., :end, :].mT
        scores[..., start:].masked_fill_(ahead[: end - start, : end - start], -torch.inf)
        weights[..., start:end, :end] = scores.softmax(dim=-1)
    return weights
