"""A Long Short-Term Memory-Network, Cheng, Dong and Lapata 2016: an LSTM whose memory is a tape of all it has been.

An LSTM goes on from its last state and its last cell. This one keeps those of every token on a tape, and goes on from
a weighted sum of them: the weights are intra-attention, of the token that is read over all tokens before it.
Symbols: x embedded token, h hidden state, c memory cell, a score, s weight; h~ and c~ what was read of the tape.

References
----------
Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.hooks.session import OPEN
from models.networks.attention import additive_scores, weighted_sum
from models.networks.memory_models import MEMORY, LanguageModel


class LSTMN(LanguageModel):
    """A language model on a memory tape.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_hidden : int
        Of h, of c and of the hidden layer of the score.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int, d_hidden: int) -> None:
        super().__init__(vocabulary, d_embedding)
        self.d_hidden = d_hidden
        self.key_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_h
        self.input_weight = nn.Linear(d_embedding, d_hidden, bias=False)  # W_x
        self.read_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_h~
        self.score_vector = nn.Parameter(torch.empty(d_hidden).uniform_(-(d_hidden**-0.5), d_hidden**-0.5))  # v
        self.gates = nn.Linear(d_hidden + d_embedding, 4 * d_hidden)  # W
        self.output_weight = nn.Linear(d_hidden, d_embedding, bias=False)
        with torch.no_grad():
            self.gates.bias.zero_()
            self.gates.bias[d_hidden : 2 * d_hidden] = 1  # so that the cells remember to begin with
        self.attention = AttentionWeights(MEMORY)
        self.hook_input = HookPoint(MEMORY.at("input"))
        self.hook_query = HookPoint(MEMORY.at("query"))
        self.hook_key = HookPoint(MEMORY.at("key"))
        self.hook_value = HookPoint(MEMORY.at("value"))
        self.hook_features = HookPoint(MEMORY.at("features"))
        self.hook_context = HookPoint(MEMORY.at("context"))
        self.hook_output = HookPoint(MEMORY.at("output"))

    def states(self, ids: Tensor) -> Tensor:
        """Return W_o h_t, [batch, token, d_embedding]: as large as an embedding, so that one table serves both.

        Parameters
        ----------
        ids : int64 Tensor, [batch, token]
        """
        embedded = self.hook_input(self.embed(ids)[:, None])[:, 0]
        from_input = self.input_weight(embedded)  # W_x x_t
        batch, tokens, _ = embedded.shape
        read = embedded.new_zeros(batch, self.d_hidden)
        tape: list[Tensor] = [torch.cat([read, read], dim=-1)[:, None]]  # before the first token one empty slot
        keys: list[Tensor] = [self.key_weight(read)[:, None]]
        found = []
        for step in range(tokens):
            query = self.hook_query((from_input[:, step] + self.read_weight(read))[:, None, None], step)
            key, value = (torch.cat(each[min(step, 1) :], dim=1)[:, None] for each in (keys, tape))
            weights = self._weights(query, key, step, tokens)[..., : key.shape[2]]  # [batch, 1, 1, slot]
            joined = self.hook_context(weighted_sum(weights, value), step)[:, 0, 0]
            read, cell = joined.chunk(2, dim=-1)  # h~_t and c~_t, equation 6
            hidden, cell = self._step(read, embedded[:, step], cell)
            tape.append(self.hook_value(torch.cat([hidden, cell], dim=-1)[:, None, None], step)[:, 0])
            keys.append(self.hook_key(self.key_weight(hidden)[:, None, None], step)[:, 0])
            found.append(hidden)
        states = self.hook_output(torch.stack(found, dim=1)[:, None])[:, 0]
        return cast("Tensor", self.output_weight(states))

    def _weights(self, query: Tensor, key: Tensor, step: int, tokens: int) -> Tensor:
        """Return s^t, equations 4 and 5: [batch, 1, 1, slot], and where hooks look 0 for each token from this one on.

        Its last axis is then as long as the text, so that a record of all steps has one column a token.
        """
        if OPEN.get() is None:
            return cast("Tensor", self.attention(additive_scores(query, key, self.score_vector), None, step))
        ahead = tokens - key.shape[2]
        wide = nn.functional.pad(key, (0, 0, 0, ahead))  # [batch, 1, token, d_hidden]

        def show(features: Tensor) -> Tensor:  # [batch, 1, 1, token, d]
            return self.hook_features(features[:, 0], step)[:, None]

        scores = additive_scores(query, wide, self.score_vector, show=show)
        return cast("Tensor", self.attention(scores, torch.arange(tokens) < key.shape[2], step))

    def _step(self, read: Tensor, embedded: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Return h_t and c_t, equations 7 to 9."""
        into, keep, out, new = self.gates(torch.cat([read, embedded], dim=-1)).chunk(4, dim=-1)
        cell = keep.sigmoid() * cell + into.sigmoid() * new.tanh()
        return out.sigmoid() * cell.tanh(), cell
