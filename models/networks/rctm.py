"""The recurrent continuous translation model: a pyramid of convolutions, then a recurrent language model.

Kalchbrenner and Blunsom 2013, RCTM I: the convolutional sentence model folds the source, by kernels that grow from
layer to layer, into one vector; a recurrent language model of the target gets it at every step. Neither has a map to
show. Their vectors stand at addresses: the embeddings at ``encoder.0.self.input``, each row above them at
``encoder.N.self.final``, what a step gets of the source at ``decoder.0.cross.context``, its state at
``decoder.0.cross.output``.

Symbols, the paper's: E_1, E_2, ... the rows of the pyramid, K^i and L^i its kernels of width i, e the vector at its
top, h the state of the language model, I, R, S and O what the input, the state before, the source and the output pass
through.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import VectorPoint
from models.networks.convolution import folded
from models.networks.fixed_vector import NOTE
from models.networks.folding import pyramid_widths
from models.networks.recurrent import CROSS, RecurrentNetwork, is_padded
from models.sites import Site

_ROWS = 64
"""So many rows of a pyramid are shown to a session: those of a text of several hundred tokens."""

_GAIN = 1.5
"""What tanh takes from a number of unit variance, given back when a kernel is drawn, so that high rows still vary."""


class SentencePyramid(nn.Module):
    """The convolutional sentence model: E_1 = the embeddings, E_i = tanh(K^i * E_(i-1)), e = tanh(L^j * E_last).

    Parameters
    ----------
    size : int
        q, of every vector.
    longest : int
        N, tokens of the longest text that needs no kernel twice.
    """

    def __init__(self, size: int, longest: int) -> None:
        super().__init__()
        self.widest = math.ceil((2 * longest) ** 0.5)  # r
        # [1, width, size], as no matrix: each feature is alone in it
        draws = [torch.randn(1, width, size) * (_GAIN / width**0.5) for width in range(2, self.widest + 1)]
        self.kernels = nn.ParameterList(draws)
        self.tops = nn.ParameterList([draw.clone() for draw in draws])
        self.hook_input = VectorPoint(Site("encoder", 0, "self", "input"))
        self.hook_rows = tuple(VectorPoint(Site("encoder", row, "self", "final")) for row in range(_ROWS))

    def forward(self, embedded: Tensor) -> list[Tensor]:
        """Return every row of the pyramid, [batch, cell, size]: `embedded` first, the one vector last.

        Shapes: `embedded` [batch, source, size].
        """
        rows = [self.hook_input(embedded)]
        widths = pyramid_widths(embedded.shape[1], self.widest)
        for place, width in enumerate(widths):
            kernels = self.tops if place == len(widths) - 1 else self.kernels
            row = torch.tanh(folded(rows[-1], kernels[width - 2][0]))
            rows.append(self.hook_rows[place](row) if place < _ROWS else row)
        return rows


class PyramidNetwork(RecurrentNetwork):
    """RCTM I, Kalchbrenner and Blunsom 2013, section 4.1: s = S e; h_t = tanh(I y_(t-1) + R h_(t-1) + s), h_0 = 0.

    p(y_t | e, y_1 ... y_(t-1)) = softmax(O h_t), with O = E (W h_t + w) + b here.

    Parameters
    ----------
    vocabulary : int
    d_model : int
        q, of an embedding, of every vector of the pyramid and of the state, which are one in the paper.
    dropout : float
        On embeddings.
    longest : int
        N, tokens of the longest text that needs no kernel twice.
    """

    def __init__(self, *, vocabulary: int, d_model: int = 256, dropout: float = 0.1, longest: int = 72) -> None:
        super().__init__(vocabulary, d_model, dropout)
        self.pyramid = SentencePyramid(d_model, longest)
        self.entering = nn.Linear(d_model, d_model, bias=False)  # I
        self.recurrence = nn.Linear(d_model, d_model, bias=False)  # R
        self.source = nn.Linear(d_model, d_model, bias=False)  # S
        self.readout = nn.Linear(d_model, d_model)  # W
        self.hook_context = VectorPoint(CROSS.at("context"))
        self.hook_output = VectorPoint(CROSS.at("output"))

    @property
    def heads(self) -> dict[Site, int]:
        """None: nothing is read but the one vector."""
        return {}

    def rows(self, source: Tensor) -> list[Tensor]:
        """Return the rows of the pyramid, [batch, cell, d_model], the embeddings first, the one vector e last.

        Shapes: `source` [batch, source].
        """
        return cast("list[Tensor]", self.pyramid(self.embed(source)))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """Read `source`; give e, [batch, d_model]. Texts of one length are folded together, each without its padding.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        if source_mask is None or not is_padded(source_mask):
            return self.rows(source)[-1][:, 0]
        lengths = source_mask.sum(dim=1)
        found: Tensor | None = None
        for length in sorted({*lengths.tolist()}):
            places = (lengths == length).nonzero()[:, 0]
            tops = self.rows(source[places, :length])[-1][:, 0]
            found = tops.new_zeros(len(source), tops.shape[1]) if found is None else found
            found = found.index_copy(0, places, tops)
        return cast("Tensor", found)

    def start(self, memory: Tensor) -> Tensor:
        """Return h_0 = 0, [batch, d_model]."""
        return torch.zeros_like(memory)

    def decode_states(self, memory: Tensor, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        state, states = self.start(memory), []
        given = self.source(memory)[:, None].expand(-1, inputs.shape[1], -1)  # s, the same at every step
        entering = self.entering(self.embed(inputs)) + self.hook_context(given)  # [batch, target, d_model]
        for each in entering.unbind(dim=1):
            state = torch.tanh(each + self.recurrence(state))
            states.append(state)
        return cast("Tensor", self.readout(self.hook_output(torch.stack(states, dim=1))))

    def step(self, memory: Tensor, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        given = self.hook_context(self.source(memory)[:, None], position)[:, 0]
        state = torch.tanh(self.entering(self.embed(token)) + given + self.recurrence(state))
        state = self.hook_output(state[:, None], position)[:, 0]
        return self.logits(self.readout(state)), state

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say that there is no map; see `models.networks.base.TranslationNetwork`."""
        return (NOTE,)
