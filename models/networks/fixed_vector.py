"""Translation before attention: the source becomes one vector of fixed size, and the decoder reads nothing else.

Cho et al. 2014 give the vector to every step of the decoder; Sutskever et al. 2014 start the decoder from it and read
the source in reverse. Neither has a map to show. Symbols: see `models.networks.recurrent`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.messages import Message
from models.networks.recurrent import LAYERS, RecurrentNetwork, is_padded, run_layer, step_lstm
from models.sites import Site

NOTE = Message("no attention: the decoder knows the source only through one vector")


class OneWayEncoder(nn.Module):
    """One recurrent layer that reads left to right, of which the last state is kept.

    Parameters
    ----------
    cell : {"gru", "lstm"}
    d_input, d_encoder : int
    """

    def __init__(self, cell: str, d_input: int, d_encoder: int) -> None:
        super().__init__()
        self.layer = LAYERS[cell](d_input, d_encoder, batch_first=True)

    def forward(self, embedded: Tensor, source_mask: Tensor | None) -> Any:
        """Read `embedded`, [batch, source, d_input]; give h_N, [1, batch, d_encoder], with its cell for an LSTM.

        Shapes: `embedded` [batch, source, d_input]; `source_mask` [batch, source].
        """
        return run_layer(self.layer, embedded, source_mask)[1]


def reverse_words(source: Tensor, source_mask: Tensor | None = None) -> Tensor:
    """Turn the tokens of each text round, the closing ``</s>`` (the last of a text, whatever it reads) left last.

    Parameters
    ----------
    source : int64 Tensor, [batch, source]
    source_mask : bool Tensor, [batch, source], optional
        True where a token is; padding stays where it is.

    Examples
    --------
    >>> reverse_words(torch.tensor([[5, 6, 7, 2]])).tolist()
    [[7, 6, 5, 2]]
    """
    if source_mask is None or not is_padded(source_mask):
        return torch.cat((source[:, :-1].flip(1), source[:, -1:]), dim=1)
    words = source_mask.sum(dim=1, keepdim=True) - 1  # [batch, 1]
    places = torch.arange(source.shape[1], device=source.device)[None]
    return source.gather(1, torch.where(places < words, words - 1 - places, places))


@dataclass(frozen=True, slots=True)
class LastState:
    """What Sutskever's encoder leaves: its last state and cell, each [1, batch, d_decoder]."""

    hidden: Tensor
    cell: Tensor


class Seq2SeqNetwork(RecurrentNetwork):
    """Sequence to sequence, Sutskever et al. 2014: the decoder starts where the encoder ended.

    (v, its cell) = LSTM over x_N ... x_1 </s>; s_0 = v; s_t = LSTM(s_(t-1), y_(t-1));
    p(y_t | v, y_1 ... y_(t-1)) = softmax(E (R s_t + r) + b), equation 1 and figure 1.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_decoder : int
        Of the encoder too.
    dropout : float
        On embeddings.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int = 256, d_decoder: int = 384, dropout: float = 0.1) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.encoder = OneWayEncoder("lstm", d_embedding, d_decoder)
        self.decoder = nn.LSTM(d_embedding, d_decoder, batch_first=True)
        self.readout = nn.Linear(d_decoder, d_embedding)  # R

    @property
    def heads(self) -> dict[Site, int]:
        """None: nothing is read but the one vector."""
        return {}

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> LastState:
        """Read `source` in reverse; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        return LastState(*self.encoder(self.embed(reverse_words(source, source_mask)), source_mask))

    def start(self, memory: LastState) -> tuple[Tensor, Tensor]:
        """Return (s_0, its cell), each [1, batch, d_decoder]: the encoder's last."""
        return memory.hidden, memory.cell

    def decode_states(self, memory: LastState, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        states, _ = self.decoder(self.embed(inputs), self.start(memory))  # [batch, target, d_decoder]
        return cast("Tensor", self.readout(states))

    def step(
        self, memory: LastState, state: tuple[Tensor, Tensor], token: Tensor, position: int
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        state = step_lstm(self.decoder, self.embed(token), state)
        return self.logits(self.readout(state[0][0])), state

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say that there is no map; see `models.networks.base.TranslationNetwork`."""
        return (NOTE,)


class EncoderDecoderNetwork(RecurrentNetwork):
    """RNN encoder-decoder, Cho et al. 2014, section 2.2 and appendix A: the summary c enters every step.

    h_N = GRU over x_1 ... x_N </s>; c = tanh(V h_N); s_0 = tanh(V' c); s_t = GRU(s_(t-1), [y_(t-1); c]);
    p(y_t) = softmax(E tanh(O [s_t; y_(t-1); c]) + b).

    Parameters
    ----------
    vocabulary, d_embedding, d_encoder, d_decoder : int
    d_summary : int
        Of c.
    dropout : float
        On embeddings.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_embedding: int = 256,
        d_encoder: int = 384,
        d_decoder: int = 384,
        d_summary: int = 512,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.encoder = OneWayEncoder("gru", d_embedding, d_encoder)
        self.summary = nn.Linear(d_encoder, d_summary, bias=False)  # V
        self.initial = nn.Linear(d_summary, d_decoder, bias=False)  # V'
        self.cell = nn.GRUCell(d_embedding + d_summary, d_decoder)
        self.readout = nn.Linear(d_decoder + d_embedding + d_summary, d_embedding)  # O

    @property
    def heads(self) -> dict[Site, int]:
        """None: nothing is read but the one vector."""
        return {}

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """Read `source`; give c, [batch, d_summary].

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        return torch.tanh(self.summary(self.encoder(self.embed(source), source_mask)[0]))

    def start(self, memory: Tensor) -> Tensor:
        """Return s_0, [batch, d_decoder]."""
        return torch.tanh(self.initial(memory))

    def _readout(self, states: Tensor, read_in: Tensor) -> Tensor:
        return torch.tanh(self.readout(torch.cat((states, read_in), dim=-1)))

    def decode_states(self, memory: Tensor, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        embedded = self.embed(inputs)  # [batch, target, d_embedding]
        summary = memory[:, None].expand(-1, inputs.shape[1], -1)  # [batch, target, d_summary]
        read_in = torch.cat((embedded, summary.to(embedded.dtype)), dim=-1)
        cell = self.cell  # all steps in one go: nothing but the target enters them
        weights = [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
        start = self.start(memory)[None].to(embedded.dtype)
        states, _ = torch.gru(read_in, start, weights, True, 1, 0.0, self.training, False, True)
        return self._readout(states, read_in)

    def step(self, memory: Tensor, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        read_in = torch.cat((self.embed(token), memory), dim=-1)
        state = self.cell(read_in, state)
        return self.logits(self._readout(state, read_in)), state

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say that there is no map; see `models.networks.base.TranslationNetwork`."""
        return (NOTE,)
