"""Attention rollout over several layers; numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESIDUAL = 0.5
"""The part of a layer's output that is taken to come past its attention, through the residual connection."""


def rollout(layers: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Follow attention through the layers of a stack that reads itself.

    Shapes: `layers` [head, query, key]; returns [layer, query, key].
    """
    shapes = {np.shape(layer)[1:] for layer in layers}
    if len(shapes) != 1 or len(shape := next(iter(shapes))) != 2 or shape[0] != shape[1]:
        message = f"rollout is of at least one layer [head, query, key], queries as keys; got {sorted(shapes)}"
        raise ValueError(message)
    size = shape[0]
    found = np.empty((len(layers), size, size))
    reached = identity = np.eye(size)
    for number, layer in enumerate(layers):
        mixed = (1 - RESIDUAL) * np.asarray(layer).mean(axis=0, dtype=np.float64) + RESIDUAL * identity
        reached = found[number] = mixed @ reached  # [query, key]
    return found
