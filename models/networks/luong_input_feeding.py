"""Global attention with input feeding: the attentional state enters the next step. Luong et al. 2015, section 3.3."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn

from models.networks.luong_scores import LuongNetwork
from models.networks.recurrent import RecurrentMemory
from models.softmax import full_precision


class LuongInputFeedingNetwork(LuongNetwork):
    """The general score with input feeding, section 3.3: s_t = LSTM(s_(t-1), [y_(t-1); attentional state of t-1]).

    The matrix on that input is kept as its two blocks of columns: the decoder's own on y, as in `LuongNetwork`, and
    `feed` on the attentional state. Before the first step that state is 0. `feed` begins at 0, so that weights of a
    sibling without it work as they did.

    Parameters
    ----------
    sizes
        See `LuongBase`.
    """

    def __init__(self, *, d_embedding: int = 256, d_encoder: int = 192, d_decoder: int = 384, **sizes: Any) -> None:
        super().__init__(d_embedding=d_embedding, d_encoder=d_encoder, d_decoder=d_decoder, **sizes)
        self.feed = nn.Linear(d_embedding, 4 * d_decoder, bias=False)
        nn.init.zeros_(self.feed.weight)

    def start(self, memory: RecurrentMemory) -> tuple[Tensor, Tensor, Tensor]:
        """Return (s_0, its cell), each [batch, d_decoder], and an attentional state of 0, [batch, d_embedding]."""
        hidden, cell = super().start(memory)
        return hidden[0], cell[0], hidden.new_zeros(hidden.shape[1], self.feed.in_features)

    def _read_in(self, embedded: Tensor) -> Tensor:
        """Return the part of the gates that comes from y, [..., 4 * d_decoder]."""
        weight, _, bias, _ = cast("list[Tensor]", self.decoder.all_weights[0])
        return nn.functional.linear(embedded, weight, bias)

    def _advance(
        self, memory: RecurrentMemory, state: tuple[Tensor, Tensor, Tensor], read_in: Tensor, position: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        hidden, cell, fed = state
        _, weight, _, bias = cast("list[Tensor]", self.decoder.all_weights[0])
        gates = read_in + self.feed(fed) + nn.functional.linear(hidden, weight, bias)  # [batch, 4 * d_decoder]
        enter, forget, new, leave = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(forget) * full_precision(cell) + torch.sigmoid(enter) * torch.tanh(new)
        hidden = torch.sigmoid(leave) * torch.tanh(cell)
        return hidden, cell, self.attentional(memory, hidden[:, None], position)[:, 0]

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        state, attentional = self.start(memory), []
        for position, read_in in enumerate(self._read_in(self.embed(inputs)).unbind(dim=1)):
            state = self._advance(memory, state, read_in, position)
            attentional.append(state[2])
        return torch.stack(attentional, dim=1)  # [batch, target, d_embedding]

    def step(
        self, memory: RecurrentMemory, state: tuple[Tensor, Tensor, Tensor], token: Tensor, position: int
    ) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor]]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        state = self._advance(memory, state, self._read_in(self.embed(token)), position)
        return self.logits(state[2]), state
