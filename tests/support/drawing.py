"""Random parameters of networks, free of the generator that all of a process share."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def redrawn(network: Network, *, seed: int, std: float = 0.5) -> Network:
    """Draw every parameter of a network anew: a thread of an earlier test may draw from the common generator."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(std=std, generator=generator)
    return network
