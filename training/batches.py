"""Batches: which pairs an epoch shows, those of one source length together, as tensors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.vocabulary import BEGIN, END, PAD
from training.data import EncodedPairs


@dataclass(frozen=True)
class Batch:
    """One batch; every source has the same length, so that no source is padded."""

    source: Tensor  # [batch, source] Closed by ``</s>``
    inputs: Tensor  # [batch, target] ``<s>``, y1, ... and y1, ..., ``</s>``, padded.
    labels: Tensor  # [batch, target] ``<s>``, y1, ... and y1, ..., ``</s>``, padded.

    def to(self, device: str) -> Batch:
        """Return the same batch on `device`."""
        return Batch(self.source.to(device), self.inputs.to(device), self.labels.to(device))


def shown_in(repeats: NDArray[np.float64], epoch: int, seed: int) -> NDArray[np.int64]:
    """Return how often `epoch` shows each pair: as whole numbers whose mean over the epochs is `repeats`.

    Each pair begins at a place of its own between two epochs, so that a half shows one half of the pairs in the first
    epoch and the other half in the second.

    Shapes: `repeats` [pair]; returns [pair].
    """
    begin = np.random.default_rng(seed).integers(0, 1 << 20, len(repeats)) / (1 << 20)
    until, since = np.floor(repeats * (epoch + 1) + begin), np.floor(repeats * epoch + begin)
    return (until - since).astype(np.int64)


def epoch_batches(pairs: EncodedPairs, tokens: int, epoch: int, seed: int) -> list[NDArray[np.int64]]:
    """Cut one epoch into batches of pair indices: one source length each, alike target lengths, shuffled."""
    generator = np.random.default_rng((seed, epoch))
    order = generator.permutation(np.repeat(np.arange(len(pairs.repeats)), shown_in(pairs.repeats, epoch, seed)))
    source, target = pairs.source.lengths[order], pairs.target.lengths[order] + 1
    order = order[np.lexsort((target + generator.integers(0, 3, target.size), source))]
    source, target = pairs.source.lengths[order], pairs.target.lengths[order] + 1
    starts = [0]
    longest = 0
    for index in range(order.size):
        longest = max(longest, int(target[index]))
        if index > starts[-1] and (source[index] != source[index - 1] or longest * (index - starts[-1] + 1) > tokens):
            starts.append(index)
            longest = int(target[index])
    cuts = list(pairwise((*starts, order.size)))
    return [order[a:b] for a, b in (cuts[index] for index in generator.permutation(len(cuts)))]


def make_batch(pairs: EncodedPairs, indices: NDArray[np.int64]) -> Batch:
    """Gather the pairs at `indices`, which have one source length.

    Shapes: `indices` [pair].
    """
    targets = [pairs.target[int(index)].astype(np.int64) for index in indices]
    width = max(len(target) for target in targets) + 1
    inputs = np.full((len(targets), width), PAD, dtype=np.int64)
    labels = inputs.copy()
    inputs[:, 0] = BEGIN
    for row, target in enumerate(targets):
        inputs[row, 1 : len(target) + 1] = target
        labels[row, : len(target)] = target
        labels[row, len(target)] = END
    source = np.stack([np.append(pairs.source[int(index)].astype(np.int64), END) for index in indices])
    return Batch(torch.from_numpy(source), torch.from_numpy(inputs), torch.from_numpy(labels))
