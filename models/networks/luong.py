"""The data flow of Luong's networks, without a score. Luong, Pham and Manning 2015, sections 3 and 3.1.

s_t = LSTM(s_(t-1), y_(t-1)); a_t is computed with s_t, after the step; c_t = sum_s a_ts h_s; the attentional state
tanh(W_c [c_t; s_t]), equation 5, predicts: p(y_t) = softmax(E state + b), equation 6. What gives e_ts differs
from class to class: `models.networks.luong_scores`, `models.networks.luong_input_feeding`,
`models.networks.luong_local`.
Symbols: see `models.networks.recurrent`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.networks.recurrent import AttentiveNetwork, RecurrentMemory, step_lstm


class LuongBase(AttentiveNetwork):
    """The data flow without a score. The recurrence does not know the attention: a forced target is one pass.

    The decoder's first state and cell are the encoder's last ones, both directions side by side, where the sizes agree;
    else tanh of a linear map of the states, and a linear map of the cells.

    Parameters
    ----------
    vocabulary, d_embedding, d_encoder, d_decoder : int
    dropout : float
        On embeddings.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_embedding: int = 256,
        d_encoder: int = 256,
        d_decoder: int = 384,
        dropout: float = 0.1,
    ) -> None:
        super().__init__("lstm", vocabulary, d_embedding, d_encoder, dropout)
        self.copies_ends = d_decoder == 2 * d_encoder
        if not self.copies_ends:
            self.initial = nn.Linear(2 * d_encoder, d_decoder)
            self.initial_cell = nn.Linear(2 * d_encoder, d_decoder)
        self.decoder = nn.LSTM(d_embedding, d_decoder, batch_first=True)
        self.combine = nn.Linear(2 * d_encoder + d_decoder, d_embedding)  # W_c

    @property
    def moving(self) -> Tensor:
        """The columns of W_c that the context meets, [d_embedding, 2 * d_encoder]."""
        return self.combine.weight[:, : self.combine.in_features - self.decoder.hidden_size]

    @abstractmethod
    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return e_ts, [batch, target, source], for s_t, [batch, target, d_decoder], the first at `position`.

        Shapes: `query` [batch, target, d_decoder]; returns [batch, target, source].
        """

    def mask(self, memory: RecurrentMemory) -> Tensor | None:
        """Return what may be read, [batch, 1, 1, source]: what is not padding; None if that is all."""
        return memory.mask

    def weigh(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return a_ts, [batch, 1, target, source], for s_t, [batch, target, d_decoder].

        Shapes: `query` [batch, target, d_decoder].
        """
        scores = self.scores(query, memory, position).unsqueeze(1)
        return cast("Tensor", self.attend(scores, self.mask(memory), position))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        return cast("RecurrentMemory", self.encoder(self.embed(source), source_mask))

    def start(self, memory: RecurrentMemory) -> Any:
        """Return (s_0, its cell), each [1, batch, d_decoder], and show what will be read to the hooks."""
        if memory.forward_cell is None or memory.backward_cell is None:
            message = "the memory of an LSTM encoder has cells; got none"
            raise TypeError(message)
        self.show_memory(memory)
        ends = torch.cat((memory.forward_end, memory.backward_end), dim=-1)
        cells = torch.cat((memory.forward_cell, memory.backward_cell), dim=-1)
        if self.copies_ends:
            return ends[None], cells[None]
        return torch.tanh(self.initial(ends))[None], self.initial_cell(cells)[None]

    def attentional(self, memory: RecurrentMemory, states: Tensor, position: int) -> Tensor:
        """Return tanh(W_c [c_t; s_t]), [batch, target, d_embedding], for s_t, [batch, target, d_decoder].

        Shapes: `states` [batch, target, d_decoder].
        """
        query = self.hook_query(states.unsqueeze(1), position).squeeze(1)
        context = self.read_context(self.weigh(query, memory, position), memory, position)
        attentional = torch.tanh(self.combine(torch.cat((context, states), dim=-1)))
        return self.hook_output(attentional.unsqueeze(1), position).squeeze(1)

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        states, _ = self.decoder(self.embed(inputs), self.start(memory))  # [batch, target, d_decoder]
        return self.attentional(memory, states, 0)

    def step(self, memory: RecurrentMemory, state: Any, token: Tensor, position: int) -> tuple[Tensor, Any]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        state = step_lstm(self.decoder, self.embed(token), state)
        attentional = self.attentional(memory, state[0].transpose(0, 1), position)  # [batch, 1, d_embedding]
        return self.logits(attentional[:, 0]), state
