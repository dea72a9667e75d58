"""Recurrent networks: what all share, and Bahdanau's, with its paper's own data flow.

Bahdanau et al. 2015 query the encoder with the PREVIOUS decoder state, before the recurrent step, and the context
enters the recurrence. Luong et al. 2015 (`models.networks.luong`) query with the CURRENT state, after the step, and the
context enters only the attentional state. `models.networks.fixed_vector` has the two before them, which read no state
but the last.
Symbols: h encoder state, s decoder state, e score, a weight, c context, y embedded target token.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.networks.attention import additive_scores, weighted_sum
from models.networks.base import TiedNetwork
from models.sites import Site

CROSS = Site("decoder", 0, "cross")
LAYERS = {"gru": nn.GRU, "lstm": nn.LSTM}


@dataclass(frozen=True, slots=True)
class RecurrentMemory:
    """What a recurrent encoder leaves for a decoder that attends.

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


def is_padded(source_mask: Tensor | None) -> bool:
    """Return whether `source_mask`, [batch, source], hides anything.

    Parameters
    ----------
    source_mask : bool Tensor, [batch, source], or None
    """
    return source_mask is not None and not bool(source_mask.all())


def run_layer(layer: nn.Module, embedded: Tensor, source_mask: Tensor | None) -> tuple[Tensor, Any]:
    """Let a GRU or an LSTM read `embedded`, [batch, source, d_input], each text up to its own end.

    Parameters
    ----------
    layer : nn.GRU or nn.LSTM
    embedded : Tensor, [batch, source, d_input]
    source_mask : bool Tensor, [batch, source], or None
        True where a token is.

    Returns
    -------
    states : Tensor, [batch, source, d]
        0 where padding is.
    last : Tensor, [direction, batch, d_encoder], or two
        The last state of each direction; an LSTM's cells beside it.
    """
    if source_mask is None or not is_padded(source_mask):
        states, last = layer(embedded)
        return states, last
    lengths = source_mask.sum(dim=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
    states, last = layer(packed)
    states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
    return states, last


def step_lstm(layer: nn.LSTM, embedded: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Let `layer` read one token, [batch, d_input], as a cell: a quarter of the time of a sequence of one.

    Parameters
    ----------
    layer : LSTM
        Of one layer and one direction.
    embedded : Tensor, [batch, d_input]
    state : tuple of Tensor, each [1, batch, d]
        (s_(t-1), its cell).

    Returns
    -------
    tuple of Tensor, each [1, batch, d]
        (s_t, its cell).
    """
    weights = cast("list[Tensor]", layer.all_weights[0])  # input, recurrent, and their biases
    hidden, cell = torch.lstm_cell(embedded, (state[0][0], state[1][0]), *weights)
    return hidden[None], cell[None]


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
        self.layer = LAYERS[cell](d_input, d_encoder, batch_first=True, bidirectional=True)

    def forward(self, embedded: Tensor, source_mask: Tensor | None) -> RecurrentMemory:
        """Read `embedded`, [batch, source, d_input], under `source_mask`, [batch, source].

        Parameters
        ----------
        embedded : Tensor, [batch, source, d_input]
        source_mask : bool Tensor, [batch, source], or None
            True where a token is.
        """
        states, last = run_layer(self.layer, embedded, source_mask)  # [batch, source, 2 * d_encoder]
        mask = source_mask[:, None, None, :] if source_mask is not None and is_padded(source_mask) else None
        ends, cells = last if isinstance(last, tuple) else (last, (None, None))
        return RecurrentMemory(states, states, mask, ends[0], ends[1], cells[0], cells[1])


class RecurrentNetwork(TiedNetwork):
    """What all recurrent networks share: one embedding, with dropout.

    Parameters
    ----------
    vocabulary, d_embedding : int
    dropout : float
        On embeddings.
    """

    def __init__(self, vocabulary: int, d_embedding: int, dropout: float) -> None:
        super().__init__(vocabulary, d_embedding)
        self.dropout = nn.Dropout(dropout)

    def embed(self, tokens: Tensor) -> Tensor:
        """Return [..., d_embedding] for [...] ids, scaled to unit variance.

        Parameters
        ----------
        tokens : int64 Tensor, [...]
            Ids.
        """
        return cast("Tensor", self.dropout(self.embedding(tokens) * self.embedding_scale))


class AttentiveNetwork(RecurrentNetwork):
    """What those that attend share: a bidirectional encoder and the hooks of the cross-attention.

    Parameters
    ----------
    cell : {"gru", "lstm"}
        Of the encoder.
    vocabulary, d_embedding, d_encoder : int
    dropout : float
        On embeddings.
    """

    def __init__(self, cell: str, vocabulary: int, d_embedding: int, d_encoder: int, dropout: float) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.encoder = RecurrentEncoder(cell, d_embedding, d_encoder)
        self.attend = AttentionWeights(CROSS)
        self.hook_query = HookPoint(CROSS.at("query"))
        self.hook_key = HookPoint(CROSS.at("key"))
        self.hook_value = HookPoint(CROSS.at("value"))
        self.hook_context = HookPoint(CROSS.at("context"))
        self.hook_output = HookPoint(CROSS.at("output"))

    @property
    def heads(self) -> dict[Site, int]:
        """One head, on the source."""
        return {CROSS: 1}

    def read_context(self, weights: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return c_i = sum_j a_ij h_j for `weights` [batch, 1, query, source]: [batch, query, 2 * d_encoder].

        Parameters
        ----------
        weights : Tensor, [batch, 1, query, source]
        memory : RecurrentMemory
        position : int
            Of the first query, from 0.
        """
        values = memory.states.unsqueeze(1)  # [batch, 1, source, 2 * d_encoder]
        context = self.hook_context(weighted_sum(weights, values), position)
        return context.squeeze(1)

    def show_memory(self, memory: RecurrentMemory) -> None:
        """Fire the hooks of what is read: once a run, before the first step.

        Parameters
        ----------
        memory : RecurrentMemory
        """
        self.hook_key(memory.keys.unsqueeze(1))
        self.hook_value(memory.states.unsqueeze(1))


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

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`."""
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
        """Read a forced target; see `models.networks.base.TranslationNetwork`."""
        embedded = self.embed(inputs)  # [batch, target, d_embedding]
        state = self.start(memory)
        states, contexts = [], []
        for position, token in enumerate(embedded.unbind(dim=1)):
            state, context = self._advance(memory, state, token, position)
            states.append(state)
            contexts.append(context)
        return self._readout(torch.stack(states, dim=1), embedded, torch.stack(contexts, dim=1))

    def step(self, memory: RecurrentMemory, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Read one token; see `models.networks.base.TranslationNetwork`."""
        embedded = self.embed(token)
        state, context = self._advance(memory, state, embedded, position)
        return self.logits(self._readout(state, embedded, context)), state
