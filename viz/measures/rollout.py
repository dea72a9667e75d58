"""Attention rollout: how much of each token is in each other after several layers. numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESIDUAL = 0.5
"""The part of a layer's output that is taken to come past its attention, through the residual connection."""


def rollout(layers: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Follow attention through the layers of a stack that reads itself.

    Parameters
    ----------
    layers : sequence of array, [head, query, key]
        The weights of each layer from the first on; as many queries as keys, the same in all.

    Returns
    -------
    float64 array, [layer, query, key]
        After each layer, how much of the input token `key` is in the token `query`. Rows sum to 1 if those of the
        weights do; nothing is renormalised. Of causal layers it is causal.

    Raises
    ------
    ValueError
        If there is no layer, or shapes do not fit.

    Notes
    -----
    R_l = (0.5 A_l + 0.5 I) R_{l-1}, with A_l the mean over heads and R_0 = I. Abnar & Zuidema 2020, Quantifying
    Attention Flow in Transformers, equation 1 and section 3. It is computed from the weights and is itself no
    weight of the model: it leaves out values, feed-forward layers and layer norms, and takes heads for equal.

    Examples
    --------
    >>> rollout([np.array([[[0.0, 1.0], [0.0, 1.0]]])])[-1].tolist()
    [[0.5, 0.5], [0.0, 1.0]]
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
