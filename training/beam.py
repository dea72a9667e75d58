"""Beam search for a batch of sources of one length: what teachers write with."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from models.networks.base import TranslationNetwork
from models.translation.decoding import step_limit
from models.vocabulary import BEGIN, END

Hypothesis = tuple[list[int], float]


def _chosen(kept: Any, rows: Tensor) -> Any:
    """Return what a network keeps for a batch, its rows chosen anew; the batch is the first axis of its size."""
    if isinstance(kept, Tensor):
        axis = next((axis for axis, size in enumerate(kept.shape) if size == len(rows)), None)
        return kept if axis is None else kept.index_select(axis, rows)
    if is_dataclass(kept) and not isinstance(kept, type):
        return type(kept)(**{each.name: _chosen(getattr(kept, each.name), rows) for each in fields(kept)})
    if isinstance(kept, tuple):
        parts = [_chosen(each, rows) for each in kept]
        return type(kept)(*parts) if hasattr(kept, "_fields") else tuple(parts)
    return kept


@torch.inference_mode()
def beam_search(network: TranslationNetwork, source: Tensor, width: int) -> list[Hypothesis]:
    """Return the best translation of each source, as ids without ``</s>``, and its mean log-probability a token.

    The best is the one of the highest mean, ``</s>`` counted, among the `width` of the highest sum.

    Shapes: `source` [batch, source].
    """
    batch, device = len(source), source.device
    memory = network.encode(source.repeat_interleave(width, dim=0))
    state = network.start(memory)
    sums = torch.full((batch, width), -torch.inf, device=device)
    sums[:, 0] = 0.0  # all begin alike: one goes on
    written = torch.full((batch * width, 1), BEGIN, device=device)
    ended = torch.zeros(batch * width, dtype=torch.bool, device=device)
    lengths = torch.zeros(batch * width, device=device)
    first = torch.arange(batch, device=device)[:, None] * width
    for position in range(step_limit(source.shape[1])):
        logits, state = network.step(memory, state, written[:, -1], position)
        logits[:, :END] = -torch.inf
        found = logits.log_softmax(dim=-1)  # [batch * width, vocabulary]
        found[ended] = -torch.inf
        found[ended, END] = 0.0  # what has ended stays as it is
        totals = (sums.view(-1, 1) + found).view(batch, -1)
        sums, places = totals.topk(width, dim=-1)
        rows = (first + places // found.shape[-1]).flatten()
        tokens = (places % found.shape[-1]).flatten()
        written = torch.cat((written[rows], tokens[:, None]), dim=1)
        lengths = lengths[rows] + ~ended[rows]
        ended = ended[rows] | (tokens == END)
        if bool(ended.all()):
            break
        state = _chosen(state, rows)  # a row takes the place of one of the same source, whose memory is the same
    means = sums / lengths.view(batch, width)
    best, places = means.max(dim=-1)
    texts = written.view(batch, width, -1)[torch.arange(batch, device=device), places, 1:].tolist()
    return [(row[: row.index(END)] if END in row else row, float(mean)) for row, mean in zip(texts, best, strict=True)]
