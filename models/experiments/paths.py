"""What lies between a word and the state of another in our encoders: steps, operations, and the gradient's size.

The derivative of a state by an embedding is a matrix J; its size is the root of the sum of its squares, which is
estimated with vectors of random signs (Hutchinson 1989): the mean square of v'J is the sum of J's squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from models.errors import InputError
from models.experiments.path_lengths import (
    ATTENTION,
    MOST,
    RECURRENT,
    LayerForm,
    Paths,
    fewest_steps,
    steps_in_turn,
)
from models.messages import Message
from models.networks.base import TranslationNetwork
from models.networks.convs2s import ConvolutionalNetwork
from models.networks.recurrent import AttentiveNetwork
from models.networks.seeding import building
from models.networks.transformer import TransformerNetwork
from models.softmax import full_precision
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.waiting import go_on

SIGNS = 8
"""Random vectors for each state: with two, single sizes were half as large again as the exact ones."""


class _Given(nn.Module):
    """Stands for an embedding: gives what it was given, whatever is looked up."""

    def __init__(self, values: Tensor) -> None:
        super().__init__()
        self._values = values

    def forward(self, _ids: Tensor) -> Tensor:
        """Return the values."""
        return self._values


def layers_of(network: TranslationNetwork) -> tuple[int, ...]:
    """Return the layers of the encoder as `models.experiments.path_lengths` has them."""
    if isinstance(network, TransformerNetwork):
        return (ATTENTION,) * len(network.encoder)
    if isinstance(network, ConvolutionalNetwork):
        return tuple(cast("Any", each).width for each in network.encoder)
    if isinstance(network, AttentiveNetwork):
        return (RECURRENT,)
    message = f"{type(network).__name__} hands over no state for each word"
    raise KeyError(message)


def paths_of(model: Translator, source: str) -> Paths:
    """Return what lies between the tokens of `source` and the states that the encoder of `model` makes of them."""
    tokens = read_text(model.tokenizer, source, "sentence")
    if len(tokens) > MOST:
        raise InputError(Message("Paths are shown for {most} tokens at most.", most=MOST))
    network = twin_of(model)
    layers, ids = layers_of(network), torch.tensor([tokens.ids])
    return Paths(
        fewest_steps(layers, len(tokens)),
        gradients(network, ids).numpy().astype(np.float64),
        steps_in_turn(layers, len(tokens)),
        products(network, ids),
        form_of(network),
    )


def form_of(network: Any) -> LayerForm:
    """Return what the cost of the first encoder layer follows from; KeyError where its layers are not known."""
    layers = layers_of(network)
    layer = network.encoder.layer if layers[0] == RECURRENT else network.encoder[0]
    heads = layer.attention.heads if layers[0] == ATTENTION else 0
    per_token = sum(
        matrix.numel() * (heads if isinstance(part, nn.Embedding) else 1)  # vectors of distances: once in each head
        for part in layer.modules()
        for matrix in part.parameters(recurse=False)
        if matrix.ndim > 1
    )
    d_state = 2 * layer.hidden_size if layers[0] == RECURRENT else network.embedding.embedding_dim
    return LayerForm(layers[0], per_token, d_state, heads, len(layers))


def twin_of(model: Translator) -> TranslationNetwork:
    """Return a network of its own with the weights of `model`, shared: one whose linear maps pass gradients on."""
    with building():
        twin: TranslationNetwork = model.mechanism.build(**model.card["network"])
    weights = {name: full_precision(values) for name, values in model.network.state_dict().items()}
    twin.load_state_dict(weights, assign=True)
    return twin.eval().requires_grad_(False)


def states_from(network: Any, embedded: Tensor, ids: Tensor) -> Tensor:
    """Return the states of the encoder, [batch, state, d], for embeddings given by hand.

    Shapes: `embedded` [batch, word, d_embedding]; `ids` [batch, word].
    """
    table = network.embedding
    network.embedding = _Given(embedded)
    try:
        return cast("Tensor", network.encode(ids).states)
    finally:
        network.embedding = table


def gradients(network: Any, ids: Tensor, *, signs: int = SIGNS) -> Tensor:
    """Return the size of the derivative of each state by each embedding, [state, word].

    Shapes: `ids` [1, word].
    """
    count = ids.shape[1]
    chance = torch.Generator().manual_seed(0)
    squares = torch.zeros(count, count)
    looked_up = network.embedding(ids).detach()
    with torch.enable_grad():
        embedded = looked_up.repeat(count, 1, 1).requires_grad_()
        states = states_from(network, embedded, ids.expand(count, -1))
        own = states[torch.arange(count), torch.arange(count)]  # of text j its state j
        for number in range(signs):
            go_on()
            drawn = torch.randint(0, 2, own.shape, generator=chance).to(own.dtype) * 2 - 1
            (slopes,) = torch.autograd.grad((own * drawn).sum(), embedded, retain_graph=number < signs - 1)
            squares = squares + slopes.square().sum(dim=-1) / signs
    return squares.sqrt()


def products(network: Any, ids: Tensor) -> int:
    """Return how many multiplications, each with an addition, the encoder does for a text, as torch counts them.

    Shapes: `ids` [1, word].
    """
    counted = {torch.ops.aten.mkldnn_rnn_layer: _of_an_lstm}
    with torch.inference_mode(), FlopCounterMode(display=False, custom_mapping=counted) as counter:
        network.encode(ids)
    return int(counter.get_total_flops()) // 2


def _of_an_lstm(inputs: Sequence[int], own: Sequence[int], recurrent: Sequence[int], *_: Any, **_more: Any) -> int:
    """Return the operations of one direction of an LSTM as torch runs it here, from the shapes of what it is given."""
    return 2 * math.prod(inputs[:2]) * (math.prod(own) + math.prod(recurrent))
