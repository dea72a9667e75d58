"""Beam search: the likeliest translations that are found by keeping several at each step."""

from __future__ import annotations

import operator
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from models.errors import InputError
from models.messages import Message
from models.networks.base import TranslationNetwork
from models.softmax import full_precision
from models.translation.decoding import step_limit
from models.translation.hypothesis import WIDEST, Hypothesis
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN, END
from models.waiting import go_on

Written = tuple[list[int], list[float]]
"""Ids, ``</s>`` included where it was written, and the log-probability of each."""


def beam_search(model: Translator, source: str, width: int = 4) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of a beam search, best first.

    At each step the `width` likeliest continuations of all hypotheses are kept, by the sum of their log-probabilities;
    one that has written ``</s>`` stays as it is. At the end they are ranked by their mean log-probability a token
    (length normalisation; Graves 2012, Wu et al. 2016 with an exponent of 1).

    Parameters
    ----------
    model : Translator
        What `models.load_translator` returns.
    source : str
        A sentence.
    width : int, optional
        Hypotheses that are kept, 1 to 64; 1 is greedy decoding.

    Returns
    -------
    tuple of Hypothesis
        As many as `width`, or fewer where there are no more; `model.attend(source, write=Writing(0, begin=each.ids))`
        returns the maps of one.

    Raises
    ------
    InputError
        If the sentence cannot be read, or `width` is out of range.

    Examples
    --------
    >>> import models
    >>> found = models.beam_search(models.load_translator("bahdanau-en-fr"), "The cat sleeps.", 3)
    >>> len(found), found[0].score >= found[1].score
    (3, True)
    """
    if not 1 <= operator.index(width) <= WIDEST:
        raise InputError(Message("A beam keeps 1 to {most} hypotheses; got {given}.", most=WIDEST, given=width))
    tokenizer = model.tokenizer
    ids = torch.tensor([read_text(tokenizer, source, "sentence").ids])
    return tuple(
        Hypothesis(tuple(ids), tuple(map(tokenizer.piece, ids)), tuple(worth), tokenizer.decode(ids))
        for ids, worth in search(model.network, ids, width)[0]
    )


@torch.inference_mode()
def search(network: TranslationNetwork, source: Tensor, width: int, limit: int = 0) -> list[list[Written]]:
    """Return the hypotheses of each source of a batch, best first; `limit` tokens at most, if 0 `step_limit`.

    Shapes: `source` [batch, source].
    """
    batch, device = len(source), source.device
    memory = network.encode(source.repeat_interleave(width, dim=0))
    state = network.start(memory)
    kind = full_precision(next(network.parameters())).dtype
    sums = torch.full((batch, width), -torch.inf, device=device, dtype=kind)
    sums[:, 0] = 0.0  # all begin alike: one goes on
    written = torch.full((batch * width, 1), BEGIN, device=device)
    worth = torch.zeros((batch * width, 1), device=device, dtype=kind)
    ended = torch.zeros(batch * width, dtype=torch.bool, device=device)
    first = torch.arange(batch, device=device)[:, None] * width
    for position in range(limit or step_limit(source.shape[1])):
        go_on()
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
        worth = torch.cat((worth[rows], found[rows, tokens][:, None]), dim=1)
        ended = ended[rows] | (tokens == END)
        if bool(ended.all()):
            break
        state = _chosen(state, rows)  # a row takes the place of one of the same source, whose memory is the same
    kept = zip(*(each[:, 1:].reshape(batch, width, -1) for each in (written, worth)), sums.isfinite(), strict=True)
    return [_ranked(ids[there].tolist(), each[there].tolist()) for ids, each, there in kept]


def _ranked(rows: list[list[int]], worth: list[list[float]]) -> list[Written]:
    """Return hypotheses, cut behind their ``</s>``, the highest mean log-probability a token first."""
    lengths = [row.index(END) + 1 if END in row else len(row) for row in rows]
    found = [(row[:length], each[:length]) for row, each, length in zip(rows, worth, lengths, strict=True)]
    return sorted(found, key=lambda each: sum(each[1]) / len(each[1]), reverse=True)


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
