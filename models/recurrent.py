"""Recurrent translation networks, each with its paper's own data flow.

Bahdanau et al. 2015 query the encoder with the PREVIOUS decoder state, before the recurrent step, and the context
enters the recurrence. Luong et al. 2015 query with the CURRENT state, after the step, and the context enters only the
attentional state. Symbols: h encoder state, s decoder state, e score, a weight, c context, y embedded target token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.attention import additive_features_of_projections, general_scores
from models.hooks import AttentionWeights, HookPoint
from models.network import TiedNetwork
from models.sites import Site

CROSS = Site("decoder", 0, "cross")


@dataclass(frozen=True, slots=True)
class RecurrentMemory:
    """What a recurrent encoder leaves for the decoder.

    Parameters
    ----------
    states : Tensor, [batch, source, 2 * d_encoder]
        h_j: forward and backward state side by side.
    keys : Tensor, [batch, source, d]
        What scores are computed on: U h for the additive score, else h itself.
    mask : bool Tensor, [batch, 1, 1, source], or None
        True where a token is; None if nothing is padded.
    forward_end, backward_end : Tensor, [batch, d_encoder]
        The last state of either direction (the backward one has read the first token last).
    forward_cell, backward_cell : Tensor, [batch, d_encoder], or None
        An LSTM's cells beside them.
    """

    states: Tensor
    keys: Tensor
    mask: Tensor | None
    forward_end: Tensor
    backward_end: Tensor
    forward_cell: Tensor | None = None
    backward_cell: Tensor | None = None


class RecurrentEncoder(nn.Module):
    """One bidirectional recurrent layer: h_j = [h_forward_j; h_backward_j].

    Parameters
    ----------
    cell : {"gru", "lstm"}
    d_input, d_encoder : int
        Sizes of an embedding and of one direction's state.
    """

    def __init__(self, cell: str, d_input: int, d_encoder: int) -> None:
        super().__init__()
        kind = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        self.layer = kind(d_input, d_encoder, batch_first=True, bidirectional=True)

    def forward(self, embedded: Tensor, source_mask: Tensor | None) -> RecurrentMemory:
        """Read `embedded`, [batch, source, d_input], under `source_mask`, [batch, source]."""
        if source_mask is None or bool(source_mask.all()):
            states, last = self.layer(embedded)  # [batch, source, 2 * d_encoder]
            mask = None
        else:
            lengths = source_mask.sum(dim=1).cpu()
            packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
            states, last = self.layer(packed)
            states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
            mask = source_mask[:, None, None, :]  # [batch, 1, 1, source]
        ends, cells = last if isinstance(last, tuple) else (last, (None, None))
        return RecurrentMemory(states, states, mask, ends[0], ends[1], cells[0], cells[1])


class _RecurrentBase(TiedNetwork):
    """What both recurrent networks share: embedding, encoder, hooks of the cross-attention, output layer."""

    def __init__(self, cell: str, vocabulary: int, d_embedding: int, d_encoder: int, dropout: float) -> None:
        super().__init__(vocabulary, d_embedding)
        self.encoder = RecurrentEncoder(cell, d_embedding, d_encoder)
        self.dropout = nn.Dropout(dropout)
        self.attend = AttentionWeights(CROSS)
        self.hook_query = HookPoint(CROSS.at("query"))
        self.hook_key = HookPoint(CROSS.at("key"))
        self.hook_value = HookPoint(CROSS.at("value"))
        self.hook_context = HookPoint(CROSS.at("context"))
        self.hook_output = HookPoint(CROSS.at("output"))

    def embed(self, tokens: Tensor) -> Tensor:
        """Give [..., d_embedding] for [...] ids, scaled to unit variance."""
        return cast("Tensor", self.dropout(self.embedding(tokens) * self.embedding_scale))

    def read_context(self, scores: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Give c_i = sum_j a_ij h_j for `scores` [batch, query, source]: [batch, query, 2 * d_encoder]."""
        weights = self.attend(scores.unsqueeze(1), memory.mask, position)  # [batch, 1, query, source]
        values = memory.states.unsqueeze(1)  # [batch, 1, source, 2 * d_encoder]
        context = self.hook_context(weights.to(values.dtype) @ values, position)
        return context.squeeze(1)

    def show_memory(self, keys: Tensor, values: Tensor) -> None:
        """Fire the hooks of what is read, [batch, source, d]: once a run, before the first step."""
        self.hook_key(keys.unsqueeze(1))
        self.hook_value(values.unsqueeze(1))


