"""Linear maps of transformers models: one whose weights stay in float16, and the matrix of any, however it is kept."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers.pytorch_utils import Conv1D


class HalfLinear(nn.Linear):
    """A linear map whose weights are in float16, and computed with in float32."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the map of `input`."""
        return F.linear(input, self.weight.float(), self.bias)


_PLAIN = (nn.Linear.forward, HalfLinear.forward, Conv1D.forward)

TOLERANCE = 1e-3
"""How far a module may be from the linear map of its unpacked matrix, by its largest number."""


def matrix_of(module: nn.Module) -> Tensor | None:
    """Return the matrix of a linear map, [d_out, d_in], as `torch.nn.Linear` has it; None if the map is not linear.

    A packed matrix (quantised, or with an adapter beside it) is unpacked: by what the module makes of unit vectors.
    """
    weight: Any = module.weight
    if type(module).forward in _PLAIN and type(weight) in (Tensor, nn.Parameter) and weight.is_floating_point():
        return cast("Tensor", weight.T if isinstance(module, Conv1D) else weight)
    return _unpacked(module, weight)


def _unpacked(module: Any, weight: Tensor) -> Tensor | None:
    size = int(getattr(module, "in_features", weight.shape[-1]))
    kinds = [each.dtype for each in (*module.parameters(), *module.buffers()) if each.is_floating_point()]
    dtype = kinds[0] if kinds else torch.float32
    units = torch.eye(size, dtype=dtype, device=weight.device)
    tried = torch.linspace(-1, 1, size, dtype=dtype, device=weight.device)[None]
    given = module.forward(torch.cat((torch.zeros_like(tried), tried, units))).float()
    matrix, expected = given[2:] - given[0], given[1] - given[0]
    off = (expected - tried[0].float() @ matrix).abs().max()
    return matrix.T if off <= TOLERANCE * expected.abs().max() else None
