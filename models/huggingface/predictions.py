"""What a language head holds for likely, as the records that every view reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from models.trace import Prediction, Step, TokenSequence

ALTERNATIVES = 10
"""How many of the likeliest tokens are kept."""

Likeliest = tuple[tuple[str, float], ...]


def steps_of(logits: Tensor, written: TokenSequence, piece: Callable[[int], str]) -> tuple[Step, ...]:
    """Return, for each token that a decoder wrote, how likely it was and what was likeliest.

    Parameters
    ----------
    logits : Tensor, [target, vocabulary]
    written : TokenSequence
    piece : callable
        Gives what a vocabulary index reads.
    """
    values = logits.log_softmax(dim=-1)  # [target, vocabulary]
    chosen = values.gather(1, torch.tensor(written.ids)[:, None])[:, 0].tolist()
    rows = zip(written.texts, written.ids, chosen, _likeliest(values, piece), strict=True)
    return tuple(Step(text, token, value, likely) for text, token, value, likely in rows)


def predictions_of(
    logits: Tensor, tokens: TokenSequence, masks: Sequence[int], piece: Callable[[int], str]
) -> tuple[Prediction, ...]:
    """Return what may follow each token, or, with `masks`, what may stand at these positions.

    Parameters
    ----------
    logits : Tensor, [position, vocabulary]
        Of the last positions of `tokens`, or of all with `masks`.
    tokens : TokenSequence
    masks : sequence of int
        Positions of masked tokens; none for a causal model.
    piece : callable
        Gives what a vocabulary index reads.
    """
    values = (logits[list(masks)] if masks else logits).log_softmax(dim=-1)  # [position, vocabulary]
    positions = masks or range(len(tokens) - len(values), len(tokens))
    found = []
    for place, row, likely in zip(positions, values, _likeliest(values, piece), strict=True):
        follows = None if masks or place == len(tokens) - 1 else float(row[tokens.ids[place + 1]])
        found.append(Prediction(place, likely, follows))
    return tuple(found)


def _likeliest(values: Tensor, piece: Callable[[int], str]) -> list[Likeliest]:
    """Return the likeliest tokens of each row of log-probabilities, [position, vocabulary], with probabilities."""
    best, tokens = values.topk(min(ALTERNATIVES, values.shape[-1]), dim=-1)
    return [
        tuple((piece(token), likely) for token, likely in zip(row, probabilities, strict=True))
        for row, probabilities in zip(tokens.tolist(), best.exp().tolist(), strict=True)
    ]
