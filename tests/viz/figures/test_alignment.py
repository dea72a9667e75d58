"""The alignment heatmap: positions, labels, scale, words; for any text."""

import json
import subprocess
import sys

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.edits import zero_head
from tests.support.figure_samples import AWKWARD, axis_title, bench, pieces, reader, translation
from tests.support.hovering import hover_text
from viz.figures import alignment_heatmap
from viz.views.view import choose_view

WORDS = st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=8)


def axes(figure: go.Figure, number: int) -> tuple[go.layout.XAxis, go.layout.YAxis]:
    suffix = "" if number == 0 else str(number + 1)
    return figure.layout[f"xaxis{suffix}"], figure.layout[f"yaxis{suffix}"]


def check_labels(figure: go.Figure) -> None:
    """Check that every panel has one tick a position, a label each, and queries from the top down."""
    for number, heatmap in enumerate(figure.data):
        queries, keys = heatmap.z.shape
        x, y = axes(figure, number)
        for axis, count in ((x, keys), (y, queries)):
            assert list(axis.tickvals) == list(range(count))
            assert len(axis.ticktext) == count
            assert all(axis.ticktext)
        assert tuple(x.range) == (-0.5, keys - 0.5)
        assert tuple(y.range) == (queries - 0.5, -0.5)


def test_one_figure_holds_a_panel_a_trace_on_one_scale() -> None:
    traces = bench()
    figure = alignment_heatmap(traces)
    check_labels(figure)
    assert [type(each) for each in figure.data] == [go.Heatmap] * 3
    assert {each.coloraxis for each in figure.data} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    meaning = "attention weight"
    assert figure.layout.coloraxis.colorbar.title.text == meaning
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert "<b>Bahdanau (additive), 2015</b>" in titles[0]
    assert "layer 1, head 5" in titles[2]
    tops = [axes(figure, number)[1].domain[1] for number in range(3)]
    assert tops == [tops[0]] * 3


def test_weights_are_drawn_as_they_are() -> None:
    trace = bench()[2]
    z = alignment_heatmap(trace).data[0].z
    assert isinstance(z, np.ndarray)
    assert z.dtype == np.float32
    np.testing.assert_array_equal(z, choose_view(trace).weights)


def test_arrays_are_sent_in_binary() -> None:
    spec = json.loads(alignment_heatmap(bench()).to_json())
    assert [each["z"]["dtype"] for each in spec["data"]] == ["f4"] * 3


def test_axes_are_named_in_words() -> None:
    figure = alignment_heatmap(bench())
    assert axis_title(figure, "x") == "key: the source word attended to"
    assert axis_title(figure, "y") == "query: the word being written"
    assert axis_title(figure, "y3") == "query: the word just read in"
    figure = alignment_heatmap(reader(("a", "b", "c", "d", "e", "f", "g")))
    assert axis_title(figure, "x") == "key: the word attended to"
    assert axis_title(figure, "y") == "query: the word that attends"


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_awkward_tokens_keep_their_positions(name: str, unit: str) -> None:
    texts = AWKWARD[name]
    figure = alignment_heatmap([translation(texts, texts), reader(texts)], unit=unit)  # type: ignore[arg-type]
    check_labels(figure)
    assert figure.data[0].z.shape == (len(texts), len(texts))
    assert all("<" not in text for number in (0, 1) for axis in axes(figure, number) for text in axis.ticktext)


def test_equal_words_stay_apart() -> None:
    x, _ = axes(alignment_heatmap(translation(AWKWARD["repeated"], ("b", "</s>"))), 0)
    assert list(x.ticktext) == ["the", "cat", "the", "cat", "&lt;/s&gt;"]
    assert list(x.tickvals) == [0, 1, 2, 3, 4]


@given(WORDS, WORDS, st.sampled_from(("word", "piece")), st.integers(200, 2000))
def test_any_text_can_be_drawn(source: list[str], target: list[str], unit: str, width: int) -> None:
    figure = alignment_heatmap(translation(source, target), unit=unit, width=width)  # type: ignore[arg-type]
    check_labels(figure)
    assert figure.data[0].z.shape == (len(target), len(source))
    figure.to_json().encode("utf-8")


def test_pieces_merge_to_words_and_say_so() -> None:
    source = pieces((" un", "believ", "able", "</s>"), (0, 0, 0, 1))
    trace = translation(source, ("incroyable", "</s>"))
    merged, split = alignment_heatmap(trace), alignment_heatmap(trace, unit="piece")
    assert merged.data[0].z.shape == (2, 2)
    assert "subwords merged into words" in merged.layout.annotations[0].text
    assert split.data[0].z.shape == (2, 4)
    assert "merged" not in split.layout.annotations[0].text
    assert axes(split, 0)[0].ticktext[0] == "␣un"


def test_edits_and_cuts_are_written_on_the_figure() -> None:
    trace = translation(("a", "</s>"), ("b", "</s>"), edits=(zero_head("decoder.0.cross", 3),), notes=("cut <here>",))
    text = alignment_heatmap(trace).layout.annotations[0].text
    assert "edited: head 3 is ablated (decoder layer 0 cross-attention)" in text.replace("<br>", " ")
    assert "cut &lt;here&gt;" in text


def test_hovering_gives_the_weight_and_both_tokens() -> None:
    heatmap = alignment_heatmap(bench()[0]).data[0]
    assert heatmap.customdata is None  # the axes hold the whole tokens
    assert heatmap.hovertemplate == "<b>%{z:.4f}</b>: writing <b>%{y}</b>, it attends to <b>%{x}</b><extra></extra>"


def test_hovering_gives_the_whole_of_a_token_that_an_axis_cuts() -> None:
    trace = translation(AWKWARD["long"], AWKWARD["long"])
    weight, word = f"{choose_view(trace).weights[0, 1]:.4f}", AWKWARD["long"][0]
    for colour in ("linear", "root"):
        figure = alignment_heatmap(trace, colour=colour)  # type: ignore[arg-type]
        assert axes(figure, 0)[0].ticktext[1].endswith("…")
        assert hover_text(figure, 0, 1) == f"<b>{weight}</b>: writing <b>{word}</b>, it attends to <b>{'x' * 500}</b>"


def test_a_figure_can_be_stacked() -> None:
    side_by_side, stacked = alignment_heatmap(bench()), alignment_heatmap(bench(), columns=1, width=360)
    assert stacked.layout.height > 2 * side_by_side.layout.height
    tops = [axes(stacked, number)[1].domain[1] for number in range(3)]
    assert tops == sorted(tops, reverse=True)


def test_a_map_of_many_rows_is_higher() -> None:
    heights = [
        alignment_heatmap(translation([f"w{n}" for n in range(count)], [f"m{n}" for n in range(count)])).layout.height
        for count in (8, 40)
    ]
    assert heights[1] > heights[0] + 500


def test_no_trace_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one trace"):
        alignment_heatmap([])


def test_figures_import_neither_torch_nor_streamlit() -> None:
    script = "import sys, viz.figures; print(sorted({'torch', 'streamlit', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
