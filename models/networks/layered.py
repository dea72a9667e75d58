"""A decoder of layers that reads any number of tokens at once: a forced pass is one call of it, a step another."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from torch import Tensor

from models.networks.base import TiedNetwork


class LayeredDecoder(TiedNetwork):
    """A translator whose decoder has no recurrence: what its layers keep is its state."""

    @abstractmethod
    def run(self, memory: Any, state: tuple[Any, ...], tokens: Tensor, first: int) -> tuple[Tensor, tuple[Any, ...]]:
        """Read `tokens` after those that are known.

        Shapes: `tokens` [batch, target]; returns [batch, target, d_output].
        """

    def decode_states(self, memory: Any, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        return self.run(memory, self.start(memory), inputs, 0)[0]

    def step(self, memory: Any, state: tuple[Any, ...], token: Tensor, position: int) -> tuple[Tensor, tuple[Any, ...]]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        states, state = self.run(memory, state, token[:, None], position)
        return self.logits(states[:, 0]), state
