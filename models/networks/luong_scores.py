"""Luong's four scores, one network each. Luong, Pham and Manning 2015, section 3.1.

The data flow is that of `models.networks.luong`; symbols: see `models.networks.recurrent`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from models.hooks import HookPoint
from models.messages import CountMessage
from models.networks.attention import concat_scores, dot_scores, general_scores, location_scores
from models.networks.luong import LuongBase
from models.networks.recurrent import CROSS, RecurrentMemory


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
        """Return s_t' W_a h_s; see `LuongBase.scores`.

        Shapes: `query` [batch, target, d_decoder].
        """
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
        """Return s_t' h_s; see `LuongBase.scores`.

        Shapes: `query` [batch, target, d_decoder].
        """
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
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        memory = super().encode(source, source_mask)
        return replace(memory, keys=self.key_weight(memory.states))  # [batch, source, d_attention]

    def scores(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return v_a' tanh(W_a [s_t; h_s]); see `LuongBase.scores`.

        Shapes: `query` [batch, target, d_decoder].
        """
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
        """Return the first S of W_a s_t, 0 beyond `max_source`; see `LuongBase.scores`.

        Shapes: `query` [batch, target, d_decoder].
        """
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
                "only the first {known} of the {count} source subword can get attention: the others have weight 0",
                "only the first {known} of the {count} source subwords can get attention: the others have weight 0",
                source_tokens,
                known=known,
            ),
        )