class BahdanauNetwork(_RecurrentBase):
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

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.network.Network`."""
        memory = self.encoder(self.embed(source), source_mask)
        keys = self.key_weight(memory.states)  # [batch, source, d_attention]
        return RecurrentMemory(memory.states, keys, memory.mask, memory.forward_end, memory.backward_end)

    def start(self, memory: RecurrentMemory) -> Tensor:
        """Give s_0, [batch, d_decoder], and show what will be read to the hooks."""
        self.show_memory(memory.keys, memory.states)
        return torch.tanh(self.initial(memory.backward_end))

    def _advance(
        self, memory: RecurrentMemory, state: Tensor, embedded: Tensor, position: int
    ) -> tuple[Tensor, Tensor]:
        query = self.hook_query(state[:, None, None, :], position).squeeze(1)  # [batch, 1, d_decoder]
        features = additive_features_of_projections(self.query_weight(query), memory.keys)
        features = self.hook_features(features, position)  # [batch, 1, source, d_attention]
        scores = features @ self.score_vector.to(features.dtype)  # [batch, 1, source]
        context = self.read_context(scores, memory, position).squeeze(1)  # [batch, 2 * d_encoder]
        state = self.cell(torch.cat((embedded, context), dim=-1), state)  # [batch, d_decoder]
        return self.hook_output(state[:, None, None, :], position)[:, 0, 0], context

    def _readout(self, states: Tensor, embedded: Tensor, contexts: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat((states, embedded, contexts), dim=-1)))

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.network.Network`."""
        embedded = self.embed(inputs)  # [batch, target, d_embedding]
        state = self.start(memory)
        states, contexts = [], []
        for position, token in enumerate(embedded.unbind(dim=1)):
            state, context = self._advance(memory, state, token, position)
            states.append(state)
            contexts.append(context)
        return self._readout(torch.stack(states, dim=1), embedded, torch.stack(contexts, dim=1))

    def step(self, memory: RecurrentMemory, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Read one token; see `models.network.Network`."""
        embedded = self.embed(token)
        state, context = self._advance(memory, state, embedded, position)
        return self.logits(self._readout(state, embedded, context)), state


class LuongNetwork(_RecurrentBase):
    """Global attention with the general score, Luong et al. 2015, section 3.1.

    s_t = LSTM(s_(t-1), y_(t-1)); e_ts = s_t' W_a h_s; a = softmax(e); c_t = sum_s a_ts h_s;
    attentional state tanh(W_c [c_t; s_t]), equation 5; p(y_t) = softmax(E state + b), equation 6.
    No input feeding: the recurrence does not know the attention, so that a forced target is one pass.

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
        self.initial = nn.Linear(2 * d_encoder, d_decoder)
        self.initial_cell = nn.Linear(2 * d_encoder, d_decoder)
        self.decoder = nn.LSTM(d_embedding, d_decoder, batch_first=True)
        self.general_weight = nn.Parameter(torch.empty(d_decoder, 2 * d_encoder))  # W_a
        nn.init.xavier_uniform_(self.general_weight)
        self.combine = nn.Linear(2 * d_encoder + d_decoder, d_embedding)  # W_c

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.network.Network`."""
        return cast("RecurrentMemory", self.encoder(self.embed(source), source_mask))

    def start(self, memory: RecurrentMemory) -> tuple[Tensor, Tensor]:
        """Give (s_0, its cell), each [1, batch, d_decoder], and show what will be read to the hooks."""
        if memory.forward_cell is None or memory.backward_cell is None:
            message = "the memory of an LSTM encoder has cells; got none"
            raise TypeError(message)
        self.show_memory(memory.keys, memory.states)
        ends = torch.cat((memory.forward_end, memory.backward_end), dim=-1)
        cells = torch.cat((memory.forward_cell, memory.backward_cell), dim=-1)
        return torch.tanh(self.initial(ends))[None], self.initial_cell(cells)[None]

    def _attentional(self, memory: RecurrentMemory, states: Tensor, position: int) -> Tensor:
        query = self.hook_query(states.unsqueeze(1), position).squeeze(1)  # [batch, target, d_decoder]
        scores = general_scores(query, memory.keys, self.general_weight.to(query.dtype))
        context = self.read_context(scores, memory, position)  # [batch, target, 2 * d_encoder]
        attentional = torch.tanh(self.combine(torch.cat((context, states), dim=-1)))
        return self.hook_output(attentional.unsqueeze(1), position).squeeze(1)

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.network.Network`."""
        states, _ = self.decoder(self.embed(inputs), self.start(memory))  # [batch, target, d_decoder]
        return self._attentional(memory, states, 0)

    def step(
        self, memory: RecurrentMemory, state: tuple[Tensor, Tensor], token: Tensor, position: int
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Read one token; see `models.network.Network`."""
        layer = self.decoder  # one step as a cell: the same arithmetic, a quarter of the time of a sequence of one
        weights = cast("list[Tensor]", layer.all_weights[0])  # input, recurrent, and their biases
        hidden, cell = torch.lstm_cell(self.embed(token), (state[0][0], state[1][0]), *weights)
        attentional = self._attentional(memory, hidden[:, None], position)
        return self.logits(attentional[:, 0]), (hidden[None], cell[None])
