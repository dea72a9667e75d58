"""What one encoder layer costs as texts grow: operations, sequential steps, memory, path length, in numpy.

Vaswani et al. 2017, table 1, with the sizes of a layer: self-attention compares n^2 pairs of tokens, or n (2 r + 1) in
a window of r on each side; a recurrent layer takes n steps in turn; a convolution reads the tokens around each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.experiments.path_lengths import ATTENTION, RECURRENT, LayerForm

GROWTH = (1, 2, 4, 8, 16, 32, 64)
"""How many times as long a text becomes."""

NUMBER_BYTES = 4
"""Of a number in float32."""


@dataclass(frozen=True, slots=True)
class LayerCost:
    """What a layer costs for a text of so many tokens."""

    operations: int  # multiplications, each with an addition
    of_pairs: int  # those of them that compare and mix pairs of tokens
    in_turn: int  # steps that have to wait for each other
    memory: int  # bytes of attention weights and of the states handed on
    path: int  # layers, or recurrent steps, from the first token to the last


def cost_of(form: LayerForm, tokens: int, *, reach: int | None = None) -> LayerCost:
    """Return what a layer costs; with `reach`, where self-attention keeps to a window of so many on each side."""
    window = reach if form.kind == ATTENTION else form.kind // 2
    pairs = 0
    if form.kind == ATTENTION:
        pairs = tokens**2 if reach is None else round(tokens * _keys_near(reach, tokens))
    of_pairs = 2 * form.d_state * pairs  # q k' and a v, over all heads
    apart = tokens - 1
    path = tokens if form.kind == RECURRENT else math.ceil(apart / window) if window and apart else 1
    return LayerCost(
        operations=tokens * form.per_token + of_pairs,
        of_pairs=of_pairs,
        in_turn=tokens if form.kind == RECURRENT else 1,
        memory=NUMBER_BYTES * (tokens * form.d_state + form.heads * pairs),
        path=path,
    )


def _keys_near(reach: int, tokens: int) -> float:
    """Return how many keys a query has within a window, on average: 2 r + 1, fewer at both ends."""
    reach = min(reach, tokens - 1)
    return 2 * reach + 1 - reach * (reach + 1) / tokens
