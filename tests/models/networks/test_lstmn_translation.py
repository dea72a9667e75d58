"""LSTMNs as translators: equal to a float64 reference, step by step equal to one pass, padding without effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from models.edits import mask_key
from models.hooks import capture
from models.networks.lstmn_fusion import DeepFusionNetwork, ShallowFusionNetwork
from tests.support import reference_lstmn
from tests.support.drawing import redrawn

SOURCE, INPUTS = [5, 9, 5, 3, 2], [1, 7, 4, 7, 3, 8, 4]
WAYS = {
    "shallow": (ShallowFusionNetwork, reference_lstmn.shallow),
    "deep": (DeepFusionNetwork, reference_lstmn.deep),
}
ways = pytest.mark.parametrize("way", WAYS)


def network(way: str) -> Any:
    """Make the network in float64, every parameter drawn, biases included."""
    return redrawn(WAYS[way][0](vocabulary=11, d_embedding=6, d_hidden=5).double().eval(), seed=3)


def step_by_step(made: Any, source: Tensor, inputs: Tensor) -> Tensor:
    memory = made.encode(source)
    state, logits = made.start(memory), []
    for position, token in enumerate(inputs.unbind(dim=1)):
        step, state = made.step(memory, state, token, position)
        logits.append(step)
    return torch.stack(logits, dim=1)


@ways
def test_logits_and_three_maps_equal_the_reference(way: str) -> None:
    made = network(way)
    parameters = {key: value.numpy() for key, value in made.state_dict().items()}
    want_logits, want_maps = WAYS[way][1](parameters, SOURCE, INPUTS)
    with torch.no_grad(), capture(["*.weights"]) as session:
        logits = made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
    with torch.no_grad():
        unseen = made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
    np.testing.assert_allclose(logits[0].numpy(), want_logits, atol=1e-10, rtol=1e-10)
    np.testing.assert_allclose(unseen[0].numpy(), want_logits, atol=1e-10, rtol=1e-10)
    assert [str(place) for place in made.heads] == list(want_maps)
    assert {str(site.place) for site in session.sites} == set(want_maps)
    for site, want in want_maps.items():
        np.testing.assert_allclose(session[f"{site}.weights"][0].numpy(), want, atol=1e-10, rtol=1e-10)


@ways
def test_step_by_step_equals_one_forced_pass_in_all_that_hooks_see(way: str) -> None:
    made = network(way)
    source, inputs = torch.tensor([SOURCE]), torch.tensor([INPUTS])
    with torch.no_grad(), capture(["*"]) as whole:
        want = made.decode(made.encode(source), inputs)
    with torch.no_grad(), capture(["*"]) as steps:
        got = step_by_step(made, source, inputs)
    torch.testing.assert_close(got, want, atol=1e-12, rtol=0)
    assert set(steps.sites) == set(whole.sites)
    for site in steps.sites:
        torch.testing.assert_close(steps[site], whole[site], atol=1e-12, rtol=0)
    for place in ("decoder.0.cross", "decoder.0.self", "encoder.0.self"):
        weights, value, context = (whole[f"{place}.{quantity}"] for quantity in ("weights", "value", "context"))
        first = int("self" in place)  # the first token of a tape reads a slot that is no token's
        torch.testing.assert_close((weights @ value)[:, :, first:], context[:, :, first:], atol=1e-12, rtol=0)


@ways
def test_padding_of_a_batch_changes_nothing(way: str) -> None:
    made = network(way)
    short = SOURCE[1:3]
    batch = torch.tensor([SOURCE, [*short, 0, 0, 0]])
    with torch.no_grad(), capture(["*.weights"]) as session:
        together = made.decode(made.encode(batch, batch != 0), torch.tensor([INPUTS, INPUTS]))
    with torch.no_grad():
        unseen = made.decode(made.encode(batch, batch != 0), torch.tensor([INPUTS, INPUTS]))
        alone = made.decode(made.encode(torch.tensor([short])), torch.tensor([INPUTS]))
    torch.testing.assert_close(together[1], alone[0], atol=1e-10, rtol=1e-10)
    torch.testing.assert_close(unseen, together, atol=1e-10, rtol=1e-10)
    for place in ("encoder.0.self", "decoder.0.cross"):
        assert not session[f"{place}.weights"][1, ..., 2:].any()


@ways
@pytest.mark.parametrize("place", ["encoder.0.self", "decoder.0.cross", "decoder.0.self"])
def test_a_token_that_may_not_be_read_changes_what_is_predicted(way: str, place: str) -> None:
    made = network(way)
    source, inputs = torch.tensor([SOURCE]), torch.tensor([INPUTS])
    with torch.no_grad():
        free = made.decode(made.encode(source), inputs)
    edit = mask_key(place, key=1)
    with torch.no_grad(), capture(["*.weights"], [edit]) as session:
        edited = made.decode(made.encode(source), inputs)
    assert not session[f"{place}.weights"][0, 0, 2:, 1].any()
    assert not torch.allclose(edited, free, atol=1e-4)


def test_another_token_moves_the_row_that_reads_with_it_in_both_ways() -> None:
    """Shallow reads the source with the state after the step, deep with the token itself: both know the token."""
    for way in WAYS:
        made, rows = network(way), []
        for token in (4, 8):
            with torch.no_grad(), capture(["decoder.0.cross.weights"]) as session:
                made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([[1, token, 3]]))
            rows.append(session["decoder.0.cross.weights"][0, 0])
        assert torch.equal(rows[0][0], rows[1][0])
        assert not torch.allclose(rows[0][1], rows[1][1], atol=1e-6)


def test_the_source_enters_the_tape_of_deep_fusion_alone() -> None:
    """What the decoder's tape holds after the cross map is edited: the same in shallow fusion, another in deep."""
    for way, same in (("shallow", True), ("deep", False)):
        made, tapes = network(way), []
        for edits in ([], [mask_key("decoder.0.cross", key=1)]):
            with torch.no_grad(), capture(["decoder.0.self.value", "decoder.0.cross.weights"], edits) as session:
                made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
            tapes.append(session["decoder.0.self.value"])
        assert torch.equal(*tapes) is same
