"""Positions left out: what the encoder then knows, and that nobody else's runs change."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.experiments.positions import NOTE, WithoutSourcePositions, encodings, without_positions
from models.hooks import capture
from models.networks.transformer import TransformerNetwork
from tests.support.small_models import network, translator
from viz.figures.positions import dot_products, dot_products_by_distance, position_encoding

VOCABULARY = 12
TRANSFORMERS = ("transformer", "transformer-post-ln")


def small(key: str) -> TransformerNetwork:
    made = network(key, vocabulary=VOCABULARY)
    assert isinstance(made, TransformerNetwork)
    return made


def maps(made: torch.nn.Module, ids: list[int]) -> dict[str, np.ndarray]:
    with torch.inference_mode(), capture(["encoder.*.self"]) as session:
        made.encode(torch.tensor([ids]))  # type: ignore[operator]
    return {str(site): session[site][0].numpy() for site in session.sites}


@pytest.mark.parametrize("key", TRANSFORMERS)
@settings(max_examples=20)
@given(order=st.permutations(range(5)))
def test_without_positions_permuted_words_permute_the_maps(key: str, order: list[int]) -> None:
    ids = [5, 9, 4, 3, 7]
    made = WithoutSourcePositions(small(key))
    for site, first in maps(made, ids).items():
        second = maps(made, [ids[each] for each in order])[site]
        np.testing.assert_allclose(second, first[:, order][:, :, order], atol=1e-5)


@pytest.mark.parametrize("key", TRANSFORMERS)
def test_with_positions_they_do_not(key: str) -> None:
    first, second = (maps(small(key), ids)["encoder.0.self.weights"] for ids in ([5, 9, 4], [4, 9, 5]))
    assert np.abs(second - first[:, ::-1, ::-1]).max() > 1e-3


@pytest.mark.parametrize("key", TRANSFORMERS)
def test_the_model_itself_is_left_as_it_was_and_its_parameters_are_shared(key: str) -> None:
    model = translator(key)
    before, positions = model.attend("The cat drank."), encodings(model, 8).clone()
    blind = without_positions(model)
    altered = blind.attend("The cat drank.")
    after = model.attend("The cat drank.")
    np.testing.assert_array_equal(before["decoder.0.cross"].weights, after["decoder.0.cross"].weights)
    assert torch.equal(encodings(model, 8), positions)
    assert positions.abs().max() == 1
    assert np.abs(altered.steps[0].log_probability - before.steps[0].log_probability) > 1e-6
    own = {each.data_ptr() for each in model.network.parameters()}
    assert {each.data_ptr() for each in blind.network.parameters()} == own
    assert NOTE in altered.provenance.notes
    assert NOTE not in after.provenance.notes


def test_the_decoder_keeps_its_positions() -> None:
    """A forced pass equals steps with positions, whose offset a decoder without them would not notice."""
    model = small("transformer")
    blind = WithoutSourcePositions(model)
    source, inputs = torch.tensor([[5, 9, 4]]), torch.tensor([[1, 6, 6, 6]])
    with torch.inference_mode():
        memory = blind.encode(source)
        assert torch.equal(blind.decode(memory, inputs), model.decode(memory, inputs))
        assert not torch.allclose(memory.states, model.encode(source).states, atol=1e-3)


def test_a_model_that_adds_none_has_none_to_leave_out() -> None:
    for act in (without_positions, lambda model: encodings(model, 3)):
        with pytest.raises(TypeError, match="adds no positions"):
            act(translator("bahdanau"))
        with pytest.raises(TypeError, match="adds no positions"):
            act(translator("transformer-relative"))


def test_dot_products_depend_on_the_distance_alone() -> None:
    added = encodings(translator("transformer"), 40).numpy()
    distances, means, spread = dot_products(added)
    assert spread < 1e-5
    rates = 1 / 10000 ** (np.arange(0, added.shape[1], 2) / added.shape[1])
    np.testing.assert_allclose(means, np.cos(distances[:, None] * rates).sum(axis=1), atol=1e-5)
    added[3] *= 2
    assert dot_products(added)[2] > 1


def test_positions_are_less_alike_further_away_on_the_whole_and_in_waves() -> None:
    _distances, means, _spread = dot_products(encodings(translator("transformer"), 40).numpy())
    away = means[39:]
    assert away[0] == away.max()
    assert away[-10:].mean() < away[1:11].mean()
    assert (np.diff(away) > 0).any()


def test_the_figures_draw_exactly_these_numbers() -> None:
    added = encodings(translator("transformer"), 24).numpy()
    for width in (340, 1320):
        heatmap = position_encoding(added, width=width)
        np.testing.assert_array_equal(heatmap.data[0].z, added)
        assert (heatmap.layout.coloraxis.cmin, heatmap.layout.coloraxis.cmax) == (-1, 1)
        assert heatmap.layout.yaxis.title.text == "position"
        line = dot_products_by_distance(added, width=width)
        np.testing.assert_allclose(line.data[0].y, dot_products(added)[1])
        assert "distance" in line.layout.xaxis.title.text
