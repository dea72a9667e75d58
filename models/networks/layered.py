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

        Parameters
        ----------
        memory
            What `encode` gave.
        state : tuple
            What each layer keeps of the tokens before.
        tokens : int64 Tensor, [batch, target]
            Ids.
        first : int
            Position of the first of them.

        Returns
        -------
        states : Tensor, [batch, target, d_output]
        state : tuple
            What each layer keeps now.
        """

    def decode_states(self, memory: Any, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Parameters
        ----------
        memory
            What `encode` gave.
        inputs : int64 Tensor, [batch, target]
            Ids of ``<s>``, y1, ...
        """
        return self.run(memory, self.start(memory), inputs, 0)[0]

    def step(self, memory: Any, state: tuple[Any, ...], token: Tensor, position: int) -> tuple[Tensor, tuple[Any, ...]]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Parameters
        ----------
        memory
            What `encode` gave.
        state : tuple
            What `start`, or the step before, gave.
        token : int64 Tensor, [batch]
            Ids.
        position : int
            Of the token, from 0.
        """
        states, state = self.run(memory, state, token[:, None], position)
        return self.logits(states[:, 0]), state
