"""Vectors by distance: the numbers that figures draw of them, worked out here a second time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from models.experiments.arithmetic import parameters_at
from models.sites import Site
from tests.support.small_models import SIZES, translator
from viz.figures.distances import distance_biases, distance_cosines, distance_norms, score_parts_heatmap
from viz.measures.distances import biases, cosines, distances_read, score_parts, share_of_distance
from viz.views.view import choose_view

KEY = "transformer-relative"
REACH = SIZES[KEY]["reach"]
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
places = pytest.mark.parametrize("place", ["encoder.1.self", "decoder.0.self"])


def tables(place: str) -> tuple[np.ndarray, np.ndarray]:
    names = ("distance_key.weight", "distance_value.weight")
    found = parameters_at(translator(KEY), Site.parse(place), names)
    return found[names[0]], found[names[1]]


@places
def test_the_two_parts_of_a_score_are_the_products_with_the_keys_and_with_the_distances(place: str) -> None:
    trace = translator(KEY).attend("The cat drank the milk.", "le chat a bu", sites=(f"{place}.*",))
    found = trace[place].companions
    table, causal = tables(place)[0], place.startswith("decoder")
    for head in range(len(trace[place].head_names)):
        words, distance = score_parts(found["scores"][head], found["by_distance"][head], found["mask"][head])
        query, key = found["query"][head], found["key"][head]
        for row in range(len(query)):
            for column in range(len(key)):
                if causal and column > row:
                    assert np.isnan([words[row, column], distance[row, column]]).all()
                    continue
                vector = table[min(max(column - row, -REACH), REACH) + REACH]
                size = len(query[row]) ** 0.5
                np.testing.assert_allclose(words[row, column], query[row] @ key[column] / size, **CLOSE)
                np.testing.assert_allclose(distance[row, column], query[row] @ vector / size, **CLOSE)


@places
def test_what_a_distance_adds_is_the_mean_over_the_queries(place: str) -> None:
    trace = translator(KEY).attend("The cat drank the milk.", "le chat a bu", sites=(f"{place}.*",))
    found, table = trace[place].companions, tables(place)[0]
    added = biases(found["query"], table)
    pairs = [(row, column) for row in range(4) for column in range(row + 1)]
    for distance in (-1, 0):
        own = [found["query"][1, row] @ table[distance + REACH] / 2 for row in range(found["query"].shape[1])]
        np.testing.assert_allclose(added[1, distance + REACH], np.mean(own), **CLOSE)
        cells = [found["by_distance"][1, row, column] for row, column in pairs if column - row == distance]
        rows = [row for row, column in pairs if column - row == distance]
        np.testing.assert_allclose(cells, [own[row] for row in rows], **CLOSE)


@given(arrays(np.float64, (5, 3), elements=st.floats(-10, 10)))
def test_cosines_are_symmetric_within_their_range_and_know_no_length(vectors: np.ndarray) -> None:
    found = cosines(vectors)
    np.testing.assert_array_equal(found, found.T)
    assert np.abs(found).max() <= 1
    large = np.linalg.norm(vectors, axis=1) > 1e-100
    np.testing.assert_allclose(np.diagonal(found)[large], 1, atol=1e-6)
    np.testing.assert_allclose(cosines(vectors[large] * 3), cosines(vectors[large]), atol=1e-6)


def test_what_is_the_same_for_every_key_tells_none_apart() -> None:
    rng = np.random.default_rng(0)
    words = rng.normal(size=(4, 4)).astype(np.float32)
    assert share_of_distance(words, np.full((4, 4), 7.0, np.float32)) == 0
    assert share_of_distance(np.zeros_like(words), words) == 1
    assert share_of_distance(words, words) == pytest.approx(0.5)
    assert share_of_distance(np.full((1, 1), 2.0), np.full((1, 1), 3.0)) == 0


@places
@pytest.mark.parametrize("width", [340, 1320])
def test_the_figures_draw_these_numbers_and_say_what_they_are(place: str, width: float) -> None:
    both, causal = tables(place), place.startswith("decoder")
    distances = distances_read(both[0], causal=causal)
    assert distances.tolist() == list(range(-REACH, 1 if causal else REACH + 1))
    named = {name: each[: len(distances)] for name, each in zip(("keys", "values"), both, strict=True)}
    figure = distance_cosines(named, distances, width=width)
    for shown, vectors in zip(figure.data, named.values(), strict=True):
        np.testing.assert_array_equal(shown.z, cosines(vectors))
    assert "distance: key minus query, in tokens" in figure.to_json().replace("\\u003cbr\\u003e", " ")
    norms = distance_norms(named, distances, width=width)
    np.testing.assert_allclose(norms.data[1].y, np.linalg.norm(named["values"], axis=1), **CLOSE)
    added = np.arange(4 * len(distances), dtype=float).reshape(4, -1)
    lines = distance_biases(added, distances, head=1, width=width)
    np.testing.assert_array_equal(lines.data[-1].y, added[1])
    assert len({line.line.color for line in lines.data[:-1]}) == 1
    assert lines.data[-1].line.color != lines.data[0].line.color


@places
def test_both_parts_are_drawn_on_one_scale(place: str) -> None:
    trace = translator(KEY).attend("the cat the cat 🔥 أحب", "le chat", sites=(f"{place}.*",))
    found = trace[place].companions
    parts = score_parts(found["scores"][0], found["by_distance"][0], found["mask"][0])
    figure = score_parts_heatmap(choose_view(trace, site=place, head=0, unit="piece"), *parts)
    for shown, values in zip(figure.data[:2], parts, strict=True):
        np.testing.assert_array_equal(shown.z, values)
        assert shown.coloraxis == "coloraxis"
    largest = max(np.nanmax(np.abs(each)) for each in parts)
    assert figure.layout.coloraxis.cmax == -figure.layout.coloraxis.cmin == pytest.approx(largest)
