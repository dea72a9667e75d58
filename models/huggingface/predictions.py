"""What a language head holds for likely, as the records that every view reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor

from models.recording import likeliest
from models.trace import Prediction, TokenSequence

ALTERNATIVES = 10
"""How many of the likeliest tokens are kept."""


def predictions_of(
    logits: Tensor, tokens: TokenSequence, masks: Sequence[int], piece: Callable[[int], str]
) -> tuple[Prediction, ...]:
    """Return what may follow each token, or, with `masks`, what may stand at these positions.

    Shapes: `logits` [position, vocabulary].
    """
    values = (logits[list(masks)] if masks else logits).log_softmax(dim=-1)  # [position, vocabulary]
    positions = masks or range(len(tokens) - len(values), len(tokens))
    found = []
    for place, row, likely in zip(positions, values, likeliest(values, piece, most=ALTERNATIVES), strict=True):
        follows = None if masks or place == len(tokens) - 1 else float(row[tokens.ids[place + 1]])
        ids = () if masks or follows is not None else tuple(row.topk(len(likely)).indices.tolist())
        found.append(Prediction(place, likely, follows, ids))
    return tuple(found)
