"""A choice drawn from a row of probabilities, and a gradient through it, as pure functions.

A categorical variable is drawn by adding Gumbel noise to the logarithms of its probabilities and taking the largest
sum; a softmax in the place of that choice has a gradient.

Symbols: a probability, g Gumbel noise, tau temperature.

References
----------
Xu et al. 2015, Show, Attend and Tell: Neural Image Caption Generation with Visual Attention.
Jang, Gu and Poole 2017, Categorical Reparameterization with Gumbel-Softmax.
Maddison, Mnih and Teh 2017, The Concrete Distribution.
Bengio, Leonard and Courville 2013, Estimating or Propagating Gradients Through Stochastic Neurons.
"""

from __future__ import annotations

import torch
from torch import Tensor


def noisy_logarithms(probabilities: Tensor, noise: Tensor) -> Tensor:
    """Return log a_j + g_j, Jang et al. 2017, equation 1: the largest is at j with the probability a_j.

    Parameters
    ----------
    probabilities : Tensor, [..., key]
        a, from 0; what has none keeps none under any noise, and gets no gradient.
    noise : Tensor, [..., key]
        g, of a standard Gumbel distribution; 0 for the likeliest.

    Returns
    -------
    Tensor, [..., key]

    Examples
    --------
    >>> noisy_logarithms(torch.tensor([1.0, 0.0]), torch.tensor([0.5, 9.0])).tolist()
    [0.5, -inf]
    """
    logarithms = probabilities.clamp_min(torch.finfo(probabilities.dtype).tiny).log()
    return torch.where(probabilities > 0, logarithms, -torch.inf) + noise


def chosen(noisy: Tensor) -> Tensor:
    """Return the choice one_hot(argmax_j (log a_j + g_j)), Jang et al. 2017, equation 1; of equal ones the first.

    Parameters
    ----------
    noisy : Tensor, [..., key]
        What `noisy_logarithms` gave.

    Returns
    -------
    Tensor, [..., key]
        One 1, all others 0.

    Examples
    --------
    >>> chosen(torch.tensor([0.2, 0.7, 0.1])).tolist()
    [0.0, 1.0, 0.0]
    """
    return torch.zeros_like(noisy).scatter_(-1, noisy.argmax(dim=-1, keepdim=True), 1)


def relaxed(noisy: Tensor, temperature: float) -> Tensor:
    """Return softmax((log a_j + g_j) / tau), Jang et al. 2017, equation 2: the choice itself as tau goes to 0.

    Parameters
    ----------
    noisy : Tensor, [..., key]
        What `noisy_logarithms` gave.
    temperature : float
        tau, above 0.

    Returns
    -------
    Tensor, [..., key]
    """
    return (noisy / temperature).softmax(dim=-1)


def straight_through(choice: Tensor, soft: Tensor) -> Tensor:
    """Return the choice with the gradient of its relaxation, Jang et al. 2017, section 2.2.

    Parameters
    ----------
    choice : Tensor, [..., key]
        z: what goes on, number by number.
    soft : Tensor, [..., key]
        y: where the gradient goes, as if dz / dy were 1.

    Returns
    -------
    Tensor, [..., key]
    """
    return choice + (soft - soft.detach())


def gumbel_noise(like: Tensor) -> Tensor:
    """Return g = -log(-log u) for u uniform in 0 to 1, Jang et al. 2017, section 2.1, drawn by torch's generator.

    Parameters
    ----------
    like : Tensor
        Whose shape and precision it gets.

    Returns
    -------
    Tensor
    """
    return -torch.empty_like(like).exponential_().clamp_min(torch.finfo(like.dtype).tiny).log()
