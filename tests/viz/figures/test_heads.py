"""The figures of heads: places, labels, scales, marks and words; for any text."""

import json
import re

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.figure_samples import AWKWARD, axis_title, pieces
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.figures.comparison import head_combination, head_comparison, head_difference
from viz.figures.drawing.heads import HeadPlace
from viz.figures.drawing.mosaic import MOST_TOKENS
from viz.figures.overview import head_overview
from viz.text import tokens

WORDS = st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=6)
FOUR = (HeadPlace(0, 0), HeadPlace(0, 7), HeadPlace(1, 3), HeadPlace(2, 5))


def small_map(figure: go.Figure, layer: int, head: int, *, queries: int, keys: int) -> np.ndarray:
    """Cut one small map out of the mosaic."""
    top, left = layer * (queries + 1), head * (keys + 1)
    return figure.data[0].z[top : top + queries, left : left + keys]


def hovered(figure: go.Figure, row: int, column: int) -> tuple[str, str]:
    """Return what hovering over a cell of the mosaic says of its row and its column, as Plotly finds it."""
    heatmap, found = figure.data[0], []
    for axis, edges, cell in ((figure.layout.yaxis, heatmap.y, row), (figure.layout.xaxis, heatmap.x, column)):
        middle, reach = (edges[cell] + edges[cell + 1]) / 2, abs(axis.range[1] - axis.range[0]) / 10_000
        (place,) = [place for place, tick in enumerate(axis.tickvals) if abs(tick - middle) < reach]
        found.append(axis.ticktext[place])
    return found[0], found[1]


def texts_on(figure: go.Figure) -> str:
    return " ".join(annotation.text for annotation in figure.layout.annotations).replace("<br>", " ")


@pytest.mark.parametrize("sites", KINDS)
def test_the_overview_is_one_heatmap_that_holds_every_head(sites: str) -> None:
    trace = transformer(("a", "b", "c", "d", "</s>"))
    figure = head_overview(trace, sites=sites)
    (heatmap,) = figure.data
    queries, keys = weights_of(trace, sites, 0, 0).shape
    assert heatmap.z.shape == (3 * (queries + 1) - 1, 8 * (keys + 1) - 1)
    assert (len(heatmap.y), len(heatmap.x)) == (heatmap.z.shape[0] + 1, heatmap.z.shape[1] + 1)
    for layer in range(3):
        for head in range(8):
            shown = small_map(figure, layer, head, queries=queries, keys=keys)
            np.testing.assert_array_equal(shown, weights_of(trace, sites, layer, head))
    assert np.isnan(heatmap.z[queries]).all()
    assert np.isnan(heatmap.z[:, keys]).all()
    assert np.isfinite(heatmap.z).sum() == 3 * 8 * queries * keys
    assert not heatmap.hoverongaps


def test_the_overview_has_one_scale_with_its_meaning() -> None:
    axis = head_overview(transformer()).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (0, 1)
    assert "attention weight: share of the reading given to this token" in axis.colorbar.title.text.replace("<br>", " ")


def test_rows_are_layers_and_columns_heads_from_the_upper_left() -> None:
    figure = head_overview(transformer())
    names = {annotation.text: annotation for annotation in figure.layout.annotations}
    assert [names[f"layer {layer}"].y for layer in range(3)] == sorted(
        (names[f"layer {layer}"].y for layer in range(3)), reverse=True
    )
    assert [names[f"head {head}"].x for head in range(8)] == sorted(names[f"head {head}"].x for head in range(8))
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert (np.diff(figure.data[0].y) > 0).all()


def test_the_overview_says_in_words_what_rows_and_columns_are() -> None:
    said = texts_on(head_overview(transformer(), sites="encoder.*.self"))
    assert "rows, from the top: query, the word that reads" in said
    assert "columns: key, the word being read" in said
    said = texts_on(head_overview(transformer(), sites="decoder.*.cross", unit="piece"))
    assert "rows, from the top: query, the piece being written" in said
    assert "columns: key, the source piece being read" in said


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_hovering_names_layer_head_both_tokens_and_the_weight(colour: str) -> None:
    trace = transformer(("a", "b", "a", "</s>"))
    figure = head_overview(trace, colour=colour)  # type: ignore[arg-type]
    row, column = hovered(figure, 2 * 5 + 1, 6 * 5 + 2)
    assert (row, column) == ("layer 2 · query: <b>b</b>", "head 6 · key: <b>a</b>")
    heatmap = figure.data[0]
    named = heatmap.customdata if "%{customdata:.4f}" in heatmap.hovertemplate else heatmap.z
    assert ("%{z:.4f}" in heatmap.hovertemplate) == (colour == "linear")
    assert named[2 * 5 + 1, 6 * 5 + 2] == weights_of(trace, "encoder.*.self", 2, 6)[1, 2]


