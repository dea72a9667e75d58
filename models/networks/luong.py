"""Global attention with Luong's data flow, one class a score. Luong, Pham and Manning 2015, section 3.1.

s_t = LSTM(s_(t-1), y_(t-1)); a_t is computed with s_t, after the step; c_t = sum_s a_ts h_s; the attentional state
tanh(W_c [c_t; s_t]), equation 5, predicts: p(y_t) = softmax(E state + b), equation 6. Only what gives e_ts differs from
class to class. `models.networks.luong_input_feeding` and `models.networks.luong_local` have the others.
Symbols: see `models.networks.recurrent`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.hooks import HookPoint
from models.messages import CountMessage
from models.networks.attention import concat_scores, dot_scores, general_scores, location_scores
from models.networks.recurrent import CROSS, AttentiveNetwork, RecurrentMemory, step_lstm


class LuongBase(AttentiveNetwork):
    """The data flow without a score. The recurrence does not know the attention: a forced target is one pass.

    The decoder's first state and cell are the encoder's last ones, both directions side by side, where the sizes agree;
    else tanh of a linear map of the states, and a linear map of the cells.

    Parameters
    ----------
    vocabulary, d_embedding, d_encoder, d_decoder : int
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
        dropout: float = 0.1,
    ) -> None:
        super().__init__("lstm", vocabulary, d_embedding, d_encoder, dropout)
        self.copies_ends = d_decoder == 2 * d_encoder
        if not self.copies_ends:
            self.initial = nn.Linear(2 * d_encoder, d_decoder)
            self.initial_cell = nn.Linear(2 * d_encoder, d_decoder)
        self.decoder = nn.LSTM(d_embedding, d_decoder, batch_first=True)
        self.combine = nn.Linear(2 * d_encoder + d_decoder, d_embedding)  # W_c

    @abstractmethod
    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return e_ts, [batch, target, source], for s_t, [batch, target, d_decoder], the first at `position`.

        Parameters
        ----------
        query : Tensor, [batch, target, d_decoder]
            s_t.
        memory : RecurrentMemory
        position : int
            Of the first query, from 0.

        Returns
        -------
        Tensor, [batch, target, source]
        """

    def mask(self, memory: RecurrentMemory) -> Tensor | None:
        """Return what may be read, [batch, 1, 1, source]: what is not padding; None if that is all.

        Parameters
        ----------
        memory : RecurrentMemory
        """
        return memory.mask

    def weigh(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return a_ts, [batch, 1, target, source], for s_t, [batch, target, d_decoder].

        Parameters
        ----------
        query : Tensor, [batch, target, d_decoder]
            s_t.
        memory : RecurrentMemory
        position : int
            Of the first query, from 0.
        """
        scores = self.scores(query, memory, position).unsqueeze(1)
        return cast("Tensor", self.attend(scores, self.mask(memory), position))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`."""
        return cast("RecurrentMemory", self.encoder(self.embed(source), source_mask))

    def start(self, memory: RecurrentMemory) -> Any:
        """Return (s_0, its cell), each [1, batch, d_decoder], and show what will be read to the hooks."""
        if memory.forward_cell is None or memory.backward_cell is None:
            message = "the memory of an LSTM encoder has cells; got none"
            raise TypeError(message)
        self.show_memory(memory)
        ends = torch.cat((memory.forward_end, memory.backward_end), dim=-1)
        cells = torch.cat((memory.forward_cell, memory.backward_cell), dim=-1)
        if self.copies_ends:
            return ends[None], cells[None]
        return torch.tanh(self.initial(ends))[None], self.initial_cell(cells)[None]

    def attentional(self, memory: RecurrentMemory, states: Tensor, position: int) -> Tensor:
        """Return tanh(W_c [c_t; s_t]), [batch, target, d_embedding], for s_t, [batch, target, d_decoder].

        Parameters
        ----------
        memory : RecurrentMemory
        states : Tensor, [batch, target, d_decoder]
            s_t.
        position : int
            Of the first of them, from 0.
        """
        query = self.hook_query(states.unsqueeze(1), position).squeeze(1)
        context = self.read_context(self.weigh(query, memory, position), memory, position)
        attentional = torch.tanh(self.combine(torch.cat((context, states), dim=-1)))
        return self.hook_output(attentional.unsqueeze(1), position).squeeze(1)

    def decode_states(self, memory: RecurrentMemory, inputs: Tensor) -> Tensor:
        """Read a forced target; see `models.networks.base.TranslationNetwork`."""
        states, _ = self.decoder(self.embed(inputs), self.start(memory))  # [batch, target, d_decoder]
        return self.attentional(memory, states, 0)

    def step(self, memory: RecurrentMemory, state: Any, token: Tensor, position: int) -> tuple[Tensor, Any]:
        """Read one token; see `models.networks.base.TranslationNetwork`."""
        state = step_lstm(self.decoder, self.embed(token), state)
        attentional = self.attentional(memory, state[0].transpose(0, 1), position)  # [batch, 1, d_embedding]
        return self.logits(attentional[:, 0]), state


class LuongNetwork(LuongBase):
    """Global attention with the general score, section 3.1: e_ts = s_t' W_a h_s.

    Parameters
    ----------
    sizes
        See `LuongBase`.
    """

    def __init__(self, *, d_encoder: int = 256, d_decoder: int = 384, **sizes: Any) -> None:
        super().__init__(d_encoder=d_encoder, d_decoder=d_decoder, **sizes)
        self.general_weight = nn.Parameter(torch.empty(d_decoder, 2 * d_encoder))  # W_a
        nn.init.xavier_uniform_(self.general_weight)

    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return s_t' W_a h_s; see `LuongBase.scores`."""
        return general_scores(query, memory.keys, self.general_weight.to(query.dtype))


class LuongDotNetwork(LuongBase):
    """Global attention with the dot score, section 3.1: e_ts = s_t' h_s, so that s_t has the size of h_s.

    Parameters
    ----------
    d_encoder : int
        Of one direction; the decoder's state has twice that.
    sizes
        See `LuongBase`.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int = 256, d_encoder: int = 192, dropout: float = 0.1) -> None:
        super().__init__(
            vocabulary=vocabulary,
            d_embedding=d_embedding,
            d_encoder=d_encoder,
            d_decoder=2 * d_encoder,
            dropout=dropout,
        )

    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return s_t' h_s; see `LuongBase.scores`."""
        return dot_scores(query, memory.keys)


class LuongConcatNetwork(LuongBase):
    """Global attention with the concat score, section 3.1: e_ts = v_a' tanh(W_a [s_t; h_s]).

    W_a is kept as its two blocks of columns: `query_weight` on s_t, `key_weight` on h_s.

    Parameters
    ----------
    d_attention : int
        Size of the score's hidden layer. A forced pass holds target x source x `d_attention` numbers.
    sizes
        See `LuongBase`.
    """

    def __init__(self, *, d_encoder: int = 256, d_decoder: int = 384, d_attention: int = 128, **sizes: Any) -> None:
        super().__init__(d_encoder=d_encoder, d_decoder=d_decoder, **sizes)
        self.query_weight = nn.Linear(d_decoder, d_attention, bias=False)  # left columns of W_a
        self.key_weight = nn.Linear(2 * d_encoder, d_attention, bias=False)  # right columns of W_a
        self.score_vector = nn.Parameter(torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5)  # v_a
        self.hook_features = HookPoint(CROSS.at("features"))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> RecurrentMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`."""
        memory = super().encode(source, source_mask)
        return replace(memory, keys=self.key_weight(memory.states))  # [batch, source, d_attention]

    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return v_a' tanh(W_a [s_t; h_s]); see `LuongBase.scores`."""
        show = partial(self.hook_features, first_query=position)
        return concat_scores(self.query_weight(query), memory.keys, self.score_vector, show=show)


