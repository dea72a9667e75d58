"""The captioner of Xu et al. 2015, sections 3.1, 4.1 and 4.2, on scenes of nine cells.

A convolutional network gives one annotation vector a_i for each cell. An LSTM writes a word a step; before the step its
PREVIOUS state queries the annotations with the additive score, and the context enters the recurrence, as in
`models.networks.bahdanau`. Soft attention reads the mean under the weights, hard attention one cell
(`models.networks.hard`). Symbols: a annotation, h state of the LSTM, z context, beta its gate, y embedded word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import HookPoint
from models.networks.attention import additive_scores
from models.networks.hard import ChosenWeights
from models.networks.recurrent import CROSS, SourceMemory, SourceReader
from models.scenes.drawing import PIXELS, tiles
from models.scenes.things import CELLS, SIDE

State = tuple[Tensor, Tensor]


class SceneEncoder(nn.Module):
    """Three convolutions over the drawn scene: one annotation vector a cell, which knows its place and the whole.

    Parameters
    ----------
    d_annotation : int
    channels : sequence of int
        Of the first two convolutions.
    """

    tiles: Tensor

    def __init__(self, d_annotation: int, channels: Sequence[int]) -> None:
        super().__init__()
        first, second = channels
        self.register_buffer("tiles", torch.from_numpy(tiles().copy()), persistent=False)
        self.edges = nn.Conv2d(3, first, 3, padding=1)
        self.corners = nn.Conv2d(first, second, 3, padding=1)
        self.things = nn.Conv2d(second, d_annotation, PIXELS // 4, stride=PIXELS // 4)
        self.whole = nn.Linear(2 * d_annotation, d_annotation)
        self.place = nn.Parameter(torch.randn(CELLS, d_annotation) * 0.5)

    def forward(self, scene: Tensor) -> Tensor:
        """Return a_i, [batch, cell, d_annotation], of what is in the cells.

        Shapes: `scene` [batch, cell].
        """
        cells = self.tiles[scene].view(len(scene), SIDE, SIDE, 3, PIXELS, PIXELS)  # [batch, row, column, ...]
        picture = cells.permute(0, 3, 1, 4, 2, 5).reshape(len(scene), 3, SIDE * PIXELS, SIDE * PIXELS)
        seen = nn.functional.max_pool2d(torch.relu(self.edges(picture)), 2)
        seen = nn.functional.max_pool2d(torch.relu(self.corners(seen)), 2)
        things = torch.relu(self.things(seen)).flatten(2).mT  # [batch, cell, d_annotation]
        every = things.mean(dim=1, keepdim=True).expand_as(things)
        return things + torch.relu(self.whole(torch.cat((things, every), dim=-1))) + self.place


class ShowTellNetwork(SourceReader):
    """Show, attend and tell, Xu et al. 2015, on scenes.

    h_0, c_0 = tanh(W mean(a)); e_ti = v' tanh(W h_(t-1) + U a_i); alpha = softmax(e); z_t = beta_t sum_i alpha_ti a_i,
    beta_t = sigmoid(f h_(t-1)); h_t = LSTM(h_(t-1), [E y_(t-1); z_t]);
    p(y_t) = softmax(E (E y_(t-1) + L_h h_t + L_z z_t) + b).

    Parameters
    ----------
    vocabulary, d_embedding, d_annotation, d_decoder, d_attention : int
    channels : sequence of int
        Of the first two convolutions.
    hard : bool
        Whether one cell is read a step, which is drawn from the row in training.
    temperature : float
        tau of the relaxation whose gradient hard attention takes in training.
    dropout : float
        On embeddings, and on h_t before the output.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_embedding: int = 64,
        d_annotation: int = 96,
        d_decoder: int = 128,
        d_attention: int = 64,
        channels: Sequence[int] = (8, 16),
        hard: bool = False,
        temperature: float = 1.0,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(vocabulary, d_embedding, dropout)
        self.encoder = SceneEncoder(d_annotation, channels)
        if hard:
            self.attend = ChosenWeights(CROSS, temperature)
        self.initial = nn.Linear(d_annotation, 2 * d_decoder)
        self.query_weight = nn.Linear(d_decoder, d_attention, bias=False)  # W
        self.key_weight = nn.Linear(d_annotation, d_attention)  # U
        self.score_vector = nn.Parameter(torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5)  # v
        self.gate = nn.Linear(d_decoder, 1)  # f_beta
        self.cell = nn.LSTMCell(d_embedding + d_annotation, d_decoder)
        self.state_output = nn.Linear(d_decoder, d_embedding, bias=False)  # L_h
        self.context_output = nn.Linear(d_annotation, d_embedding)  # L_z
        self.hook_features = HookPoint(CROSS.at("features"))

    @property
    def moving(self) -> Tensor:
        """What a context adds to the new cell and to the word, [rows, d_annotation]."""
        d_decoder, d_annotation = self.cell.hidden_size, self.context_output.in_features
        candidate = self.cell.weight_ih[2 * d_decoder : 3 * d_decoder, -d_annotation:]
        return torch.cat((candidate, self.context_output.weight))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> SourceMemory:
        """Read scenes; no cell is ever padding. See `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, cell]; `source_mask` [batch, cell].
        """
        annotations = self.encoder(source)
        return SourceMemory(annotations, self.key_weight(annotations), None)

    def start(self, memory: SourceMemory) -> State:
        """Return h_0 and c_0, each [batch, d_decoder], and show what will be read to the hooks."""
        self.show_memory(memory)
        hidden, cell = torch.tanh(self.initial(memory.states.mean(dim=1))).chunk(2, dim=-1)
        return hidden, cell

    def _advance(self, memory: SourceMemory, state: State, embedded: Tensor, position: int) -> tuple[State, Tensor]:
        query = self.hook_query(state[0][:, None, None, :], position).squeeze(1)  # [batch, 1, d_decoder]
        show = partial(self.hook_features, first_query=position)
        scores = additive_scores(self.query_weight(query), memory.keys, self.score_vector, show=show)
        weights = self.attend(scores.unsqueeze(1), memory.mask, position)  # [batch, 1, 1, cell]
        context = self.read_context(weights, memory, position).squeeze(1)  # [batch, d_annotation]
        context = torch.sigmoid(self.gate(state[0])) * context
        hidden, cell = self.cell(torch.cat((embedded, context), dim=-1), state)
        return (self.hook_output(hidden[:, None, None, :], position)[:, 0, 0], cell), context

    def _readout(self, states: Tensor, embedded: Tensor, contexts: Tensor) -> Tensor:
        return cast("Tensor", embedded + self.state_output(self.dropout(states)) + self.context_output(contexts))

    def decode_states(self, memory: SourceMemory, inputs: Tensor) -> Tensor:
        """Read a forced caption; see `models.networks.base.TranslationNetwork`.

        Shapes: `inputs` [batch, target].
        """
        embedded = self.embed(inputs)  # [batch, target, d_embedding]
        state = self.start(memory)
        states, contexts = [], []
        for position, token in enumerate(embedded.unbind(dim=1)):
            state, context = self._advance(memory, state, token, position)
            states.append(state[0])
            contexts.append(context)
        return self._readout(torch.stack(states, dim=1), embedded, torch.stack(contexts, dim=1))

    def step(self, memory: SourceMemory, state: State, token: Tensor, position: int) -> tuple[Tensor, State]:
        """Read one token; see `models.networks.base.TranslationNetwork`.

        Shapes: `token` [batch].
        """
        embedded = self.embed(token)
        state, context = self._advance(memory, state, embedded, position)
        return self.logits(self._readout(state[0], embedded, context)), state
