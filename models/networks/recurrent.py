"""What all recurrent networks share: how they read, and the hooks of those that attend.

Bahdanau et al. 2015 (`models.networks.bahdanau`) query the encoder with the PREVIOUS decoder state, before the
recurrent step, and the context enters the recurrence. Luong et al. 2015 (`models.networks.luong`) query with the
CURRENT state, after the step, and the context enters only the attentional state. `models.networks.fixed_vector` has the
two before them, which read no state but the last.
Symbols: h encoder state, s decoder state, e score, a weight, c context, y embedded target token.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.networks.attention import weighted_sum
from models.networks.base import TiedNetwork
from models.networks.moved import GramPoint
from models.sites import Site

CROSS = Site("decoder", 0, "cross")


LAYERS = {"gru": nn.GRU, "lstm": nn.LSTM}


@dataclass(frozen=True, slots=True)
class SourceMemory:
    """What an encoder leaves for a decoder that attends.

    Parameters
    ----------
    states : Tensor, [batch, source, d_value]
        What is weighed and summed: h_j.
    keys : Tensor, [batch, source, d]
        What scores are computed on: U h for the additive score, else h itself.
    mask : bool Tensor, [batch, 1, 1, source], or None
        True where a token is; None if nothing is padded.
    """

    states: Tensor
    keys: Tensor
    mask: Tensor | None


@dataclass(frozen=True, slots=True)
class RecurrentMemory(SourceMemory):
    """What an encoder of two directions leaves: h_j is the forward and the backward state side by side.

    Parameters
    ----------
    states, keys, mask : Tensor
        See `SourceMemory`; the states are [batch, source, 2 * d_encoder].
    forward_end, backward_end : Tensor, [batch, d_encoder]
        The last state of either direction (the backward one has read the first token last).
    forward_cell, backward_cell : Tensor, [batch, d_encoder], or None
        An LSTM's cells beside them.
    """

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

        Shapes: `embedded` [batch, source, d_input]; `source_mask` [batch, source].
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

        Shapes: `tokens` [...].
        """
        return cast("Tensor", self.dropout(self.embedding(tokens) * self.embedding_scale))


class SourceReader(RecurrentNetwork):
    """What those that attend share: the hooks of the cross-attention.

    Parameters
    ----------
    vocabulary, d_embedding : int
    dropout : float
        On embeddings.
    """

    def __init__(self, vocabulary: int, d_embedding: int, dropout: float) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.attend = AttentionWeights(CROSS)
        self.hook_query = HookPoint(CROSS.at("query"))
        self.hook_key = HookPoint(CROSS.at("key"))
        self.hook_value = HookPoint(CROSS.at("value"))
        self.hook_gram = GramPoint(CROSS)
        self.hook_context = HookPoint(CROSS.at("context"))
        self.hook_output = HookPoint(CROSS.at("output"))

    @property
    def heads(self) -> dict[Site, int]:
        """One head, on the source."""
        return {CROSS: 1}

    @property
    @abstractmethod
    def moving(self) -> Tensor | None:
        """The matrix that the context passes through first, [d_out, d_value]; None if it enters as it is."""

    def read_context(self, weights: Tensor, memory: SourceMemory, position: int) -> Tensor:
        """Return c_i = sum_j a_ij h_j for `weights` [batch, 1, query, source]: [batch, query, d_value].

        Shapes: `weights` [batch, 1, query, source].
        """
        values = memory.states.unsqueeze(1)  # [batch, 1, source, d_value]
        context = self.hook_context(weighted_sum(weights, values), position)
        return context.squeeze(1)

    def show_memory(self, memory: SourceMemory) -> None:
        """Fire the hooks of what is read: once a run, before the first step."""
        self.hook_key(memory.keys.unsqueeze(1))
        values = self.hook_value(memory.states.unsqueeze(1))
        self.hook_gram.show(values, self.moving)


class AttentiveNetwork(SourceReader):
    """What those with a bidirectional encoder share, which attend to its states.

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
