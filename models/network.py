"""What every translation network offers: encode once, then decode step by step or in one forced pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import torch
from torch import Tensor, nn

PAD, BEGIN, END = 0, 1, 2
"""Vocabulary indices of ``<pad>``, ``<s>`` and ``</s>``, the same in every tokenizer."""


class TranslationNetwork(nn.Module, ABC):
    """An encoder, and a decoder that may read it.

    The two ways of decoding give the same logits and fire the same hooks (a test holds them together at 1e-5).
    `memory` and `state` are each network's own; callers only hand them on.
    """

    @abstractmethod
    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Any:
        """Read `source` ([batch, source] ids); `source_mask` ([batch, source], True where a token is) if padded."""

    @abstractmethod
    def decode_states(self, memory: Any, inputs: Tensor) -> Tensor:
        """Read `inputs` ([batch, target] ids: ``<s>``, y1, ...) in one pass; give [batch, target, d_output]."""

    @abstractmethod
    def logits(self, states: Tensor) -> Tensor:
        """Give logits [..., vocabulary] for states [..., d_output]."""

    @abstractmethod
    def start(self, memory: Any) -> Any:
        """Give the decoder's state before its first step."""

    @abstractmethod
    def step(self, memory: Any, state: Any, token: Tensor, position: int) -> tuple[Tensor, Any]:
        """Read `token` ([batch] ids) at `position`; give logits [batch, vocabulary] and the next state."""

    def decode(self, memory: Any, inputs: Tensor) -> Tensor:
        """Give logits [batch, target, vocabulary] for the forced target `inputs`."""
        return self.logits(self.decode_states(memory, inputs))

    def for_inference(self) -> Self:
        """Make the network ready to run, for good: dropout off, no gradients, its weights never changed again."""
        return self.eval().requires_grad_(False)


class TiedNetwork(TranslationNetwork):
    """A network whose source, target and output layer share one embedding, [vocabulary, size].

    Parameters
    ----------
    vocabulary, size : int
    """

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD].zero_()
        self.embedding_scale = size**0.5
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self._output_columns: Tensor | None = None

    def logits(self, states: Tensor) -> Tensor:
        """Give E x + b, [..., vocabulary], for states x, [..., size]."""
        if self._output_columns is None:
            return nn.functional.linear(states, self.embedding.weight, self.output_bias)
        return states @ self._output_columns + self.output_bias

    def for_inference(self) -> Self:
        """Make the network ready to run; keeps E' laid out by columns: one step's logits take a third of the time."""
        super().for_inference()
        self._output_columns = self.embedding.weight.detach().mT.contiguous()
        return self
