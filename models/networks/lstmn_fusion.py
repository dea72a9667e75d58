"""The two ways of section 4 of Cheng, Dong and Lapata 2016: `models.networks.lstmn_translation` has what they share."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from models.networks.lstmn_translation import DecoderState, FusionNetwork, SourceTape


class ShallowFusionNetwork(FusionNetwork):
    """Shallow attention fusion: intra-attention in the decoder, then inter-attention with the state that it gave.

    h_t = LSTMN(x_t); b_tj = u' tanh(W_gamma gamma_j + W h_t); p = softmax(b); gamma~_t = sum_j p_tj gamma_j;
    p(y_t) = softmax(E tanh(W_c [gamma~_t; h_t]) + b).

    Parameters
    ----------
    vocabulary, d_embedding, d_hidden : int
    dropout : float
        On embeddings.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int = 256, d_hidden: int = 256, dropout: float = 0.1) -> None:
        super().__init__(vocabulary=vocabulary, d_embedding=d_embedding, d_hidden=d_hidden, dropout=dropout)
        self.query_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W
        self.combine = nn.Linear(2 * d_hidden, d_embedding)  # W_c

    @property
    def moving(self) -> Tensor:
        """The columns of W_c that the context meets, [d_embedding, d_hidden]."""
        return self.combine.weight[:, : self.decoder.d_hidden]

    def weighed(self, hidden: Tensor, slots: Tensor) -> Tensor:
        """Return gamma, the hidden tape alone; see `FusionNetwork`.

        Shapes: `hidden` [batch, source, d_hidden]; `slots` [batch, source, 2 * d_hidden].
        """
        return hidden

    def advance(
        self, memory: SourceTape, state: DecoderState, embedded: Tensor, position: int
    ) -> tuple[Tensor, DecoderState]:
        """Go one step on the decoder's own tape, which knows no source; see `FusionNetwork`.

        Shapes: `embedded` [batch, d_embedding].
        """
        hidden, tape = self.decoder.advance(state.tape, embedded, position, wide=position + 1)
        hidden = self.decoder.hook_output(hidden[:, None, None], position)[:, 0, 0]
        return hidden, DecoderState(tape, state.source_read)

    def predict(self, memory: SourceTape, hidden: Tensor, position: int) -> Tensor:
        """Return tanh(W_c [gamma~_t; h_t]), the source read with h_t; see `FusionNetwork`.

        Shapes: `hidden` [batch, target, d_hidden].
        """
        query = self.hook_query(hidden.unsqueeze(1), position).squeeze(1)
        context = self.read_context(self.weigh(self.query_weight(query), memory, position), memory, position)
        found = torch.tanh(self.combine(torch.cat((context, hidden), dim=-1)))
        return self.hook_output(found.unsqueeze(1), position).squeeze(1)


class DeepFusionNetwork(FusionNetwork):
    """Deep attention fusion: what is read of the source enters the decoder's cell, through a gate.

    b_tj = u' tanh(W_gamma gamma_j + W_x x_t + W_gamma~ gamma~_(t-1)); p = softmax(b);
    [gamma~_t; alpha~_t] = sum_j p_tj [gamma_j; alpha_j]; r_t = sigmoid(W_r [gamma~_t; x_t]);
    c_t = r_t alpha~_t + f_t c~_t + i_t c^_t; h_t = o_t tanh(c_t); p(y_t) = softmax(E (W_o h_t) + b).

    Parameters
    ----------
    vocabulary, d_embedding, d_hidden : int
    dropout : float
        On embeddings.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int = 256, d_hidden: int = 256, dropout: float = 0.1) -> None:
        super().__init__(vocabulary=vocabulary, d_embedding=d_embedding, d_hidden=d_hidden, dropout=dropout)
        self.input_weight = nn.Linear(d_embedding, d_hidden, bias=False)  # W_x
        self.read_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_gamma~
        self.transfer = nn.Linear(d_hidden + d_embedding, d_hidden)  # W_r
        self.output_weight = nn.Linear(d_hidden, d_embedding, bias=False)  # W_o

    @property
    def moving(self) -> Tensor:
        """What takes alpha of [gamma; alpha], [d_hidden, 2 * d_hidden]: it enters the cell as it is, gamma its gate."""
        d_hidden = self.decoder.d_hidden
        return torch.eye(2 * d_hidden).to(self.transfer.weight)[d_hidden:]

    def weighed(self, hidden: Tensor, slots: Tensor) -> Tensor:
        """Return [gamma; alpha], both tapes; see `FusionNetwork`.

        Shapes: `hidden` [batch, source, d_hidden]; `slots` [batch, source, 2 * d_hidden].
        """
        return slots

    def advance(
        self, memory: SourceTape, state: DecoderState, embedded: Tensor, position: int
    ) -> tuple[Tensor, DecoderState]:
        """Read both tapes, then step; see `FusionNetwork`.

        Shapes: `embedded` [batch, d_embedding].
        """
        query = self.input_weight(embedded) + self.read_weight(state.source_read)
        query = self.hook_query(query[:, None, None], position).squeeze(1)  # [batch, 1, d_hidden]
        joined = self.read_context(self.weigh(query, memory, position), memory, position)[:, 0]
        source_read, source_cell = joined.chunk(2, dim=-1)  # gamma~_t and alpha~_t
        read, cell = self.decoder.read_tape(state.tape, embedded, position, wide=position + 1)
        kept, out = self.decoder.update(read, embedded, cell)
        gate = self.transfer(torch.cat((source_read, embedded), dim=-1)).sigmoid()  # r_t
        cell = gate * source_cell + kept
        hidden = out * cell.tanh()
        tape = self.decoder.write(state.tape, hidden, cell, read, position)
        hidden = self.decoder.hook_output(hidden[:, None, None], position)[:, 0, 0]
        return self.hook_output(hidden[:, None, None], position)[:, 0, 0], DecoderState(tape, source_read)

    def predict(self, memory: SourceTape, hidden: Tensor, position: int) -> Tensor:
        """Return W_o h_t; see `FusionNetwork`.

        Shapes: `hidden` [batch, target, d_hidden].
        """
        return cast("Tensor", self.output_weight(hidden))
