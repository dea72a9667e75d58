"""Attention rollout: against a loop over tokens, what must hold of it, and the figure of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.trace import merge_to_words
from tests.support.figure_samples import AWKWARD, axis_title, pieces
from tests.support.head_samples import transformer
from viz.figures.rollout import rollout_heatmap
from viz.measures.rollout import rollout
from viz.views.hiding import Hiding

STACKS = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(0, 99))


def draw(layers: int, heads: int, size: int, seed: int) -> list[np.ndarray]:
    weights = np.random.default_rng(seed).dirichlet(np.full(size, 0.5), size=(layers, heads, size))
    return list(weights)


def looped(layers: list[np.ndarray]) -> np.ndarray:
    """Return rollout after the last layer, a sum over the token in between at a time."""
    size = layers[0].shape[1]
    reached = [[float(query == key) for key in range(size)] for query in range(size)]
    for layer in layers:
        heads = len(layer)
        mixed = [
            [
                0.5 * sum(layer[head][query][key] for head in range(heads)) / heads + 0.5 * (query == key)
                for key in range(size)
            ]
            for query in range(size)
        ]
        reached = [
            [sum(mixed[query][between] * reached[between][key] for between in range(size)) for key in range(size)]
            for query in range(size)
        ]
    return np.array(reached)


@given(STACKS)
def test_rollout_is_that_of_a_loop_over_tokens(case: tuple[int, int, int, int]) -> None:
    layers = draw(*case)
    found = rollout(layers)
    assert found.shape == (case[0], case[2], case[2])
    for last in range(len(layers)):
        np.testing.assert_allclose(found[last], looped(layers[: last + 1]), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=-1), 1)


@given(STACKS)
def test_causal_layers_have_causal_rollout(case: tuple[int, int, int, int]) -> None:
    layers = [np.tril(layer) for layer in draw(*case)]
    assert not np.triu(rollout(layers), k=1).any()


def test_heads_that_read_themselves_leave_everything_where_it_is() -> None:
    np.testing.assert_array_equal(rollout([np.eye(3)[None]] * 5)[-1], np.eye(3))


def test_what_does_not_fit_together_is_refused() -> None:
    for layers in ([], [np.ones((1, 2, 3))], [np.ones((1, 2, 2)), np.ones((1, 3, 3))], [np.ones((2, 2))]):
        with pytest.raises(ValueError, match="queries as keys"):
            rollout(layers)


@pytest.mark.parametrize("sites", ["encoder.*.self", "decoder.*.self"])
@pytest.mark.parametrize("layer", [0, 1, None])
def test_the_figure_shows_rollout_and_says_that_it_is_computed(sites: str, layer: int | None) -> None:
    trace = transformer(("a", "b", "a", "</s>"))
    figure = rollout_heatmap(trace, sites=sites, layer=layer)
    last = 2 if layer is None else layer
    maps = [trace[sites.replace("*", str(number))].weights for number in range(last + 1)]
    np.testing.assert_allclose(figure.data[0].z, looped(maps), atol=1e-6)
    said = figure.layout.annotations[0].text.replace("<br>", " ")
    assert "computed, not a weight of the model" in said
    assert "Abnar &amp; Zuidema 2020" in said
    assert ("layers 0 to 2" in said) == (layer is None)
    assert axis_title(figure, "x") == "key: the input word"
    assert axis_title(figure, "y") == "query: the word after these layers"
    assert "comes from" in figure.data[0].hovertemplate
    assert "attention rollout" in figure.layout.coloraxis.colorbar.title.text


def test_rollout_follows_pieces_and_is_merged_to_words_after() -> None:
    source = pieces((" un", "believ", "able", " cat", "</s>"), (0, 0, 0, 1, 2))
    trace = transformer(source)
    whole = rollout([trace[f"encoder.{layer}.self"].weights for layer in range(3)])[-1:]
    figure = rollout_heatmap(trace)
    expected = merge_to_words(whole, query_words=source.words, key_words=source.words)[0]
    np.testing.assert_allclose(figure.data[0].z, expected, atol=1e-6)
    assert "subwords merged into words" in figure.layout.annotations[0].text.replace("<br>", " ")
    assert rollout_heatmap(trace, unit="piece").data[0].z.shape == (5, 5)


def test_hidden_tokens_are_followed_all_the_same() -> None:
    trace = transformer(("a", "b", "c", "</s>"))
    whole = rollout_heatmap(trace).data[0].z
    hidden = rollout_heatmap(trace, hiding=Hiding(source=(3,))).data[0].z
    np.testing.assert_allclose(hidden, whole[:3], atol=1e-6)


def test_without_all_layers_from_the_first_on_there_is_no_rollout() -> None:
    trace = transformer()
    cut = replace(trace, maps=tuple(each for each in trace.maps if str(each.site) != "encoder.1.self"))
    for bad, options in ((cut, {}), (trace, {"sites": "decoder.*.cross"}), (trace, {"layer": 3})):
        with pytest.raises(ValueError, match="follows self-attention from layer 0"):
            rollout_heatmap(bad, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tokens_keep_their_places(name: str) -> None:
    texts = AWKWARD[name]
    figure = rollout_heatmap(transformer(texts, texts), sites="decoder.*.self", unit="piece")
    assert list(figure.layout.xaxis.tickvals) == list(range(len(texts)))
    assert not any("<" in text for text in figure.layout.xaxis.ticktext)
