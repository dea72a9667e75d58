"""The figures of heads: places, labels, scales, marks and words; for any text."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.edits import zero_head
from tests.support.figure_samples import AWKWARD, axis_title, pieces
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.figures.comparison import head_combination, head_comparison, head_difference
from viz.views.heads import HeadPlace

WORDS = st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=6)
FOUR = (HeadPlace(0, 0), HeadPlace(0, 7), HeadPlace(1, 3), HeadPlace(2, 5))


def texts_on(figure: go.Figure) -> str:
    return " ".join(annotation.text for annotation in figure.layout.annotations).replace("<br>", " ")


@given(WORDS, WORDS, st.sampled_from(list(KINDS)), st.sampled_from(("word", "piece")), st.integers(200, 2000))
@settings(max_examples=25)
def test_any_text_can_be_drawn(source: list[str], target: list[str], sites: str, unit: str, width: int) -> None:
    trace = transformer(source, target, layers=2, heads=3)
    shape = weights_of(trace, sites, 0, 0, unit=unit).shape
    places = (HeadPlace(0, 0), HeadPlace(1, 2))
    options = {"sites": sites, "unit": unit, "width": width}
    for figure in (
        head_comparison(trace, heads=places, **options),  # type: ignore[arg-type]
        head_difference(trace, first=places[0], second=places[1], **options),  # type: ignore[arg-type]
        head_combination(trace, heads=places, how="sum", **options),  # type: ignore[arg-type]
    ):
        assert {each.z.shape for each in figure.data if each.type == "heatmap"} == {shape}
        assert (len(figure.layout.yaxis.ticktext), len(figure.layout.xaxis.ticktext)) == shape
        figure.to_json().encode("utf-8")


@pytest.mark.parametrize("sites", KINDS)
def test_picked_heads_stand_side_by_side_on_one_scale(sites: str) -> None:
    trace = transformer()
    figure = head_comparison(trace, heads=FOUR, sites=sites)
    maps = [each for each in figure.data if each.type == "heatmap"]
    assert {heatmap.coloraxis for heatmap in maps} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    for heatmap, place in zip(maps, FOUR, strict=True):
        np.testing.assert_array_equal(heatmap.z, weights_of(trace, sites, *place))
        assert heatmap.name == place.title
        assert f"<b>{place.title}</b>" in texts_on(figure)


def test_panels_name_their_axes_and_keep_equal_words_apart() -> None:
    figure = head_comparison(transformer(AWKWARD["repeated"]), heads=FOUR[:2])
    for suffix in ("", "2"):
        x, y = figure.layout[f"xaxis{suffix}"], figure.layout[f"yaxis{suffix}"]
        assert axis_title(figure, f"x{suffix}") == "key: the word attended to"
        assert axis_title(figure, f"y{suffix}") == "query: the word that attends"
        assert list(x.ticktext) == list(y.ticktext) == ["the", "cat", "the", "cat", "&lt;/s&gt;"]
        assert list(x.tickvals) == [0, 1, 2, 3, 4]
        assert tuple(y.range) == (4.5, -0.5)


def test_heads_merged_edited_and_cut_say_so() -> None:
    source = pieces((" un", "believ", "able", "</s>"), (0, 0, 0, 1))
    trace = transformer(source, edits=(zero_head("encoder.0.self", 3),), notes=("cut <here>",))
    figures = (
        head_comparison(trace, heads=FOUR[:1]),
        head_difference(trace, first=FOUR[0], second=FOUR[1]),
        head_combination(trace, heads=FOUR),
    )
    for figure in figures:
        said = texts_on(figure)
        assert "subwords merged into words" in said
        assert "edited: head 3 is ablated (encoder layer 0 self-attention)" in said
        assert "cut &lt;here&gt;" in said


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_a_difference_is_signed_about_zero_and_names_both_heads(colour: str) -> None:
    trace = transformer()
    one, other = (weights_of(trace, "encoder.*.self", *place) for place in FOUR[1:3])
    figure = head_difference(trace, first=FOUR[1], second=FOUR[2], colour=colour)  # type: ignore[arg-type]
    (heatmap,) = figure.data
    axis = figure.layout.coloraxis
    assert axis.cmin == -axis.cmax == -1
    difference = heatmap.z if colour == "linear" else np.sign(heatmap.z) * heatmap.z**2
    np.testing.assert_allclose(difference, one - other, atol=1e-6)
    np.testing.assert_array_equal(heatmap.customdata, np.stack([one - other, one, other], axis=-1))
    meaning = axis.colorbar.title.text.replace("<br>", " ")
    assert "above 0 (purple) layer 0, head 7 attends to this token more" in meaning
    assert "below 0 (orange) layer 1, head 3" in meaning
    assert "%{customdata[0]:+.4f}" in heatmap.hovertemplate
    assert "layer 0, head 7: %{customdata[1]:.4f}" in heatmap.hovertemplate
    assert "layer 1, head 3: %{customdata[2]:.4f}" in heatmap.hovertemplate


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_a_sum_has_a_scale_of_its_own_and_says_so(colour: str) -> None:
    trace = transformer()
    figure = head_combination(trace, heads=FOUR[:3], how="sum", colour=colour)  # type: ignore[arg-type]
    wanted = sum(weights_of(trace, "encoder.*.self", *place) for place in FOUR[:3])
    drawn = figure.data[0].z if colour == "linear" else figure.data[0].z ** 2
    np.testing.assert_allclose(drawn, wanted, rtol=1e-5)
    axis = figure.layout.coloraxis
    assert axis.cmin == 0
    assert axis.cmax == pytest.approx(3 if colour == "linear" else 3**0.5)
    assert "from 0 to 3, because each head sums to 1" in axis.colorbar.title.text.replace("<br>", " ")
    if colour == "root":
        assert axis.colorbar.tickvals[-1] == pytest.approx(axis.cmax)
        assert axis.colorbar.ticktext[-1] == "3"
    said = texts_on(figure)
    assert "Sum of 3 heads" in said
    assert "layer 0, head 0; layer 0, head 7; layer 1, head 3" in said


def test_a_mean_is_a_weight() -> None:
    trace = transformer()
    figure = head_combination(trace, heads=FOUR, how="mean")
    wanted = np.mean([weights_of(trace, "encoder.*.self", *place) for place in FOUR], axis=0)
    np.testing.assert_allclose(figure.data[0].z, wanted, rtol=1e-5)
    np.testing.assert_allclose(figure.data[0].z.sum(axis=1), 1, atol=1e-5)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_a_token_that_an_axis_cuts_is_whole_in_the_hover_text() -> None:
    trace = transformer(AWKWARD["long"])
    for colour in ("linear", "root"):
        heatmap = head_comparison(trace, heads=FOUR[:1], colour=colour).data[0]  # type: ignore[arg-type]
        query, key = (int(place) for place in re.findall(r"customdata\[(\d)\]", heatmap.hovertemplate)[-2:])
        assert heatmap.customdata[0, 1, query] == AWKWARD["long"][0]
        assert heatmap.customdata[0, 1, key] == "x" * 500


def test_what_there_is_not_is_refused() -> None:
    trace = transformer()
    with pytest.raises(KeyError, match=r"encoder\.7"):
        head_comparison(trace, heads=FOUR, sites="encoder.7.self")
    with pytest.raises(ValueError, match="one stack and kind"):
        head_comparison(trace, heads=FOUR, sites="decoder.*")
    with pytest.raises(ValueError, match="at least one head"):
        head_comparison(trace, heads=[])
    with pytest.raises(ValueError, match="no head 8 in layer 0"):
        head_comparison(trace, heads=[HeadPlace(0, 8)])
    with pytest.raises(ValueError, match="colour is one of"):
        head_comparison(trace, heads=FOUR, colour="square")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'sum' or 'mean'"):
        head_combination(trace, heads=FOUR, how="max")  # type: ignore[arg-type]