class LuongLocationNetwork(LuongBase):
    """Location-based attention, section 3.1, equation 8: a_t = softmax(W_a s_t), one row of W_a a source position.

    The first S scores are used for S source tokens (footnote to equation 8). A token at or beyond `max_source` cannot
    be read.

    Parameters
    ----------
    max_source : int
        Rows of W_a. 65 are 64 pieces, the longest source of a recipe, and ``</s>``.
    sizes
        See `LuongBase`.
    """

    def __init__(self, *, d_decoder: int = 384, max_source: int = 65, **sizes: Any) -> None:
        super().__init__(d_decoder=d_decoder, **sizes)
        self.location_weight = nn.Linear(d_decoder, max_source, bias=False)  # W_a

    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return the first S of W_a s_t, 0 beyond `max_source`; see `LuongBase.scores`."""
        return location_scores(self.location_weight(query), memory.states.shape[1])

    def mask(self, memory: RecurrentMemory) -> Tensor | None:
        """Hide what W_a has no row for, and padding."""
        source, known = memory.states.shape[1], self.location_weight.out_features
        if source <= known:
            return memory.mask
        near = (torch.arange(source, device=memory.states.device) < known)[None, None, None]
        return near if memory.mask is None else near & memory.mask

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say so if the source is longer than W_a; see `models.networks.base.TranslationNetwork`."""
        known = self.location_weight.out_features
        if source_tokens <= known:
            return ()
        return (
            CountMessage(
                "only the first {known} of the {count} source piece can be read: the others weigh 0",
                "only the first {known} of the {count} source pieces can be read: the others weigh 0",
                source_tokens,
                known=known,
            ),
        )