def test_root_colour_draws_roots_and_says_so() -> None:
    trace = transformer()
    figure = head_overview(trace, colour="root")
    np.testing.assert_allclose(figure.data[0].z, np.sqrt(head_overview(trace).data[0].z), rtol=1e-6)
    assert "square root" in figure.layout.coloraxis.colorbar.title.text.replace("<br>", " ")


def test_picked_heads_are_framed_where_they_are() -> None:
    figure = head_overview(transformer(), picked=FOUR)
    assert len(figure.layout.shapes) == 4
    heatmap = figure.data[0]
    for frame, place in zip(figure.layout.shapes, FOUR, strict=True):
        left, right = heatmap.x[place.head * 5], heatmap.x[place.head * 5 + 4]
        top, bottom = heatmap.y[place.layer * 5], heatmap.y[place.layer * 5 + 4]
        assert frame.x0 < left < right < frame.x1
        assert frame.y0 < top < bottom < frame.y1
        for axis, ends in ((figure.layout.xaxis, (frame.x0, frame.x1)), (figure.layout.yaxis, (frame.y0, frame.y1))):
            assert min(axis.range) <= min(ends)
            assert max(ends) <= max(axis.range)


def test_a_frame_around_nothing_is_refused() -> None:
    for place in (HeadPlace(3, 0), HeadPlace(0, 8), HeadPlace(0, -1)):
        with pytest.raises(ValueError, match="no head"):
            head_overview(transformer(), picked=[place])


@pytest.mark.parametrize("width", [320, 700, 1320, 2400])
def test_nothing_of_the_overview_leaves_the_figure(width: int) -> None:
    figure = head_overview(transformer(), sites="decoder.*.self", width=width)
    assert figure.layout.width == width
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert 0 <= axis.domain[0] < axis.domain[1] <= 1
    for annotation in figure.layout.annotations:
        assert 0 <= annotation.x <= 1
        assert 0 <= annotation.y <= 1


