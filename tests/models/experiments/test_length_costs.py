"""What an encoder layer costs: the formulas against what torch counts, pairs counted one by one, steps searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

import models
from models.edits import near
from models.experiments.length_costs import cost_of
from models.experiments.path_lengths import ATTENTION, RECURRENT, LayerForm, fewest_steps
from models.experiments.paths import _of_an_lstm, form_of, twin_of

KEYS = ("transformer", "transformer-post-ln", "transformer-relative", "convs2s", "bahdanau", "luong-general")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("tokens", [1, 7, 50])
def test_the_operations_of_a_layer_are_those_that_torch_counts(key: str, tokens: int) -> None:
    network: Any = twin_of(models.load_translator(f"{key}-en-fr"))
    form = form_of(network)
    recurrent = form.kind == RECURRENT
    layer = network.encoder.layer if recurrent else network.encoder[0]
    states = torch.randn(1, tokens, network.embedding.embedding_dim)
    counted = {torch.ops.aten.mkldnn_rnn_layer: _of_an_lstm}
    with torch.inference_mode(), FlopCounterMode(display=False, custom_mapping=counted) as counter:
        given = layer(states) if recurrent else (layer(states, None),)
    assert cost_of(form, tokens).operations == counter.get_total_flops() // 2
    assert cost_of(form, tokens).memory >= given[0].numel() * given[0].element_size()


def test_the_memory_of_attention_is_that_of_its_weights_and_states() -> None:
    model = models.load("transformer-en-fr")
    trace = model.attend("The cat drank the milk.", sites=("encoder.0.self.weights", "encoder.0.self.final"))
    own = trace["encoder.0.self"]
    cost = cost_of(form_of(models.load_translator("transformer-en-fr").network), len(trace.source))
    assert cost.memory == own.weights.nbytes + 4 * 256 * len(trace.source)


@given(st.integers(1, 40), st.integers(0, 12), st.integers(1, 5))
def test_a_window_costs_the_pairs_that_it_leaves(tokens: int, reach: int, d_state: int) -> None:
    form = LayerForm(ATTENTION, 0, d_state, 2, 1)
    pairs = int(near("encoder.0.self", reach).keeps(tokens, tokens).sum())
    cost = cost_of(form, tokens, reach=reach)
    assert cost.operations == cost.of_pairs == 2 * d_state * pairs
    assert cost.memory == 4 * (tokens * d_state + 2 * pairs)
    assert cost_of(form, tokens).of_pairs == 2 * d_state * tokens**2


@given(st.integers(1, 30), st.sampled_from([ATTENTION, RECURRENT, 3, 5]), st.none() | st.integers(1, 6))
def test_the_path_is_the_fewest_steps_between_the_ends(tokens: int, kind: int, reach: int | None) -> None:
    """Layers are added until the last state knows the first word; a window is a convolution of 2 r + 1."""
    cost = cost_of(LayerForm(kind, 0, 1, 1, 1), tokens, reach=reach)
    layer = 2 * reach + 1 if kind == ATTENTION and reach else kind
    found = next(
        steps for count in range(1, tokens + 2) if np.isfinite(steps := fewest_steps([layer] * count, tokens)[-1, 0])
    )
    assert cost.path == found
    assert cost.in_turn == (tokens if kind == RECURRENT else 1)
