"""Cross entropy through the output layer, in blocks that stay in the cache: no [token, vocabulary] array is kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

BLOCK = 384  # rows; 384 x 8,000 float32 logits take 12 MB, which a processor's cache holds


class _OutputLoss(torch.autograd.Function):
    """Loss and all gradients in one go, so that each block of logits is made once and thrown away."""

    @staticmethod
    def forward(
        context: Any, states: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, smoothing: float, precision: Any
    ) -> Tensor:
        count, vocabulary = labels.numel(), weight.shape[0]
        low_states, low_weight = states.to(precision), weight.to(precision)
        state_gradient = torch.empty_like(low_states)
        weight_gradient = torch.zeros_like(weight)
        bias_gradient = torch.zeros_like(bias)
        total = torch.zeros((), dtype=torch.float64, device=states.device)
        for start in range(0, count, BLOCK):
            block = slice(start, start + BLOCK)
            logits = (low_states[block] @ low_weight.mT).to(weight.dtype).add_(bias)  # [row, vocabulary]
            wanted = logits.gather(1, labels[block, None]).squeeze(1)
            mean = logits.mean(dim=1)
            peak = logits.amax(dim=1, keepdim=True)
            gradient = logits.sub_(peak).exp_()
            sums = gradient.sum(dim=1, keepdim=True)
            normaliser = (sums.log() + peak).squeeze(1)
            total += (normaliser - (1 - smoothing) * wanted - smoothing * mean).sum()
            gradient.mul_(1 / (sums * count)).sub_(smoothing / (vocabulary * count))
            gradient.scatter_add_(1, labels[block, None], torch.full_like(wanted, -(1 - smoothing) / count)[:, None])
            bias_gradient += gradient.sum(dim=0)
            low_gradient = gradient.to(precision)
            state_gradient[block] = low_gradient @ low_weight
            weight_gradient += low_gradient.mT @ low_states[block]
        context.save_for_backward(state_gradient.to(states.dtype), weight_gradient, bias_gradient)
        return (total / count).to(weight.dtype)

    @staticmethod
    def backward(context: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        scale = outputs[0]
        states, weight, bias = context.saved_tensors
        return states * scale, weight * scale, bias * scale, None, None, None


def output_loss(
    states: Tensor,
    weight: Tensor,
    bias: Tensor,
    labels: Tensor,
    *,
    ignore: int,
    smoothing: float = 0.0,
    precision: torch.dtype = torch.float32,
) -> Tensor:
    """Return the mean cross entropy of softmax(states weight' + bias) against `labels`, with label smoothing.

    Equal to ``torch.nn.functional.cross_entropy`` on the logits (a test holds them together).

    Shapes: `states` [..., d_model]; `weight` [vocabulary, d_model]; `bias` [vocabulary]; `labels` [...].
    """
    kept = labels != ignore
    result: Tensor = _OutputLoss.apply(states[kept], weight, bias, labels[kept], smoothing, precision)  # type: ignore[no-untyped-call]
    return result
