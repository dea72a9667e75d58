"""What the heads of self-attention give from one token of a text to the others: a quantity that lessons state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from models.trace import AttentionTrace


def weights_from(trace: AttentionTrace, word: str) -> Mapping[str, float]:
    """Return the weights of the row of `word` (its first subword) in all encoder heads, by place and key.

    ``3.1 cat`` is layer 3, head 1; ``most cat`` is the largest of all heads and ``mean cat`` their mean.
    """
    found: dict[str, list[float]] = {}
    values: dict[str, float] = {}
    for each in trace.maps:
        if (each.site.stack, each.site.kind) != ("encoder", "self"):
            continue
        row = [text.strip() for text in each.query_tokens.texts].index(word)
        for head, weights in enumerate(each.weights[:, row]):
            for key, weight in zip(each.key_tokens.texts, weights, strict=True):
                values.setdefault(f"{each.site.layer}.{head} {key.strip()}", float(weight))
                found.setdefault(key.strip(), []).append(float(weight))
    for key, weights_of_key in found.items():
        values |= {f"most {key}": max(weights_of_key), f"mean {key}": float(np.mean(weights_of_key))}
    return values
