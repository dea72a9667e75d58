"""A Transformer whose encoder does not know the order of its words: what positions are for, by leaving them out."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor

from models.messages import Message
from models.networks.base import TranslationNetwork
from models.networks.relative import RelativeTransformerNetwork
from models.networks.transformer import TransformerMemory, TransformerNetwork
from models.sites import Site
from models.translation.translator import Translator

NOTE = Message("positions removed: the encoder gets no word positions")


class WithoutSourcePositions(TranslationNetwork):
    """The network of a Transformer, sharing its parameters, with no positions added to what the encoder reads.

    The decoder is left alone: it knows the places of the words that it writes.
    """

    def __init__(self, network: TransformerNetwork) -> None:
        super().__init__()
        self.network = network
        blind = copy.copy(network)
        blind._buffers = {**network._buffers, "positions": torch.zeros_like(network.positions)}
        self.blind = blind

    @property
    def heads(self) -> dict[Site, int]:
        """How many heads read at each place: as many as in the network itself."""
        return self.network.heads

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> TransformerMemory:
        """Read `source` as a bag of words; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        return self.blind.encode(source, source_mask)

    def decode_states(self, memory: Any, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        return self.network.decode_states(memory, inputs)

    def logits(self, states: Tensor) -> Tensor:
        """Return the network's logits; see `models.networks.base.TranslationNetwork`.

        Shapes: `states` [..., d_output].
        """
        return self.network.logits(states)

    def start(self, memory: Any) -> Any:
        """Return the decoder's first state; see `models.networks.base.TranslationNetwork`."""
        return self.network.start(memory)

    def step(self, memory: Any, state: Any, token: Tensor, position: int) -> tuple[Tensor, Any]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        return self.network.step(memory, state, token, position)

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say that positions were removed; see `models.networks.base.TranslationNetwork`."""
        return (NOTE, *self.network.notes(source_tokens))


def without_positions(model: Translator) -> Translator:
    """Return `model` without positions in its encoder, its parameters shared; runs of `model` itself do not change."""
    network = _adding_positions(model)
    return Translator(model.entry, WithoutSourcePositions(network), model.tokenizer)


def encodings(model: Translator, count: int) -> Tensor:
    """Return what a Transformer adds to its first `count` tokens, one row a position: [count, d_model]."""
    return _adding_positions(model).positions[:count]


def _adding_positions(model: Translator) -> TransformerNetwork:
    """Return its network; TypeError if it adds no positions to its embeddings."""
    network = model.network
    if not isinstance(network, TransformerNetwork) or isinstance(network, RelativeTransformerNetwork):
        message = f"{model.key} adds no positions that could be left out"
        raise TypeError(message)
    return network
