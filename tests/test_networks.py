"""Whole networks: equal to references from the papers, one pass equal to step by step, padding without effect."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import reference_networks
import torch
from torch import Tensor, nn

from models.hooks import capture
from models.network import TranslationNetwork
from models.recurrent import BahdanauNetwork, LuongNetwork
from models.transformer import TransformerNetwork, sinusoidal_positions

SOURCE, INPUTS = [5, 9, 5, 3, 2], [1, 7, 4, 7]
SMALL = {"vocabulary": 11, "d_embedding": 6, "d_encoder": 5, "d_decoder": 7}
SHAPE = {"heads": 2, "layers": 2}

Reference = Callable[..., reference_networks.Result]
CASES: dict[str, tuple[Callable[[], Any], Reference]] = {
    "bahdanau": (partial(BahdanauNetwork, **SMALL, d_attention=4), reference_networks.bahdanau),
    "luong-general": (partial(LuongNetwork, **SMALL), reference_networks.luong_general),
}
for pre_norm in (True, False):
    CASES[f"transformer, {'pre' if pre_norm else 'post'}-LN"] = (
        partial(TransformerNetwork, vocabulary=11, d_model=8, d_feedforward=12, pre_norm=pre_norm, **SHAPE),
        partial(reference_networks.transformer, pre_norm=pre_norm, **SHAPE),
    )
names = pytest.mark.parametrize("name", CASES)


def network(name: str) -> Any:
    """Make the network in float64, every parameter drawn, biases and scales included."""
    torch.manual_seed(3)
    made: nn.Module = CASES[name][0]().double().eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(std=0.5)
        if isinstance(made, TransformerNetwork):
            made.positions = sinusoidal_positions(16, 8)  # the buffer is kept in float32
    return made


def step_by_step(made: Any, source: Tensor, inputs: Tensor) -> Tensor:
    memory = made.encode(source)
    state = made.start(memory)
    logits = []
    for position, token in enumerate(inputs.unbind(dim=1)):
        step, state = made.step(memory, state, token, position)
        logits.append(step)
    return torch.stack(logits, dim=1)


@names
def test_logits_and_maps_equal_the_reference(name: str) -> None:
    made = network(name)
    parameters = {key: value.numpy() for key, value in made.state_dict().items()}
    want_logits, want_maps = CASES[name][1](parameters, SOURCE, INPUTS)
    with torch.no_grad(), capture() as session:
        logits = made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
    np.testing.assert_allclose(logits[0].numpy(), want_logits, atol=1e-10, rtol=1e-10)
    assert {str(site.place) for site in session.sites} == set(want_maps)
    for site, want in want_maps.items():
        np.testing.assert_allclose(session[f"{site}.weights"][0].numpy(), want, atol=1e-10, rtol=1e-10)


@names
def test_step_by_step_equals_one_forced_pass(name: str) -> None:
    made = network(name).float()
    source, inputs = torch.tensor([SOURCE]), torch.tensor([INPUTS])
    with torch.no_grad(), capture() as whole:
        want = made.decode(made.encode(source), inputs)
    with torch.no_grad(), capture() as steps:
        got = step_by_step(made, source, inputs)
    torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
    for site in steps.sites:
        torch.testing.assert_close(steps[site], whole[site], atol=1e-5, rtol=1e-5)


@names
def test_padding_of_a_batch_changes_nothing(name: str) -> None:
    made = network(name)
    short = SOURCE[1:3]
    batch = torch.tensor([SOURCE, [*short, 0, 0, 0]])
    with torch.no_grad(), capture() as session:
        together = made.decode(made.encode(batch, batch != 0), torch.tensor([INPUTS, INPUTS]))
    with torch.no_grad():
        alone = made.decode(made.encode(torch.tensor([short])), torch.tensor([INPUTS]))
    torch.testing.assert_close(together[1], alone[0], atol=1e-10, rtol=1e-10)
    for site in session.sites:
        if site.kind == "cross" or site.stack == "encoder":
            assert not session[site][1, ..., 2:].any()


@names
def test_a_network_offers_what_every_network_offers(name: str) -> None:
    assert isinstance(network(name), TranslationNetwork)


@pytest.mark.parametrize(("name", "moves"), [("bahdanau", False), ("luong-general", True)])
def test_bahdanau_reads_with_the_previous_state_and_luong_with_the_current_one(name: str, moves: bool) -> None:
    """Another token read in at step 1 moves row 1 of Luong's map and leaves that of Bahdanau, who reads before it."""
    made = network(name)
    rows = []
    for token in (4, 8):
        with torch.no_grad(), capture() as session:
            made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([[1, token, 3]]))
        rows.append(session["decoder.0.cross.weights"][0, 0])
    assert torch.equal(rows[0][0], rows[1][0])
    assert torch.equal(rows[0][1], rows[1][1]) is not moves
    assert not torch.equal(rows[0][2], rows[1][2])


def test_the_first_state_of_bahdanau_comes_from_the_backward_state_of_the_first_token() -> None:
    made = network("bahdanau")
    with torch.no_grad():
        memory = made.encode(torch.tensor([SOURCE]))
        first = torch.tanh(made.initial(memory.states[:, 0, SMALL["d_encoder"] :]))
        torch.testing.assert_close(made.start(memory), first, atol=1e-12, rtol=0)


@names
def test_every_quantity_of_a_map_can_be_captured_and_fits_it(name: str) -> None:
    made = network(name)
    with torch.no_grad(), capture(["*"]) as session:
        step_by_step(made, torch.tensor([SOURCE]), torch.tensor([INPUTS]))
    site = next(site.place for site in session.sites if site.kind == "cross")
    weights, value, context = (session[site.at(quantity)] for quantity in ("weights", "value", "context"))
    torch.testing.assert_close(weights @ value, context, atol=1e-12, rtol=0)
    torch.testing.assert_close(session[site.at("scores")].softmax(-1), weights, atol=1e-12, rtol=0)
    assert session[site.at("mask")].all()
    assert session[site.at("query")].shape[-2] == session[site.at("output")].shape[-2] == len(INPUTS)
    assert session[site.at("key")].shape[-2] == len(SOURCE)
