"""What every translation network offers: encode once, then decode step by step or in one forced pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

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
