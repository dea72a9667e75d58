"""Two translators on memory tapes, Cheng, Dong and Lapata 2016, section 4: shallow and deep attention fusion.

Encoder and decoder are LSTMNs (`models.networks.memory_tape`). The encoder leaves two tapes, its hidden states and its
cells; the decoder attends to its own tape (intra-attention) and to the source (inter-attention).

- Shallow: the two are apart. The decoder is an LSTMN that knows no source; the context is read with its state, after
  the step, and enters the prediction.
- Deep: the source is read before the step, with the token read and what was read before, and its cells enter the
  decoder's own through a gate.

Symbols: x embedded target token, gamma and alpha hidden state and cell of a source token, gamma~ and alpha~ what was
read of them, h and c those of the target, h~ and c~ what was read of them, b score, p weight, r gate.

References
----------
Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import HookPoint
from models.networks.attention import additive_scores
from models.networks.memory_tape import Tape, TapeLayer
from models.networks.recurrent import CROSS, SourceMemory, SourceReader, is_padded
from models.sites import Site


@dataclass(frozen=True, slots=True)
class SourceTape(SourceMemory):
    """What the encoder leaves.

    Parameters
    ----------
    states : Tensor, [batch, source, d_hidden], deep 2 * d_hidden
        gamma_j; deep [gamma_j; alpha_j].
    keys, mask : Tensor
        See `SourceMemory`.
    hidden, cell : Tensor, [batch, d_hidden]
        Of the last token: what the decoder's first token reads.
    """

    hidden: Tensor
    cell: Tensor


@dataclass(frozen=True, slots=True)
class DecoderState:
    """What the decoder keeps between steps.

    Parameters
    ----------
    tape : Tape
        Its own.
    source_read : Tensor, [batch, d_hidden]
        gamma~ of the step before, 0 before the first; shallow fusion leaves it 0.
    """

    tape: Tape
    source_read: Tensor


class FusionNetwork(SourceReader):
    """What both ways share: an encoder and a decoder with a tape, and the additive score between them.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_hidden : int
        Of h, of c and of the hidden layers of all scores.
    dropout : float
        On embeddings.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int = 256, d_hidden: int = 256, dropout: float = 0.1) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.encoder = TapeLayer(Site("encoder", 0, "self"), d_embedding, d_hidden)
        self.decoder = TapeLayer(Site("decoder", 0, "self"), d_embedding, d_hidden)
        self.key_weight = nn.Linear(d_hidden, d_hidden, bias=False)  # W_gamma
        self.score_vector = nn.Parameter(torch.empty(d_hidden).uniform_(-1, 1) * d_hidden**-0.5)  # u
        self.hook_features = HookPoint(CROSS.at("features"))

    @property
    def heads(self) -> dict[Site, int]:
        """One head on each tape: the encoder on its own, the decoder on the source and on its own."""
        places = (Site("encoder", 0, "self"), CROSS, Site("decoder", 0, "self"))
        return dict.fromkeys(places, 1)

    @abstractmethod
    def weighed(self, hidden: Tensor, slots: Tensor) -> Tensor:
        """Return what the decoder reads of the source, [batch, source, d_value].

        Shapes: `hidden` [batch, source, d_hidden]; `slots` [batch, source, 2 * d_hidden].
        """

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> SourceTape:
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        mask = source_mask[:, None, None, :] if source_mask is not None and is_padded(source_mask) else None
        hidden, slots = self.encoder.read_text(self.embed(source), mask)
        last = torch.full((len(source),), source.shape[1] - 1, device=source.device)
        if source_mask is not None:
            last = source_mask.sum(dim=1) - 1
        end, cell = slots[torch.arange(len(source), device=source.device), last].chunk(2, dim=-1)
        return SourceTape(self.weighed(hidden, slots), self.key_weight(hidden), mask, end, cell)

    def start(self, memory: SourceTape) -> DecoderState:
        """Return a tape whose one slot is the encoder's last, and show what will be read to the hooks."""
        self.show_memory(memory)
        return DecoderState(self.decoder.first_tape(memory.hidden, memory.cell), torch.zeros_like(memory.hidden))

    def weigh(self, projected_query: Tensor, memory: SourceTape, position: int) -> Tensor:
        """Return p_j, [batch, 1, target, source], for what the query brings to the hidden layer.

        Shapes: `projected_query` [batch, target, d_hidden].
        """
        show = partial(self.hook_features, first_query=position)
        scores = additive_scores(projected_query, memory.keys, self.score_vector, show=show)
        return cast("Tensor", self.attend(scores.unsqueeze(1), memory.mask, position))

    @abstractmethod
    def advance(
        self, memory: SourceTape, state: DecoderState, embedded: Tensor, position: int
    ) -> tuple[Tensor, DecoderState]:
        """Return h_t, [batch, d_hidden], and the state after the step.

        Shapes: `embedded` [batch, d_embedding].
        """

    @abstractmethod
    def predict(self, memory: SourceTape, hidden: Tensor, position: int) -> Tensor:
        """Return what words are predicted from, [batch, target, d_embedding], for h_t, [batch, target, d_hidden].

        Shapes: `hidden` [batch, target, d_hidden].
        """

    def decode_states(self, memory: SourceTape, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        state, found = self.start(memory), []
        for position, embedded in enumerate(self.embed(inputs).unbind(dim=1)):
            hidden, state = self.advance(memory, state, self._shown(embedded, position), position)
            found.append(hidden)
        return self.predict(memory, torch.stack(found, dim=1), 0)

    def step(
        self, memory: SourceTape, state: DecoderState, token: Tensor, position: int
    ) -> tuple[Tensor, DecoderState]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        hidden, state = self.advance(memory, state, self._shown(self.embed(token), position), position)
        return self.logits(self.predict(memory, hidden[:, None], position)[:, 0]), state

    def _shown(self, embedded: Tensor, position: int) -> Tensor:
        return self.decoder.hook_input(embedded[:, None, None], position)[:, 0, 0]
