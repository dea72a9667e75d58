"""Heads as lines: every line is a weight, few traces, a direction in words, a token alone."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.support.canvas_samples import encoder
from tests.support.colours import luminance
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.figures.drawing.theme import HEAD_COLOURS
from viz.figures.lines import CLASSES, LEAST, faded, head_lines
from viz.text.tokens import full_label
from viz.views.heads import HeadPlace
from viz.views.hiding import Hiding

FOUR = (HeadPlace(0, 0), HeadPlace(0, 7), HeadPlace(1, 3), HeadPlace(2, 5))


def lines_of(figure: go.Figure, place: HeadPlace) -> list[tuple[int, int, float, float]]:
    """Return the lines of one head: query, key, thickness, opacity."""
    found = []
    for trace in figure.data:
        if trace.meta == "lines" and trace.legendgroup == place.title:
            ends = np.reshape(trace.y, (-1, 3))
            np.testing.assert_array_equal(np.reshape(trace.x, (-1, 3)), [[0, 1, np.nan]] * len(ends))
            assert np.isnan(ends[:, 2]).all()
            assert np.abs(ends[:, :2] - np.round(ends[:, :2])).max() < 0.5
            pairs = np.round(ends[:, :2]).astype(int).tolist()
            opacity = float(trace.line.color.rpartition(",")[2].rstrip(")"))
            found += [(query, key, trace.line.width, opacity) for query, key in pairs]
    return found


@pytest.mark.parametrize("sites", KINDS)
@pytest.mark.parametrize("least", [LEAST, 0.3])
def test_each_weight_from_the_threshold_on_is_one_line_of_its_head(sites: str, least: float) -> None:
    trace = transformer(("a", "b", "a", "c", "</s>"), ("d", "e", "f", "</s>"))
    figure = head_lines(trace, heads=FOUR, sites=sites, hiding=Hiding(threshold=least))
    for place in FOUR:
        weights = weights_of(trace, sites, *place)
        lines = lines_of(figure, place)
        assert sorted(line[:2] for line in lines) == sorted(map(tuple, np.argwhere(weights >= least).tolist()))
        for one, other in itertools.product(lines, lines):
            heavier = weights[one[:2]] > weights[other[:2]]
            assert not heavier or (one[2] >= other[2] and one[3] >= other[3])
    drawn = sum(len(lines_of(figure, place)) for place in FOUR)
    all_ = 4 * weights.size
    said = " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")
    assert f"below {least:g} not drawn: {all_ - drawn} of {all_}" in said


def test_four_heads_of_64_tokens_are_few_traces_and_few_bytes() -> None:
    figure = head_lines(encoder(64, layers=3, heads=8), heads=FOUR, hiding=Hiding(threshold=0.001))
    assert sum(len(lines_of(figure, place)) for place in FOUR) > 1_000
    assert len(figure.data) <= 4 * (CLASSES + 1) + 2
    assert len(figure.to_json()) < 400_000


def test_the_direction_is_written_on_it_and_the_columns_are_named() -> None:
    figure = head_lines(transformer(), heads=FOUR[:2])
    said = " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")
    assert "lines run from the query (left) to the key (right)" in said
    assert "query: the word that attends" in said
    assert "key: the word attended to" in said
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [place.title for place in FOUR[:2]]


def test_heads_have_colours_of_their_own_that_stand_out_on_light_and_on_dark() -> None:
    figure = head_lines(transformer(), heads=FOUR)
    named = {trace.name: trace.line.color for trace in figure.data if trace.name}
    assert named == {place.title: colour for place, colour in zip(FOUR, HEAD_COLOURS, strict=True)}
    for trace in figure.data:
        if trace.meta == "lines":
            assert trace.line.color.startswith(faded(named[trace.legendgroup], 1).rpartition(",")[0])
    for colour in HEAD_COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) >= 3
        assert (luminance(colour) + 0.05) / (luminance("#171614") + 0.05) >= 3


def test_hovering_over_a_token_names_its_strongest_lines_of_all_heads() -> None:
    trace = transformer(("a", "b", "a", "</s>"))
    figure = head_lines(trace, heads=FOUR[:2])
    queries, keys = (next(each for each in figure.data if each.meta == side) for side in ("query", "key"))
    pair = [weights_of(trace, "encoder.*.self", *place) for place in FOUR[:2]]
    weight, head, key = max((float(pair[head][1, key]), head, key) for head in (0, 1) for key in range(4))
    lines = queries.text[1].split("<br>")
    assert lines[0] == "“<b>b</b>” attends to"
    assert lines[1] == f"“{full_label(trace.source.texts[key])}” {weight:.4f} ({FOUR[head].title})"
    assert keys.text[3].startswith("“<b>&lt;/s&gt;</b>” gets attention from<br>")
    assert (list(queries.x), list(keys.x)) == ([0] * 4, [1] * 4)


@pytest.mark.parametrize("sites", KINDS)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("width", [340, 1300])
def test_awkward_tokens_keep_their_places(name: str, sites: str, width: int) -> None:
    texts = AWKWARD[name]
    figure = head_lines(transformer(texts, texts), heads=FOUR[:2], sites=sites, width=width)
    for axis in (figure.layout.yaxis, figure.layout.yaxis2):
        assert list(axis.tickvals) == list(range(len(texts)))
        assert len(axis.ticktext) == len(texts)
        assert not any("<" in text or "\x00" in text for text in axis.ticktext)
    low, high = figure.layout.xaxis.domain
    assert 0 <= low < high <= 1
    figure.to_json().encode("utf-8")


def test_hidden_tokens_are_one_place_at_the_foot_of_the_keys() -> None:
    trace = transformer(("a", "b", "c", "</s>"))
    figure = head_lines(trace, heads=FOUR[:1], hiding=Hiding(source=(3,)))
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "c"]
    assert list(figure.layout.yaxis2.ticktext) == ["a", "b", "c", "⟨hidden⟩"]


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="1 to 4 heads; got 0"):
        head_lines(transformer(), heads=[])
    with pytest.raises(ValueError, match="1 to 4 heads; got 5"):
        head_lines(transformer(), heads=[*FOUR, HeadPlace(1, 1)])
