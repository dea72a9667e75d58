"""The memory tape of an LSTMN, Cheng, Dong and Lapata 2016, section 3.2: what its language model and translators share.

An LSTM goes on from its last state and its last cell. An LSTMN keeps those of every token on a tape, and goes on from
a weighted sum of them: the weights are intra-attention, of the token that is read over all tokens before it.
Symbols: x embedded token, h hidden state, c memory cell, a score, s weight; h~ and c~ what was read of the tape.

References
----------
Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.hooks.session import OPEN
from models.networks.attention import additive_scores, weighted_sum
from models.networks.moved import GramPoint
from models.sites import Site


@dataclass(frozen=True, slots=True)
class Tape:
    """What was written so far; nothing changes it, so that a decoder may go on from it twice.

    Parameters
    ----------
    slots : Tensor, [batch, slot, 2 * d_hidden]
        [h_j; c_j] of every token; before the first token one slot that is no token's.
    keys : Tensor, [batch, slot, d_hidden]
        W_h h_j.
    read : Tensor, [batch, d_hidden]
        h~ of the step before; 0 before the first.
    """

    slots: Tensor
    keys: Tensor
    read: Tensor


class TapeReader(nn.Module):
    """Reads and writes a tape. A network is one (`models.networks.lstmn`), or has one as a layer (`TapeLayer`)."""

    def make_tape(self, place: Site, d_input: int, d_hidden: int) -> None:
        """Make the weights and hooks, the last thing that a constructor does."""
        self.d_hidden = d_hidden
        self.key_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_h
        self.input_weight = nn.Linear(d_input, d_hidden, bias=False)  # W_x
        self.read_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_h~
        self.score_vector = nn.Parameter(torch.empty(d_hidden).uniform_(-(d_hidden**-0.5), d_hidden**-0.5))  # v
        self.gates = nn.Linear(d_hidden + d_input, 4 * d_hidden)  # W
        with torch.no_grad():
            self.gates.bias.zero_()
            self.gates.bias[d_hidden : 2 * d_hidden] = 1  # so that the cells remember to begin with
        self.attention = AttentionWeights(place)
        self.hook_input = HookPoint(place.at("input"))
        self.hook_query = HookPoint(place.at("query"))
        self.hook_key = HookPoint(place.at("key"))
        self.hook_value = HookPoint(place.at("value"))
        self.hook_features = HookPoint(place.at("features"))
        self.hook_gram = GramPoint(place)
        self.hook_context = HookPoint(place.at("context"))
        self.hook_output = HookPoint(place.at("output"))

    def first_tape(self, hidden: Tensor, cell: Tensor) -> Tape:
        """Return the tape that the first token reads: one slot, [h; c].

        Shapes: `hidden` [batch, d_hidden]; `cell` [batch, d_hidden].
        """
        slots = torch.cat([hidden, cell], dim=-1)[:, None]
        return Tape(slots, self.key_weight(hidden)[:, None], torch.zeros_like(hidden))

    def read_tape(
        self, tape: Tape, embedded: Tensor, step: int, *, wide: int, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return h~_t and c~_t, equations 4 to 6, each [batch, d_hidden].

        Shapes: `embedded` [batch, d_input]; `mask` [batch, 1, 1, wide].
        """
        query = self.input_weight(embedded) + self.read_weight(tape.read)
        query = self.hook_query(query[:, None, None], step)  # [batch, 1, 1, d_hidden]
        keys, slots = tape.keys[:, None], tape.slots[:, None]
        weights = self._weights(query, keys, step, wide, mask)[..., : keys.shape[2]]  # [batch, 1, 1, slot]
        joined = self.hook_context(weighted_sum(weights, slots), step)[:, 0, 0]
        hidden, cell = joined.chunk(2, dim=-1)
        return hidden, cell

    def _weights(self, query: Tensor, key: Tensor, step: int, wide: int, mask: Tensor | None) -> Tensor:
        """Return s^t, equations 4 and 5: [batch, 1, 1, slot]; where hooks look, 0 for each token from this one on."""
        if OPEN.get() is None:
            return cast("Tensor", self.attention(additive_scores(query, key, self.score_vector), None, step))
        known = key.shape[2]
        padded = nn.functional.pad(key, (0, 0, 0, wide - known))  # [batch, 1, wide, d_hidden]

        def show(features: Tensor) -> Tensor:  # [batch, 1, 1, wide, d]
            return self.hook_features(features[:, 0], step)[:, None]

        scores = additive_scores(query, padded, self.score_vector, show=show)
        written = torch.arange(wide) < known
        return cast("Tensor", self.attention(scores, written if mask is None else written & mask, step))

    def update(self, read: Tensor, embedded: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Return f c~ + i c^, equations 7 and 8, and the output gate o, each [batch, d_hidden].

        Shapes: `read` [batch, d_hidden]; `cell` [batch, d_hidden]; `embedded` [batch, d_input].
        """
        into, keep, out, new = self.gates(torch.cat([read, embedded], dim=-1)).chunk(4, dim=-1)
        return keep.sigmoid() * cell + into.sigmoid() * new.tanh(), out.sigmoid()

    def write(self, tape: Tape, hidden: Tensor, cell: Tensor, read: Tensor, step: int) -> Tape:
        """Return the tape with [h_t; c_t] on it; the slot before the first token goes when the first is written.

        Shapes: `hidden` [batch, d_hidden]; `cell` [batch, d_hidden]; `read` [batch, d_hidden].
        """
        slot = self.hook_value(torch.cat([hidden, cell], dim=-1)[:, None, None], step)
        self.hook_gram.show(slot, self.moving, step)
        slot = slot[:, 0]
        key = self.hook_key(self.key_weight(hidden)[:, None, None], step)[:, 0]
        if step == 0:
            return Tape(slot, key, read)
        return Tape(torch.cat([tape.slots, slot], dim=1), torch.cat([tape.keys, key], dim=1), read)

    @property
    def moving(self) -> Tensor:
        """What [h~; c~] meets in the new cell, [2 * d_hidden, 2 * d_hidden]: h~ the rows of W for c^, c~ as it is."""
        new = self.gates.weight[3 * self.d_hidden :, : self.d_hidden]
        found: Tensor = torch.block_diag(new, torch.eye(self.d_hidden).to(new))  # type: ignore[no-untyped-call]
        return found

    def advance(
        self, tape: Tape, embedded: Tensor, step: int, *, wide: int, mask: Tensor | None = None
    ) -> tuple[Tensor, Tape]:
        """Read one token: h_t, [batch, d_hidden], equation 9, and the tape with it.

        Shapes: `embedded` [batch, d_input]; `mask` [batch, 1, 1, wide].
        """
        read, cell = self.read_tape(tape, embedded, step, wide=wide, mask=mask)
        cell, out = self.update(read, embedded, cell)
        hidden = out * cell.tanh()
        return hidden, self.write(tape, hidden, cell, read, step)

    def read_text(self, embedded: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Read a whole text; give h and [h; c] of each token, [batch, token, d_hidden] and twice as wide.

        Shapes: `embedded` [batch, token, d_input]; `mask` [batch, 1, 1, token].
        """
        embedded = self.hook_input(embedded[:, None])[:, 0]
        zeros = embedded.new_zeros(len(embedded), self.d_hidden)
        tape = self.first_tape(zeros, zeros)
        found = []
        for step, each in enumerate(embedded.unbind(dim=1)):
            hidden, tape = self.advance(tape, each, step, wide=embedded.shape[1], mask=mask)
            found.append(hidden)
        return self.hook_output(torch.stack(found, dim=1)[:, None])[:, 0], tape.slots


class TapeLayer(TapeReader):
    """A tape as a layer of a network: its encoder, or its decoder.

    Parameters
    ----------
    place : Site
    d_input, d_hidden : int
    """

    def __init__(self, place: Site, d_input: int, d_hidden: int) -> None:
        super().__init__()
        self.make_tape(place, d_input, d_hidden)
