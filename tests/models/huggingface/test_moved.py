"""What a key moves in transformers models: every family's own output is the sum of what its keys move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from models.edits import set_row
from models.huggingface.attention import show_output
from models.huggingface.linear import HalfLinear, matrix_of
from models.trace import AttentionTrace
from tests.support.huggingface_samples import CAUSAL, OBSERVED, OWN, TEXT, TRANSLATORS, tiny_model

KEY = 2


def attended(model: Any, **how: Any) -> AttentionTrace:
    return model.attend(TEXT, "It sat." if model.is_translation else None, **how)


def projections(network: nn.Module) -> list[Any]:
    return [part for part in network.modules() if show_output in part._forward_hooks.values()]


@pytest.mark.parametrize("family", OBSERVED)
def test_a_row_on_one_key_gives_the_sum_of_what_its_heads_move(family: str) -> None:
    model = tiny_model(family)
    plain = attended(model)
    biases = {id(part): getattr(part, "bias", None) for part in projections(model.network)}
    offsets = [np.zeros(1) if bias is None else bias.double().numpy() for bias in biases.values()]
    for place in plain.sites[:: max(1, len(plain.sites) // 3)]:
        found = plain[place]
        assert found.has_moved
        heads, queries, keys = found.weights.shape
        row = tuple(float(key == KEY) for key in range(keys))
        edits = [set_row(str(place), head, queries - 1, row, 1.0) for head in range(heads)]
        edited = attended(model, edits=edits, sites=(str(place), str(place.at("output"))))
        given = edited[place].companions["output"][0, -1]
        length = np.sqrt(found.companions["value_gram"][:, KEY].sum())
        off = min(abs(np.linalg.norm(given - each) - length) for each in offsets)
        assert off <= 1e-4 * max(1, length)


@pytest.mark.parametrize("family", OBSERVED)
def test_rows_sum_to_one_whatever_the_heads_share(family: str) -> None:
    trace = attended(tiny_model(family))
    for weights, moved in zip(trace, trace.moved(), strict=True):
        np.testing.assert_allclose(moved.weights.sum(-1), 1, atol=1e-5)
        np.testing.assert_allclose(moved.mean.sum(-1), 1, atol=1e-5)
        lengths = weights.weights * weights.value_norms[:, None]
        np.testing.assert_allclose(moved.weights, lengths / lengths.sum(-1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("family", OWN)
def test_families_that_give_their_weights_themselves_have_none(family: str) -> None:
    assert not attended(tiny_model(family)).has_moved


@pytest.mark.parametrize("family", [each for each in CAUSAL if each != "gpt_oss"])
def test_a_text_that_was_written_token_by_token_has_what_it_has_when_read_again(family: str) -> None:
    model = tiny_model(family)
    written = model.attend(TEXT, write=3)
    again = model.attend(TEXT, write=3, sites=("*.weights", "*.value"))  # read again as a whole
    assert written.source.ids == again.source.ids
    for one, other in zip(written, again, strict=True):
        np.testing.assert_allclose(one.companions["value_gram"], other.companions["value_gram"], rtol=1e-3, atol=1e-4)


def test_translators_move_in_every_kind_of_attention() -> None:
    for family in TRANSLATORS:
        trace = attended(tiny_model(family))
        assert {each.site.kind for each in trace.moved()} == {"self", "cross"}


class Packed(nn.Linear):
    """A linear map that does not show its matrix as it is."""

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(given * 3, self.weight / 3, self.bias)


class Bent(nn.Linear):
    """No linear map."""

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return super().forward(given).tanh()


def test_the_matrix_of_a_map_however_it_is_kept() -> None:
    for kind in (nn.Linear, Packed):
        made = kind(5, 7)
        assert torch.allclose(matrix_of(made), made.weight, atol=1e-6)
    assert matrix_of(Bent(5, 7)) is None
    half: Any = HalfLinear(5, 7)
    half.weight.data = half.weight.data.half()
    assert matrix_of(half) is half.weight
