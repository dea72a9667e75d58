"""Four small language models with a short memory, Daniluk, Rocktäschel, Welbl and Riedel 2017.

An LSTM reads the text. Three of them attend over its last outputs, the fourth puts slices of them side by side:

- attention, equations 1 to 4: each output is key, value and what predicts at once;
- key-value, equations 6 to 10: its first half is the key, its second half the value;
- key-value-predict, equations 11 and 12: a third part for what predicts;
- N-gram RNN, equations 13 and 14: the slice i of the output i - 1 steps back, with no attention.

Symbols: h output of the LSTM, k key, v value, p what predicts, M hidden layer of the score, a weight, r what was read,
h* what the word is predicted from.

References
----------
Daniluk, Rocktäschel, Welbl and Riedel 2017, Frustratingly Short Attention Spans in Neural Language Modeling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.networks.attention import additive_scores, weighted_sum
from models.networks.moved import GramPoint
from models.sites import Site

MEMORY = Site("decoder", 0, "self")

PARTS = {"attention": 1, "key-value": 2, "key-value-predict": 3}
"""Into how many parts those that attend cut an output."""

N_GRAM = "n-gram"


def may_read(tokens: int, window: int) -> Tensor:
    """Return what each token may read: the `window` tokens before it; the first token, before which is none, itself.

    Parameters
    ----------
    tokens, window : int

    Returns
    -------
    bool Tensor, [token, token]
        Rows read, columns are read.

    Examples
    --------
    >>> may_read(3, 1).int().tolist()
    [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    """
    places = torch.arange(tokens)
    back = places[:, None] - places[None, :]
    return ((back >= 1) & (back <= window)) | ((places[:, None] == 0) & (back == 0))


class LanguageModel(nn.Module, ABC):
    """What the small language models share: one embedding for what is read and for what is predicted.

    Parameters
    ----------
    vocabulary, d_embedding : int
    """

    def __init__(self, vocabulary: int, d_embedding: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_embedding)
        nn.init.normal_(self.embedding.weight, std=d_embedding**-0.5)
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))

    @property
    def heads(self) -> dict[Site, int]:
        """How many heads read at each place."""
        return {MEMORY: 1}

    def embed(self, ids: Tensor) -> Tensor:
        """Return [batch, token, d_embedding], scaled to unit variance, for ids.

        Shapes: `ids` [batch, token].
        """
        size: int = self.embedding.weight.shape[1]
        return cast("Tensor", self.embedding(ids) * size**0.5)

    @abstractmethod
    def states(self, ids: Tensor) -> Tensor:
        """Return what each next token is predicted from, [batch, token, d_embedding].

        Shapes: `ids` [batch, token].
        """

    def logits(self, states: Tensor) -> Tensor:
        """Return E h* + b, [..., vocabulary], E the embedding.

        Shapes: `states` [..., d_embedding].
        """
        return nn.functional.linear(states, self.embedding.weight, self.output_bias)

    def forward(self, ids: Tensor) -> Tensor:
        """Return what each next token scores before the softmax, [batch, token, vocabulary].

        Shapes: `ids` [batch, token].
        """
        return self.logits(self.states(ids))


class RecurrentLanguageModel(LanguageModel):
    """One LSTM layer that reads a text from left to right.

    Parameters
    ----------
    vocabulary, d_embedding, d_hidden : int
    """

    def __init__(self, vocabulary: int, d_embedding: int, d_hidden: int) -> None:
        super().__init__(vocabulary, d_embedding)
        self.lstm = nn.LSTM(d_embedding, d_hidden, batch_first=True)
        with torch.no_grad():
            bias = cast("Tensor", self.lstm.bias_ih_l0)
            bias[d_hidden : 2 * d_hidden] += 1  # so that the cells remember to begin with

    def outputs(self, ids: Tensor) -> Tensor:
        """Return h_t, [batch, token, d_hidden].

        Shapes: `ids` [batch, token].
        """
        return cast("Tensor", self.lstm(self.embed(ids))[0])


class AttentiveLanguageModel(RecurrentLanguageModel):
    """Attends over the last outputs of its LSTM: as they are, or cut into key and value, or key, value and prediction.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_hidden : int
        Of the LSTM; all parts of an output together.
    parts : {1, 2, 3}
        1: each output is all; 2: key and value, which predicts too; 3: key, value and what predicts.
    window : int
        L: how many tokens back it reads.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int, d_hidden: int, parts: int, window: int) -> None:
        super().__init__(vocabulary, d_embedding, d_hidden)
        self.parts, self.window, size = parts, window, d_hidden // parts
        self.key_weight = nn.Linear(size, size, bias=False)  # W^Y
        self.query_weight = nn.Linear(size, size, bias=False)  # W^h
        self.score_vector = nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))  # w
        self.read_weight = nn.Linear(size, d_embedding, bias=False)  # W^r
        self.own_weight = nn.Linear(size, d_embedding, bias=False)  # W^x
        self.attention = AttentionWeights(MEMORY)
        self.hook_memory = HookPoint(MEMORY.at("memory"))
        self.hook_query = HookPoint(MEMORY.at("query"))
        self.hook_key = HookPoint(MEMORY.at("key"))
        self.hook_value = HookPoint(MEMORY.at("value"))
        self.hook_features = HookPoint(MEMORY.at("features"))
        self.hook_gram = GramPoint(MEMORY)
        self.hook_context = HookPoint(MEMORY.at("context"))
        self.hook_output = HookPoint(MEMORY.at("output"))

    def cut(self, outputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return k_t, v_t and p_t, each [..., token, d]: the parts of h_t, equations 6 and 11.

        Shapes: `outputs` [..., token, d_hidden].
        """
        found = outputs.chunk(self.parts, dim=-1)
        return found[0], found[min(1, self.parts - 1)], found[-1]

    def states(self, ids: Tensor) -> Tensor:
        """Return h*_t = tanh(W^r r_t + W^x p_t), equations 4, 10 and 12; p_t is h_t or v_t where that is no part.

        Shapes: `ids` [batch, token].
        """
        outputs = self.hook_memory(self.outputs(ids)[:, None])  # [batch, 1, token, d_hidden]
        keys, values, own = self.cut(outputs)
        query = self.query_weight(self.hook_query(keys))
        key = self.hook_key(self.key_weight(keys))
        value = self.hook_value(values)
        self.hook_gram.show(value, self.read_weight.weight)
        score = self._scores_in_window if self.training else self._scores
        weights = self.attention(score(query, key), may_read(ids.shape[1], self.window))  # [batch, 1, token, token]
        read = self.hook_context(weighted_sum(weights, value))  # r: [batch, 1, token, d]
        output = self.hook_output(torch.tanh(self.read_weight(read) + self.own_weight(own)))
        return output[:, 0]  # [batch, token, d_embedding]

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Return w' tanh(W^Y k_j + W^h k_t) of each pair of tokens, equations 1, 2, 7 and 8."""
        return additive_scores(query, key, self.score_vector, show=self._show_features)

    def _show_features(self, features: Tensor) -> Tensor:
        """Show the hidden layer, [batch, 1, token, token, d]; a record has it without the axis of heads."""
        return self.hook_features(features[:, 0])[:, None]

    def _scores_in_window(self, query: Tensor, key: Tensor) -> Tensor:
        """Return the same of the pairs in the window alone, 0 elsewhere: in training most pairs are outside."""
        tokens = query.shape[-2]
        before = nn.functional.pad(key[:, 0], (0, 0, self.window, 0)).unfold(1, self.window, 1)[:, :tokens]
        near = before.mT  # [batch, token, window, d]: of token t those from t - L to t - 1
        scores = additive_scores(query[:, 0, :, None, :], near, self.score_vector)[:, :, 0]  # [batch, token, window]
        columns = torch.arange(tokens)[:, None] + torch.arange(self.window)  # t + place; key t - L + place
        wide = scores.new_zeros(len(query), tokens, tokens + self.window)
        wide = wide.scatter(2, columns.expand(len(query), -1, -1), scores)
        return wide[:, None, :, self.window :]


class NGramLanguageModel(RecurrentLanguageModel):
    """The N-gram RNN: h*_t = tanh(W^N [h^1_t; h^2_(t-1); ...; h^(N-1)_(t-N+2)]), equation 14. No attention.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_hidden : int
        Of the LSTM; all N - 1 slices of an output together.
    order : int
        N.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int, d_hidden: int, order: int) -> None:
        super().__init__(vocabulary, d_embedding, d_hidden)
        self.order = order
        self.join = nn.Linear(d_hidden, d_embedding, bias=False)  # W^N

    @property
    def heads(self) -> dict[Site, int]:
        """None: nothing is weighed."""
        return {}

    def states(self, ids: Tensor) -> Tensor:
        """Return h*_t, [batch, token, d_embedding]; before the first token stand zeros.

        Shapes: `ids` [batch, token].
        """
        slices = self.outputs(ids).chunk(self.order - 1, dim=-1)
        tokens = ids.shape[1]
        shifted = [nn.functional.pad(each, (0, 0, back, 0))[:, :tokens] for back, each in enumerate(slices)]
        return torch.tanh(self.join(torch.cat(shifted, dim=-1)))
