"""Maps of long texts: every weight exact, in a picture that a browser can hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.trace import merge_to_words
from tests.support.canvas_samples import encoder
from tests.support.figure_samples import rows
from viz.figures import HeadPlace, head_combination, head_comparison, head_difference, rollout_heatmap
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.theme import weight_colour
from viz.views.hiding import Hiding

HEADS = (HeadPlace(0, 0), HeadPlace(0, 2), HeadPlace(1, 1))
TRACE = encoder(300, layers=2, heads=3)


@pytest.mark.parametrize("colour", ["linear", "root"])
@pytest.mark.parametrize("width", [340, 1320])
def test_each_head_is_there_as_it_is(colour: str, width: int) -> None:
    figure = head_comparison(TRACE, heads=HEADS, colour=colour, width=width)  # type: ignore[arg-type]
    for place, heatmap in zip(HEADS, figure.data, strict=True):
        np.testing.assert_array_equal(heatmap.z, TRACE.maps[place.layer].weights[place.head])
        assert heatmap.z.dtype == np.float32
        assert heatmap.customdata is None
        assert heatmap.x[7] == "8: word7"
        assert len(set(heatmap.x)) == 300
        assert "<b>%{z:.4f}</b>" in heatmap.hovertemplate
    assert figure.layout.height < 3000
    assert figure.layout.width <= max(width, 576)
    for axis in (figure.layout.xaxis, figure.layout.yaxis2):
        assert len(axis.tickvals) <= 12
        assert axis.ticktext[0] == "word0"
        assert 0 <= axis.domain[0] < axis.domain[1] <= 1


def test_the_square_root_is_in_the_colours_not_in_the_numbers() -> None:
    axis = head_comparison(TRACE, heads=HEADS[:1], colour="root").layout.coloraxis
    ends = [stop for stop, _shade in axis.colorscale]
    for weight in (0.0, 0.01, 0.09, 0.25, 0.5, 1.0):
        for channel in (1, 3, 5):
            expected = int(weight_colour(weight, "root")[channel : channel + 2], 16)
            shades = [int(shade[channel : channel + 2], 16) for _stop, shade in axis.colorscale]
            assert np.interp(weight, ends, shades) == pytest.approx(expected, abs=6)
    assert all(
        float(text) == pytest.approx(place)
        for place, text in zip(axis.colorbar.tickvals, axis.colorbar.ticktext, strict=True)
    )


def test_a_difference_names_both_weights_and_a_threshold_empties_cells() -> None:
    figure = head_difference(TRACE, first=HEADS[0], second=HEADS[1], colour="root")
    one, other = (TRACE.maps[0].weights[head] for head in (0, 2))
    np.testing.assert_array_equal(figure.data[0].z, one - other)
    np.testing.assert_array_equal(figure.data[0].customdata[..., 1], one)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    shown = head_comparison(TRACE, heads=HEADS[:1], hiding=Hiding(threshold=0.1)).data[0].z
    assert (np.isnan(shown) == (TRACE.maps[0].weights[0] < 0.1)).all()
    assert head_combination(TRACE, heads=HEADS, how="sum", colour="root").layout.coloraxis.cmax == pytest.approx(3)
    assert rollout_heatmap(TRACE).data[0].z.shape == (300, 300)


def test_short_texts_keep_a_label_a_token() -> None:
    short = encoder(MOST_LABELLED, layers=1, heads=1)
    assert len(head_comparison(short, heads=[HeadPlace(0, 0)]).layout.xaxis.tickvals) == MOST_LABELLED


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), st.lists(st.integers(1, 3), min_size=1, max_size=5))
def test_words_are_merged_head_by_head_as_all_at_once(queries: list[int], keys: list[int]) -> None:
    weights = rows(3, sum(queries), sum(keys))
    words = [[word for word, count in enumerate(each) for _ in range(count)] for each in (queries, keys)]
    found = merge_to_words(weights, query_words=words[0], key_words=words[1])
    expected = np.zeros((3, len(queries), len(keys)))
    for query, row in enumerate(words[0]):
        for key, column in enumerate(words[1]):
            expected[:, row, column] += weights[:, query, key].astype(np.float64) / queries[row]
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert found.dtype == np.float32
