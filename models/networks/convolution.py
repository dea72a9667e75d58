"""Convolutions over a text as pure functions: Kalchbrenner and Blunsom 2013; Gehring et al. 2017, sections 3.2, 3.5."""

from __future__ import annotations

import torch
from torch import Tensor

HALVED = 0.5**0.5
"""sqrt(0.5): what the sum of two vectors is multiplied by, so that it varies no more than either, section 3.5."""


def folded(states: Tensor, kernel: Tensor) -> Tensor:
    """Return K * M, the one-dimensional convolution of Kalchbrenner and Blunsom 2013, section 3: each feature alone.

    (K * M)_p = sum_j K_j M_(p+j), number by number: feature f of a result is made of feature f of `width` neighbours
    and of nothing else. It is narrow: it ends where the text ends, and the text becomes shorter by width - 1.

    Parameters
    ----------
    states : Tensor, [batch, token, d]
        M.
    kernel : Tensor, [width, d]
        K, with the weights of the first neighbour first.

    Returns
    -------
    Tensor, [batch, token - width + 1, d]

    Examples
    --------
    >>> folded(torch.tensor([[[1.0], [2.0], [3.0]]]), torch.tensor([[10.0], [1.0]])).tolist()
    [[[12.0], [23.0]]]
    """
    count = states.shape[1] - len(kernel) + 1
    total = states[:, :count] * kernel[0]
    for place in range(1, len(kernel)):
        total = torch.addcmul(total, states[:, place : place + count], kernel[place])
    return total


def windows(states: Tensor, width: int) -> Tensor:
    """Return `width` neighbouring states side by side, for each place that has so many.

    Parameters
    ----------
    states : Tensor, [batch, token, d]
    width : int
        k of the paper.

    Returns
    -------
    Tensor, [batch, token - width + 1, width * d]
        The first of the neighbours first.

    Examples
    --------
    >>> windows(torch.tensor([[[1.0], [2.0], [3.0]]]), 2).tolist()
    [[[1.0, 2.0], [2.0, 3.0]]]
    """
    count = states.shape[1] - width + 1
    return torch.cat([states[:, first : first + count] for first in range(width)], dim=-1)


def gated(values: Tensor) -> Tensor:
    """Return v([A; B]) = A * sigmoid(B), the gated linear unit, section 3.2.

    Parameters
    ----------
    values : Tensor, [..., 2 * d]
        A and B side by side.

    Returns
    -------
    Tensor, [..., d]

    Examples
    --------
    >>> gated(torch.tensor([4.0, 0.0])).tolist()
    [2.0]
    """
    return torch.nn.functional.glu(values, dim=-1)


def halved_sum(one: Tensor, other: Tensor) -> Tensor:
    """Return sqrt(0.5) (one + other), a residual connection of section 3.5.

    Parameters
    ----------
    one, other : Tensor, [..., d]
    """
    return (one + other) * HALVED
