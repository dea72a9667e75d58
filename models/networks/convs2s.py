"""ConvS2S, encoder and decoder of gated convolutions, one attention map a decoder layer. Gehring et al. 2017.

Symbols, the paper's: e = w + p and g, the embedded source and target with their positions; z, what the encoder makes
of the source; h, the state of a decoder layer; d, the query that it asks with; a weight; c context. A layer of the
decoder: convolution and gate, attention, the residual around both. Decoding step by step keeps the last k - 1 inputs
of each layer, and equals one forced pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint, VectorPoint
from models.networks.attention import dot_scores, variance_kept, weighted_sum
from models.networks.convolution import gated, halved_sum, windows
from models.networks.layered import LayeredDecoder
from models.networks.moved import GramPoint
from models.networks.recurrent import is_padded
from models.networks.transformer import sinusoidal_positions
from models.sites import Site

SMALL = 0.1
"""How far an embedding varies before training, section 3.5: d' z is a sum over many dimensions that nothing divides."""


@dataclass(frozen=True, slots=True)
class ConvolutionalMemory:
    """What the encoder leaves for the decoder.

    Parameters
    ----------
    states, embedded : Tensor, [batch, source, d_model]
        z and e.
    mask : bool Tensor, [batch, 1, 1, source], or None
        True where a token is; None if nothing is padded.
    lengths : Tensor that broadcasts to [batch, 1, query, d_model]
        m, the tokens of each source.
    """

    states: Tensor
    embedded: Tensor
    mask: Tensor | None
    lengths: Tensor


@dataclass(frozen=True, slots=True)
class LayerPast:
    """What one decoder layer keeps between steps: its last k - 1 inputs, and the source as it reads it.

    Parameters
    ----------
    inputs : Tensor, [batch, k - 1, d_model]
        Zeros before the first token.
    keys, values : Tensor, [batch, 1, source, d_model]
        z, and z + e.
    """

    inputs: Tensor
    keys: Tensor
    values: Tensor


def _map(before: int, after: int, variance: float) -> nn.Linear:
    """Make a linear map that keeps the variance of its input times `variance`, section 3.5."""
    linear = nn.Linear(before, after)
    nn.init.normal_(linear.weight, std=(variance / before) ** 0.5)
    nn.init.zeros_(linear.bias)
    return linear


