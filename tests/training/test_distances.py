"""Shorter reaches and tables left out: what the network then computes, and that it is itself again afterwards."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
import torch

from tests.support import reference_networks
from tests.support.small_models import network
from training.distances import changed, held_out, relative_parts

SOURCE, INPUTS = [5, 9, 5, 3, 4, 8, 2], [1, 7, 4, 7, 3]
KEY = "transformer-relative"


def run(made: torch.nn.Module) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))[0]  # type: ignore[operator]
    return logits


@pytest.mark.parametrize("reach", [0, 1, 3])
def test_a_shorter_reach_is_the_reference_with_the_middle_of_the_tables(reach: int) -> None:
    made = network(KEY, vocabulary=12, reach=4).double()
    parameters = {name: value.numpy() for name, value in made.state_dict().items()}
    for name in [each for each in parameters if ".distance_" in each]:
        parameters[name] = parameters[name][4 - reach : 4 + reach + 1]
    shape = {"heads": 4, "layers": 2, "pre_norm": True}
    want, _maps = reference_networks.transformer(parameters, SOURCE, INPUTS, reach=reach, **shape)  # type: ignore[arg-type]
    before = run(made)
    with changed(made, reach=reach):
        torch.testing.assert_close(run(made), torch.tensor(want), atol=1e-9, rtol=1e-9)
    assert torch.equal(run(made), before)


def test_with_neither_table_the_encoder_knows_no_order_and_an_error_puts_them_back() -> None:
    made = network(KEY, vocabulary=12, reach=4)
    before, turned = run(made), torch.tensor([SOURCE[::-1]])
    with torch.no_grad(), changed(made, without=("distance_key", "distance_value")):
        forth, back = made.encode(torch.tensor([SOURCE])).states[0], made.encode(turned).states[0]
        torch.testing.assert_close(forth, back.flip(0), atol=1e-5, rtol=1e-5)
    with pytest.raises(IndexError), changed(made, reach=0):
        made.encode(torch.tensor([[999]]))
    assert torch.equal(run(made), before)


def test_what_was_not_learnt_is_refused() -> None:
    with pytest.raises(ValueError, match="reach is 0 to 4"), changed(network(KEY, vocabulary=12, reach=4), reach=5):
        pass
    with pytest.raises(TypeError, match="no vectors by distance"):
        relative_parts(network("transformer", vocabulary=12))


def test_sources_are_distinct_and_keep_all_their_references(tmp_path: Path) -> None:
    path = tmp_path / "some.tsv.xz"
    path.write_bytes(lzma.compress(b"a\tb\nc\td\na\te\nf\tg\n"))
    assert held_out(path, 2) == {"a": ["b", "e"], "c": ["d"]}
