"""Walk through the sum before the first layer of a model such as BERT: three vectors, their sum, LayerNorm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from viz.text.language import _
from viz.views.strips import Strip
from viz.walk.digits import factor, number
from viz.walk.steps import Worked

if TYPE_CHECKING:
    from models.huggingface.embedding_sum import EmbeddingSum

SYMBOLS: Mapping[str, str] = {"token": "E", "segment": "S", "position": "P"}


def part_names() -> dict[str, str]:
    """Return what the vectors that are added are called."""
    return {
        "token": _("token embedding"),
        "segment": _("segment embedding"),
        "position": _("position embedding"),
    }


def sum_strips(found: EmbeddingSum, tokens: Sequence[str], row: int) -> tuple[Strip, ...]:
    """Return a strip for each vector that is added, for their sum and for what LayerNorm makes of it, a row a token.

    The vectors and their sum have one scale of colours.
    """
    names, most = part_names(), float(max(np.abs(each).max() for each in (*found.parts.values(), found.total)))
    labels, marked = tuple(tokens), (row, None)
    parts = [
        Strip(names[name], SYMBOLS[name], values, rows=labels, marked=marked, most=most)
        for name, values in found.parts.items()
    ]
    total = Strip(_("their sum, before LayerNorm"), "x", found.total, rows=labels, marked=marked, made=True, most=most)
    return (
        *parts,
        total,
        Strip(_("after LayerNorm"), "x\u0302", found.normalised, rows=labels, marked=marked, made=True),
    )


def sum_in_digits(found: EmbeddingSum, row: int) -> tuple[Worked, Worked]:
    """Return the largest component of a token's sum in digits, and what LayerNorm makes of it."""
    k = int(np.abs(found.total[row]).argmax())
    terms = [float(each[row, k]) for each in found.parts.values()]
    total = float(sum(terms))
    symbols = " + ".join(rf"{SYMBOLS[name]}_{{[{k}]}}" for name in found.parts)
    digits = " + ".join([number(terms[0], 4), *(factor(each, 4) for each in terms[1:])])
    added = rf"x_{{[{k}]}} &= {symbols} = {digits} = {number(total, 4)}"
    mean, deviation = float(found.mean[row]), float(found.deviation[row])
    gain, bias = float(found.gain[k]), float(found.bias[k])
    after = (total - mean) / deviation * gain + bias
    line = (
        rf"\operatorname{{LayerNorm}}(x)_{{[{k}]}} &= \frac{{{number(total, 4)} - {factor(mean, 4)}}}"
        rf"{{{number(deviation, 4)}}} \cdot {factor(gain, 4)} + {factor(bias, 4)} = {number(after, 4)}"
    )
    return (
        Worked((added,), total, float(found.total[row, k])),
        Worked((line,), after, float(found.normalised[row, k])),
    )
