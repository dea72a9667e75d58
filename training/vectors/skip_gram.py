"""Skip-gram with negative sampling: the equation, and two tables that it is learned in."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid


def negative_sampling_loss(centre: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    """Return what a pair costs, in nats, k negatives counted in: equation 4 of Mikolov et al. 2013, its sign turned.

    -log s(v'_O . v_I) - sum_{i=1..k} log s(-v'_i . v_I), with s the logistic function, v_I the vector of the word,
    v'_O that by which its neighbour is predicted, v'_i those of words drawn from the noise.

    Shapes: `centre` [pair, d]; `context` [pair, d]; `negatives` [pair, k, d]; returns [pair].
    """
    true = logsigmoid((context * centre).sum(dim=-1))  # [pair]
    false = logsigmoid(-torch.bmm(negatives, centre[:, :, None])[:, :, 0])  # [pair, k]
    return -(true + false.sum(dim=-1))


class SkipGram(nn.Module):
    """Two tables of vectors, of equal shape."""

    def __init__(self, words: int, width: int, seed: int) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        self.input = nn.Parameter((torch.rand(words, width, generator=chance) - 0.5) / width)
        self.output = nn.Parameter(torch.zeros(words, width))

    def forward(self, centres: Tensor, contexts: Tensor, negatives: Tensor) -> Tensor:
        """Return what each pair costs; see `negative_sampling_loss`.

        Shapes: `centres` [pair]; `contexts` [pair]; `negatives` [pair, k]; returns [pair].
        """
        pairs, drawn = negatives.shape
        predicted = torch.cat([contexts[:, None], negatives], dim=1)  # [pair, 1 + k]
        rows = self.output.index_select(0, predicted.flatten()).view(pairs, 1 + drawn, -1)
        centre = self.input.index_select(0, centres)
        return negative_sampling_loss(centre, rows[:, 0], rows[:, 1:])