def test_a_long_text_is_pooled_by_its_largest_weights_and_says_so() -> None:
    words = [f"w{place}" for place in range(2 * MOST_TOKENS)] + ["</s>"]
    trace = transformer(words, layers=1, heads=2)
    figure = head_overview(trace)
    cells = -(-len(words) // 3)
    assert figure.data[0].z.shape == (cells, 2 * cells + 1)
    weights = weights_of(trace, "encoder.*.self", 0, 1)
    assert figure.data[0].z[1, cells + 3] == weights[3:6, 6:9].max()
    assert hovered(figure, 1, cells + 3) == ("layer 0 · query: <b>w3 … w5</b>", "head 1 · key: <b>w6 … w8</b>")
    assert figure.data[0].hovertemplate.startswith("largest of these: ")


def test_the_overview_is_small_and_sent_in_binary() -> None:
    words = [f"word{place}" for place in range(20)]
    text = head_overview(transformer(words, words)).to_json()
    assert json.loads(text)["data"][0]["z"]["dtype"] == "f4"
    assert len(text) < 100_000


@pytest.mark.parametrize("sites", KINDS)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_awkward_tokens_keep_their_places(name: str, unit: str, sites: str) -> None:
    texts = AWKWARD[name]
    figure = head_overview(transformer(texts, texts), sites=sites, unit=unit)  # type: ignore[arg-type]
    count = len(texts)
    assert len(figure.layout.xaxis.ticktext) == len(figure.layout.xaxis.tickvals) == 8 * count
    assert len(figure.layout.yaxis.ticktext) == len(figure.layout.yaxis.tickvals) == 3 * count
    read = transformer(texts, texts).source if sites != "decoder.*.self" else transformer(texts, texts).target_input
    wanted = [f"head 0 · key: <b>{tokens.full_label(text)}</b>" for text in read.texts]
    assert list(figure.layout.xaxis.ticktext[:count]) == wanted


@given(WORDS, WORDS, st.sampled_from(list(KINDS)), st.sampled_from(("word", "piece")), st.integers(200, 2000))
@settings(max_examples=25)
def test_any_text_can_be_drawn(source: list[str], target: list[str], sites: str, unit: str, width: int) -> None:
    trace = transformer(source, target, layers=2, heads=3)
    shape = weights_of(trace, sites, 0, 0, unit=unit).shape
    overview = head_overview(trace, sites=sites, unit=unit, width=width)  # type: ignore[arg-type]
    assert np.isfinite(overview.data[0].z).sum() == 2 * 3 * shape[0] * shape[1]
    assert len(overview.layout.yaxis.ticktext) == 2 * shape[0]
    places = (HeadPlace(0, 0), HeadPlace(1, 2))
    options = {"sites": sites, "unit": unit, "width": width}
    for figure in (
        head_comparison(trace, heads=places, **options),  # type: ignore[arg-type]
        head_difference(trace, first=places[0], second=places[1], **options),  # type: ignore[arg-type]
        head_combination(trace, heads=places, how="sum", **options),  # type: ignore[arg-type]
    ):
        assert {heatmap.z.shape for heatmap in figure.data} == {shape}
        assert (len(figure.layout.yaxis.ticktext), len(figure.layout.xaxis.ticktext)) == shape
        figure.to_json().encode("utf-8")
    overview.to_json().encode("utf-8")


@pytest.mark.parametrize("sites", KINDS)
def test_picked_heads_stand_side_by_side_on_one_scale(sites: str) -> None:
    trace = transformer()
    figure = head_comparison(trace, heads=FOUR, sites=sites)
    assert len(figure.data) == 4
    assert {heatmap.coloraxis for heatmap in figure.data} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    for heatmap, place in zip(figure.data, FOUR, strict=True):
        np.testing.assert_array_equal(heatmap.z, weights_of(trace, sites, *place))
        assert heatmap.name == place.title
        assert f"<b>{place.title}</b>" in texts_on(figure)


def test_panels_name_their_axes_and_keep_equal_words_apart() -> None:
    figure = head_comparison(transformer(AWKWARD["repeated"]), heads=FOUR[:2])
    for suffix in ("", "2"):
        x, y = figure.layout[f"xaxis{suffix}"], figure.layout[f"yaxis{suffix}"]
        assert axis_title(figure, f"x{suffix}") == "key: the word being read"
        assert axis_title(figure, f"y{suffix}") == "query: the word that reads"
        assert list(x.ticktext) == list(y.ticktext) == ["the", "cat", "the", "cat", "&lt;/s&gt;"]
        assert list(x.tickvals) == [0, 1, 2, 3, 4]
        assert tuple(y.range) == (4.5, -0.5)


def test_heads_merged_edited_and_cut_say_so() -> None:
    source = pieces((" un", "believ", "able", "</s>"), (0, 0, 0, 1))
    trace = transformer(source, edits=("zero_head(encoder.0.self, 3)",), notes=("cut <here>",))
    figures = (
        head_overview(trace),
        head_comparison(trace, heads=FOUR[:1]),
        head_difference(trace, first=FOUR[0], second=FOUR[1]),
        head_combination(trace, heads=FOUR),
    )
    for figure in figures:
        said = texts_on(figure)
        assert "pieces merged to words" in said
        assert "edited: zero_head(encoder.0.self, 3)" in said
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
    assert "above 0 (purple) layer 0, head 7 reads this token more" in meaning
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
    assert "from 0 to 3, not to 1" in axis.colorbar.title.text.replace("<br>", " ")
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
        head_overview(trace, sites="encoder.7.self")
    with pytest.raises(ValueError, match="one stack and kind"):
        head_overview(trace, sites="decoder.*")
    with pytest.raises(ValueError, match="at least one head"):
        head_comparison(trace, heads=[])
    with pytest.raises(ValueError, match="no head 8 in layer 0"):
        head_comparison(trace, heads=[HeadPlace(0, 8)])
    with pytest.raises(ValueError, match="colour is one of"):
        head_overview(trace, colour="square")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'sum' or 'mean'"):
        head_combination(trace, heads=FOUR, how="max")  # type: ignore[arg-type]
