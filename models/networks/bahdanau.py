"""Bahdanau's network, with its paper's own data flow. Bahdanau et al. 2015, section 3 and appendix A.

It queries the encoder with the PREVIOUS decoder state, before the recurrent step; the context enters the recurrence.
Symbols: see `models.networks.recurrent`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import HookPoint
from models.networks.attention import additive_scores
from models.networks.recurrent import CROSS, AttentiveNetwork, RecurrentMemory


class BahdanauNetwork(AttentiveNetwork):
    """Additive attention, Bahdanau et al. 2015, section 3 and appendix A.

    s_0 = tanh(W_s h_backward_1); e_ij = v' tanh(W s_(i-1) + U h_j); a = softmax(e); c_i = sum_j a_ij h_j;
    s_i = GRU(s_(i-1), [y_(i-1); c_i]); p(y_i) = softmax(E tanh(W_t [s_i; y_(i-1); c_i]) + b).

    Parameters
    ----------
    vocabulary, d_embedding, d_encoder, d_decoder, d_attention : int
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
        d_attention: int = 256,
        dropout: float = 0.1,
    ) -> None:
        super().__init__("gru", vocabulary, d_embedding, d_encoder, dropout)
        self.initial = nn.Linear(d_encoder, d_decoder)
        self.query_weight = nn.Linear(d_decoder, d_attention, bias=False)  # W
        self.key_weight = nn.Linear(2 * d_encoder, d_attention, bias=False)  # U
        self.score_vector = nn.Parameter(torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5)  # v
        self.cell = nn.GRUCell(d_embedding + 2 * d_encoder, d_decoder)
        self.readout = nn.Linear(d_decoder + d_embedding + 2 * d_encoder, d_embedding)  # W_t
        self.hook_features = HookPoint(CROSS.at("features"))

    @property
    def moving(self) -> Tensor:
        """C above C_o, appendix A: what a context adds to the new state and to the word, [rows, 2 * d_encoder]."""
        d_context = self.key_weight.in_features
        new_state = self.cell.weight_ih[2 * self.cell.hidden_size :, -d_context:]  # below the two gates
        return torch.cat((new_state, self.readout.weight[:, -d_context:]))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        memory = cast("RecurrentMemory", self.encoder(self.embed(source), source_mask))
        keys = self.key_weight(memory.states)  # [batch, source, d_attention]
        return replace(memory, keys=keys)

    def start(self, memory: RecurrentMemory) -> Tensor:
        """Return s_0, [batch, d_decoder], and show what will be read to the hooks."""
        self.show_memory(memory)
        return torch.tanh(self.initial(memory.backward_end))

    def _advance(
        self, memory: RecurrentMemory, state: Tensor, embedded: Tensor, position: int
    ) -> tuple[Tensor, Tensor]:
        query = self.hook_query(state[:, None, None, :], position).squeeze(1)  # [batch, 1, d_decoder]
        show = partial(self.hook_features, first_query=position)
        scores = additive_scores(self.query_weight(query), memory.keys, self.score_vector, show=show)
        weights = self.attend(scores.unsqueeze(1), memory.mask, position)  # [batch, 1, 1, source]
        context = self.read_context(weights, memory, position).squeeze(1)  # [batch, 2 * d_encoder]
        state = self.cell(torch.cat((embedded, context), dim=-1), state)  # [batch, d_decoder]
        return self.hook_output(state[:, None, None, :], position)[:, 0, 0], context

    def _readout(self, states: Tensor, embedded: Tensor, contexts: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat((states, embedded, contexts), dim=-1)))

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        embedded = self.embed(inputs)  # [batch, target, d_embedding]
        state = self.start(memory)
        states, contexts = [], []
        for position, token in enumerate(embedded.unbind(dim=1)):
            state, context = self._advance(memory, state, token, position)
            states.append(state)
            contexts.append(context)
        return self._readout(torch.stack(states, dim=1), embedded, torch.stack(contexts, dim=1))

    def step(self, memory: RecurrentMemory, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        embedded = self.embed(token)
        state, context = self._advance(memory, state, embedded, position)
        return self.logits(self._readout(state, embedded, context)), state
