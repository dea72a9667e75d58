"""Greedy decoding: one loop, for one sentence or for a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from models.networks.base import TranslationNetwork
from models.vocabulary import BEGIN, END
from models.waiting import go_on


def step_limit(source_pieces: int) -> int:
    """Return how many tokens a translation may have: twice the source and ten more."""
    return 2 * source_pieces + 10


def greedy(
    network: TranslationNetwork, memory: Any, *, batch: int, limit: int, begin: Sequence[int] = ()
) -> Iterator[tuple[Tensor, Tensor]]:
    """Write the likeliest token at each step until every text of the batch has ended, `limit` steps at most.

    The first tokens are those of `begin`, whatever is likeliest.
    """
    device = next(network.parameters()).device
    token = torch.full((batch,), BEGIN, device=device)
    ended = torch.zeros(batch, dtype=torch.bool, device=device)
    state = network.start(memory)
    for position in range(limit):
        go_on()
        logits, state = network.step(memory, state, token, position)
        logits[:, :END] = -torch.inf  # <pad> and <s> are never written
        token = logits.argmax(dim=-1)
        if position < len(begin):
            token = torch.full_like(token, begin[position])
        yield token, logits
        ended |= token == END
        if bool(ended.all()):
            return


def forced_logits(network: TranslationNetwork, memory: Any, inputs: Tensor) -> Tensor:
    """Return logits of given targets, of one pass; <pad> and <s> are never written.

    Shapes: `inputs` [batch, target]; returns [batch, target, vocabulary].
    """
    logits = network.decode(memory, inputs)
    logits[..., :END] = -torch.inf
    return logits


def translate_batch(network: TranslationNetwork, source: Tensor) -> list[list[int]]:
    """Translate sources of one length, [batch, source] ids closed by ``</s>``; give ids without ``</s>``.

    Shapes: `source` [batch, source].
    """
    with torch.inference_mode():
        memory = network.encode(source)
        steps = greedy(network, memory, batch=source.shape[0], limit=step_limit(source.shape[1]))
        rows = torch.stack([token for token, _ in steps], dim=1).tolist()
    return [row[: row.index(END)] if END in row else row for row in rows]