class ConvEncoderLayer(nn.Module):
    """z^l = v(W [z^(l-1) of k neighbours] + b) + z^(l-1), the sum times sqrt(0.5). Section 3.2.

    Parameters
    ----------
    d_model, width : int
        Size of a state; k, an odd number.
    dropout : float
        On the convolution's input.
    """

    def __init__(self, d_model: int, width: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.convolution = _map(width * d_model, 2 * d_model, 4.0)  # the gate leaves a quarter of the variance
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """Transform `states`, [batch, source, d_model].

        Shapes: `states` [batch, source, d_model]; `mask` [batch, source, 1].
        """
        read = states if mask is None else states * mask
        around = self.width // 2
        padded = nn.functional.pad(self.dropout(read), (0, 0, around, around))
        return halved_sum(gated(self.convolution(windows(padded, self.width))), states)


class ConvDecoderLayer(nn.Module):
    """A gated convolution of the tokens so far, then attention to the source, a residual around both. Section 3.3.

    Parameters
    ----------
    layer, d_model, width : int
        Number from 0; size of a state; k.
    dropout : float
        On the convolution's input.
    """

    def __init__(self, layer: int, d_model: int, width: int, dropout: float) -> None:
        super().__init__()
        place = Site("decoder", layer, "cross")
        self.width = width
        self.convolution = _map(width * d_model, 2 * d_model, 4.0)
        self.query = _map(d_model, d_model, 1.0)
        self.attend = AttentionWeights(place)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.hook_input, self.hook_hidden, self.hook_read, self.hook_joined, self.hook_final = (
            VectorPoint(place.at(quantity)) for quantity in ("input", "hidden", "read", "joined", "final")
        )
        self.hook_gram = GramPoint(place)
        self.hook_query, self.hook_key, self.hook_value, self.hook_context, self.hook_output = (
            HookPoint(place.at(quantity)) for quantity in ("query", "key", "value", "context", "output")
        )

    def start(self, memory: ConvolutionalMemory) -> LayerPast:
        """Return what the layer knows before the first token."""
        states = memory.states
        before = states.new_zeros(states.shape[0], self.width - 1, states.shape[2])
        keys = self.hook_key(states[:, None])
        values = self.hook_value((states + memory.embedded)[:, None])
        self.hook_gram.show(variance_kept(values, memory.lengths))
        return LayerPast(before, keys, values)

    def forward(
        self, inputs: Tensor, target: Tensor, past: LayerPast, memory: ConvolutionalMemory, first: int
    ) -> tuple[Tensor, LayerPast]:
        """Transform `inputs`, [batch, query, d_model].

        Shapes: `inputs` [batch, query, d_model]; `target` [batch, query, d_model].
        """
        inputs = self.hook_input(inputs, first)
        known = torch.cat((past.inputs, inputs), dim=1)  # [batch, k - 1 + query, d_model]
        hidden = self.hook_hidden(self.convolution(windows(self.dropout(known), self.width)), first)
        state = self.hook_read(gated(hidden), first)
        query = self.hook_query((self.query(state) + target)[:, None], first)  # d = W h + b + g
        weights = self.attend(dot_scores(query, past.keys), memory.mask, first)  # [batch, 1, query, source]
        context = self.hook_context(weighted_sum(weights, past.values), first)
        output = self.hook_output(variance_kept(context, memory.lengths), first)[:, 0]
        joined = self.hook_joined(halved_sum(state, output), first)
        final = self.hook_final(halved_sum(joined, inputs), first)
        return final, LayerPast(known[:, known.shape[1] - self.width + 1 :], past.keys, past.values)


class ConvolutionalNetwork(LayeredDecoder):
    """Encoder and decoder of gated convolutions, one embedding for source, target and output layer.

    Parameters
    ----------
    vocabulary, d_model : int
        Size of an embedding and of a state, which are one here.
    encoder_layers, decoder_layers, encoder_width, decoder_width : int
        Depths, and k: how many neighbouring states one convolution reads (in the encoder an odd number).
    dropout : float
    max_positions : int
        Longest text that it can place.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_model: int = 256,
        encoder_layers: int = 3,
        decoder_layers: int = 3,
        encoder_width: int = 3,
        decoder_width: int = 3,
        dropout: float = 0.1,
        max_positions: int = 1024,
    ) -> None:
        super().__init__(vocabulary, d_model)
        self.source_positions, self.target_positions = (nn.Embedding(max_positions, d_model) for _ in range(2))
        for each in (self.source_positions, self.target_positions):
            each.weight.data = SMALL * sinusoidal_positions(max_positions, d_model).float()
        self.enter_encoder, self.enter_decoder = (_map(d_model, d_model, 1.0) for _ in range(2))
        self.leave_encoder, self.leave_decoder = (_map(d_model, d_model, 1.0) for _ in range(2))
        self.encoder = nn.ModuleList(ConvEncoderLayer(d_model, encoder_width, dropout) for _ in range(encoder_layers))
        self.decoder = nn.ModuleList(
            ConvDecoderLayer(layer, d_model, decoder_width, dropout) for layer in range(decoder_layers)
        )
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    @property
    def heads(self) -> dict[Site, int]:
        """One in each decoder layer, on the source."""
        return {Site("decoder", layer, "cross"): 1 for layer in range(len(self.decoder))}

    def embed(self, tokens: Tensor, positions: nn.Module, first: int = 0) -> Tensor:
        """Return e = w + p, [batch, token, d_model], for ids [batch, token]: section 3.1.

        Shapes: `tokens` [batch, token].
        """
        places = cast("nn.Embedding", positions).weight[first : first + tokens.shape[1]]
        return cast("Tensor", self.dropout(self.embedding(tokens) + places))

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> ConvolutionalMemory:
        """Read `source`; see `models.networks.base.TranslationNetwork`.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """
        padded = source_mask if is_padded(source_mask) else None
        embedded = self.embed(source, self.source_positions)
        states, kept = self.enter_encoder(embedded), None if padded is None else padded[:, :, None].to(embedded.dtype)
        for layer in self.encoder:
            states = layer(states, kept)
        mask = None if padded is None else padded[:, None, None, :]
        tokens = embedded.new_tensor(source.shape[1]) if mask is None else mask.sum(-1, True).to(embedded.dtype)
        return ConvolutionalMemory(self.leave_encoder(states), embedded, mask, tokens)

    def start(self, memory: ConvolutionalMemory) -> tuple[LayerPast, ...]:
        """Return what each layer knows before the first token."""
        return tuple(cast("ConvDecoderLayer", layer).start(memory) for layer in self.decoder)

    def run(
        self, memory: ConvolutionalMemory, state: tuple[LayerPast, ...], tokens: Tensor, first: int
    ) -> tuple[Tensor, tuple[LayerPast, ...]]:
        """Read `tokens`; see `models.networks.layered.LayeredDecoder`.

        Shapes: `tokens` [batch, target].
        """
        target = self.embed(tokens, self.target_positions, first)
        states = self.enter_decoder(target)
        kept = []
        for layer, past in zip(self.decoder, state, strict=True):
            states, past = layer(states, target, past, memory, first)
            kept.append(past)
        return self.leave_decoder(states), tuple(kept)
