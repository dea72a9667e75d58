"""The Transformer, encoder and decoder, every attention map on a hook. Vaswani et al. 2017.

Pre-LN by default (the normalisation stands before each sublayer, Xiong et al. 2020), post-LN, the paper's own order, by
option. Sinusoidal positions. Decoding step by step keeps keys and values, and equals one forced pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import VectorPoint
from models.networks.layered import LayeredDecoder
from models.networks.multi_head import KeyValue, MultiHeadAttention
from models.sites import Site
from models.softmax import causal_mask


@dataclass(frozen=True, slots=True)
class TransformerMemory:
    """What the encoder leaves for the decoder.

    Parameters
    ----------
    states : Tensor, [batch, source, d_model]
    mask : bool Tensor, [batch, 1, 1, source], or None
        True where a token is; None if nothing is padded.
    """

    states: Tensor
    mask: Tensor | None


@dataclass(frozen=True, slots=True)
class LayerCache:
    """What one decoder layer keeps between steps: its own past (None before the first step) and the source."""

    past: KeyValue | None
    source: KeyValue


class _Layer(nn.Module):
    """What encoder and decoder layers share: residuals, normalisation before or after, the feed-forward part."""

    def __init__(
        self, places: tuple[Site, ...], d_model: int, d_feedforward: int, dropout: float, *, pre_norm: bool
    ) -> None:
        super().__init__()
        sublayers = len(places) + 1
        # Tuples and no ModuleList: they hold no parameters, and are asked at every step.
        self.hook_input = tuple(VectorPoint(place.at("input")) for place in places)
        self.hook_joined = tuple(VectorPoint(place.at("joined")) for place in places)
        self.hook_hidden = VectorPoint(places[-1].at("hidden"))
        self.hook_feedforward = VectorPoint(places[-1].at("feedforward"))
        self.hook_final = VectorPoint(places[-1].at("final"))
        self.pre_norm = pre_norm
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(sublayers))
        self.expand = nn.Linear(d_model, d_feedforward)
        self.contract = nn.Linear(d_feedforward, d_model)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def before(self, sublayer: int, states: Tensor) -> Tensor:
        """Return what a sublayer reads."""
        return cast("Tensor", self.norms[sublayer](states)) if self.pre_norm else states

    def after(self, sublayer: int, states: Tensor, change: Tensor) -> Tensor:
        """Add what a sublayer gave to what came in."""
        total = states + self.dropout(change)
        return total if self.pre_norm else cast("Tensor", self.norms[sublayer](total))

    def feed_forward(self, sublayer: int, states: Tensor, first_query: int = 0) -> Tensor:
        """max(0, x W_1 + b_1) W_2 + b_2 for each token, 2017, equation 2."""
        hidden = self.hook_hidden(torch.relu(self.expand(self.before(sublayer, states))), first_query)
        change = self.hook_feedforward(self.contract(self.dropout(hidden)), first_query)
        return self.hook_final(self.after(sublayer, states, change), first_query)


class EncoderLayer(_Layer):
    """Self-attention, then the feed-forward part."""

    def __init__(
        self, layer: int, d_model: int, heads: int, d_feedforward: int, dropout: float, *, pre_norm: bool
    ) -> None:
        place = Site("encoder", layer, "self")
        super().__init__((place,), d_model, d_feedforward, dropout, pre_norm=pre_norm)
        self.attention = MultiHeadAttention(place, d_model, heads, dropout)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """Transform `states`, [batch, source, d_model], under `mask`, [batch, 1, 1, source].

        Shapes: `states` [batch, source, d_model]; `mask` [batch, 1, 1, source].
        """
        states = self.hook_input[0](states)
        read = self.before(0, states)
        states = self.after(0, states, self.attention(read, self.attention.read(read), mask))
        return self.feed_forward(1, self.hook_joined[0](states))


class DecoderLayer(_Layer):
    """Causal self-attention, attention to the source, then the feed-forward part."""

    def __init__(
        self, layer: int, d_model: int, heads: int, d_feedforward: int, dropout: float, *, pre_norm: bool
    ) -> None:
        places = Site("decoder", layer, "self"), Site("decoder", layer, "cross")
        super().__init__(places, d_model, d_feedforward, dropout, pre_norm=pre_norm)
        self.attention, self.cross = (MultiHeadAttention(place, d_model, heads, dropout) for place in places)

    def forward(
        self, states: Tensor, cache: LayerCache, memory: TransformerMemory, first_query: int
    ) -> tuple[Tensor, LayerCache]:
        """Transform `states`, [batch, query, d_model], whose first query stands at position `first_query`.

        Shapes: `states` [batch, query, d_model].
        """
        states = self.hook_input[0](states, first_query)
        read = self.before(0, states)
        own = self.attention.read(read, first_query)
        past = own if cache.past is None else cache.past.extended(own)
        mask = None  # a single query is the last position: it reads all that there is
        if read.shape[1] > 1:
            mask = causal_mask(read.shape[1], first_query, device=read.device)[None, None]  # [1, 1, query, key]
        states = self.after(0, states, self.attention(read, past, mask, first_query))
        states = self.hook_input[1](self.hook_joined[0](states, first_query), first_query)
        read = self.before(1, states)
        states = self.after(1, states, self.cross(read, cache.source, memory.mask, first_query))
        states = self.hook_joined[1](states, first_query)
        return self.feed_forward(2, states, first_query), LayerCache(past, cache.source)


def sinusoidal_positions(count: int, d_model: int) -> Tensor:
    """Return sin(p / 10000^(2i / d_model)) and cos of the same, interleaved, 2017, section 3.5: [count, d_model].

    Parameters
    ----------
    count, d_model : int
    """
    rates = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    angles = torch.arange(count, dtype=torch.float64)[:, None] * rates  # [count, d_model / 2]
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


class TransformerNetwork(LayeredDecoder):
    """Encoder and decoder of equal depth, one embedding for source, target and output layer.

    Parameters
    ----------
    vocabulary, d_model, heads, layers, d_feedforward : int
    dropout : float
    pre_norm : bool
        False for the paper's own order (post-LN).
    max_positions : int
        Longest text that it can place.
    """

    positions: Tensor

    def __init__(
        self,
        *,
        vocabulary: int,
        d_model: int = 256,
        heads: int = 8,
        layers: int = 3,
        d_feedforward: int = 1024,
        dropout: float = 0.1,
        pre_norm: bool = True,
        max_positions: int = 1024,
    ) -> None:
        super().__init__(vocabulary, d_model)
        self.register_buffer("positions", sinusoidal_positions(max_positions, d_model).float(), persistent=False)
        sizes = (d_model, heads, d_feedforward, dropout)
        self.encoder = nn.ModuleList(EncoderLayer(layer, *sizes, pre_norm=pre_norm) for layer in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(layer, *sizes, pre_norm=pre_norm) for layer in range(layers))
        self.encoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    @property
    def heads(self) -> dict[Site, int]:
        """Those of each layer; in the decoder on the source first, as in a trace."""
        layers = cast("list[EncoderLayer | DecoderLayer]", [*self.encoder, *self.decoder])
        parts = [each.attention for each in layers] + [each.cross for each in layers if isinstance(each, DecoderLayer)]
        found = {each.attend.weights.site.place: each.heads for each in parts}
        return {place: found[place] for place in sorted(found, key=Site.reading_order)}

    def embed(self, tokens: Tensor, first: int = 0) -> Tensor:
        """Return embeddings with positions added, [batch, token, d_model], for ids [batch, token].

        Shapes: `tokens` [batch, token].
        """
        embedded = self.embedding(tokens) * self.embedding_scale
        return cast("Tensor", self.dropout(embedded + self.positions[first : first + tokens.shape[1]]))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> TransformerMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        padded = source_mask is not None and not bool(source_mask.all())
        mask = source_mask[:, None, None, :] if padded and source_mask is not None else None
        states = self.embed(source)
        for layer in self.encoder:
            states = layer(states, mask)
        return TransformerMemory(self.encoder_norm(states), mask)

    def start(self, memory: TransformerMemory) -> tuple[LayerCache, ...]:
        """Return one empty cache a layer, the source's keys and values in it."""
        layers = cast("list[DecoderLayer]", list(self.decoder))
        return tuple(LayerCache(None, layer.cross.read(memory.states)) for layer in layers)

    def run(
        self, memory: TransformerMemory, state: tuple[LayerCache, ...], tokens: Tensor, first: int
    ) -> tuple[Tensor, tuple[LayerCache, ...]]:
        """Read `tokens`; see `models.networks.layered.LayeredDecoder`.

        Shapes: `tokens` [batch, target].
        """
        states = self.embed(tokens, first)
        kept = []
        for layer, cache in zip(self.decoder, state, strict=True):
            states, cache = layer(states, cache, memory, first)
            kept.append(cache)
        return self.decoder_norm(states), tuple(kept)
