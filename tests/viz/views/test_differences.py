"""The difference of two maps: signed, of one word with itself, and only where both read and write the same."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.sites import Site
from models.trace import Alignment, AttentionTrace
from tests.support.figure_samples import AWKWARD, axis_title, pieces, translation
from tests.support.hovering import hover_text
from viz.captions.differences import notes_of_difference, sentence_of_difference
from viz.figures import difference_heatmap
from viz.views.differences import choose_difference
from viz.views.view import choose_view

SOURCE, TARGET = ("the", "cat", "the", "</s>"), ("le", "chat", "le", "</s>")
WORDS = st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=8)


def pair(source: object = SOURCE, target: object = TARGET, **second: object) -> tuple[AttentionTrace, AttentionTrace]:
    changes = {"seed": 2, "title": "Luong (general)", "decoding": "forced"} | second
    first = translation(source, target, seed=1, decoding="forced")  # type: ignore[arg-type]
    return first, translation(source, target, **changes)  # type: ignore[arg-type]


def axes(figure: go.Figure) -> tuple[go.layout.XAxis, go.layout.YAxis]:
    return figure.layout.xaxis, figure.layout.yaxis


def test_the_second_is_taken_from_the_first() -> None:
    first, second = pair()
    z = difference_heatmap(first, second).data[0].z
    np.testing.assert_array_equal(z, choose_view(first).weights - choose_view(second).weights)
    np.testing.assert_array_equal(difference_heatmap(second, first).data[0].z, -z)


def test_the_scale_is_symmetric_and_says_what_above_0_means() -> None:
    figure = difference_heatmap(*pair())
    layout = figure.layout
    assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == (-1, 1)
    meaning = layout.coloraxis.colorbar.title.text.replace("<br>", " ")
    assert meaning == "above 0: Bahdanau (additive) gives this word more; below: Luong (general)"
    assert "the translation was given" in layout.annotations[0].text
    assert axis_title(figure, "x") == "key: the source word attended to"
    assert axis_title(figure, "y") == "query: the word being written"


def test_square_root_colours_keep_the_sign_and_the_numbers() -> None:
    first, second = pair()
    linear, root = difference_heatmap(first, second), difference_heatmap(first, second, colour="root")
    drawn, exact = root.data[0].z, linear.data[0].z
    np.testing.assert_allclose(np.sign(drawn) * drawn**2, exact, atol=1e-6)
    np.testing.assert_array_equal(root.data[0].customdata, linear.data[0].customdata)
    bar = root.layout.coloraxis.colorbar
    assert "square root" in bar.title.text.replace("<br>", " ")
    places = dict(zip(bar.ticktext, bar.tickvals, strict=True))
    assert places["0.25"] == pytest.approx(0.5)
    assert places["-0.25"] == pytest.approx(-0.5)


def test_hovering_gives_the_difference_both_weights_and_both_words() -> None:
    first, second = pair()
    heatmap = difference_heatmap(first, second).data[0]
    one, other = (choose_view(each).weights for each in (first, second))
    np.testing.assert_allclose(heatmap.customdata, np.stack((one - other, one, other), axis=-1), atol=1e-7)
    numbers = [f"%{{customdata[{place}]:{sign}.4f}}" for place, sign in enumerate(("+", "", ""))]
    assert heatmap.hovertemplate == (
        f"<b>{numbers[0]}</b>: Bahdanau (additive) {numbers[1]}, Luong (general) {numbers[2]}<br>"
        "“<b>%{y}</b>” attends to “<b>%{x}</b>”<extra></extra>"
    )


def test_hovering_gives_the_whole_of_a_token_that_an_axis_cuts() -> None:
    traces = pair(AWKWARD["long"], AWKWARD["long"])
    one, other = (float(choose_view(each).weights[0, 1]) for each in traces)
    assert hover_text(difference_heatmap(*traces), 0, 1) == (
        f"<b>{one - other:+.4f}</b>: Bahdanau (additive) {one:.4f}, Luong (general) {other:.4f}<br>"
        f"“<b>{AWKWARD['long'][0]}</b>” attends to “<b>{'x' * 500}</b>”"
    )


@pytest.mark.parametrize("axis", ["source", "target"])
def test_other_tokens_are_refused_by_name(axis: str) -> None:
    first = translation(SOURCE, TARGET)
    second = translation(*((("a", "</s>"), TARGET) if axis == "source" else (SOURCE, ("un", "</s>"))))
    with pytest.raises(ValueError, match=re.escape(f"the traces do not share their {axis} tokens: got ('the'"[:40])):
        difference_heatmap(first, second)


def test_words_and_pieces_are_not_compared() -> None:
    first, second = pair()
    with pytest.raises(ValueError, match="maps of one kind; got cross words and cross pieces"):
        choose_difference(choose_view(first), choose_view(second, unit="piece"))


def test_rows_of_one_word_are_compared_whatever_labels_them() -> None:
    """Where one has the row of the word it writes, the other that of the word just read in."""
    alignment = Alignment(Site("decoder", 0, "cross"), 1, "input")
    first, second = pair(heads=2, alignment=alignment)
    shown = choose_difference(first, second)
    assert shown.queries.texts == TARGET[:-1]
    np.testing.assert_array_equal(shown.first.weights, choose_view(first).weights[:-1])
    np.testing.assert_array_equal(shown.second.weights, choose_view(second).weights[1:])
    assert any("has just read it in" in note for note in notes_of_difference(shown))
    assert any("Luong (general), 2015: cross-attention, layer 0, head 1" in note for note in notes_of_difference(shown))
    figure = difference_heatmap(first, second)
    x, y = axes(figure)
    assert (len(x.ticktext), len(y.ticktext)) == (4, 3)
    assert axis_title(figure, "y") == "query: the word of the translation"


def test_pieces_are_compared_as_pieces() -> None:
    target = pieces((" mor", "ceaux", "</s>"), (0, 0, 1))
    words, split = (difference_heatmap(*pair(SOURCE, target), unit=unit) for unit in ("word", "piece"))
    assert (words.data[0].z.shape, split.data[0].z.shape) == ((2, 4), (3, 4))


def test_the_sentence_names_the_largest_difference() -> None:
    source, target = ([*letters, "</s>"] for letters in ("abcdefghijk", "lmnopqrs"))
    shown = choose_difference(*pair(source, target))
    query, key = np.unravel_index(np.abs(shown.weights).argmax(), shown.weights.shape)
    assert abs(shown.weights[query, key]) > 0.05
    sentence = sentence_of_difference(shown)
    assert f"“{target[query]}”" in sentence
    assert f"“{source[key]}”" in sentence
    assert f"({shown.weights[query, key]:+.2f})".replace("-", "\u2212") in sentence


def test_a_mechanism_less_itself_is_0_and_said_to_read_alike() -> None:
    first, _ = pair()
    assert not difference_heatmap(first, first).data[0].z.any()
    sentence = sentence_of_difference(choose_difference(first, first))
    assert "the two are the same, no weight differs" in sentence
    assert "0.00" not in sentence


@pytest.mark.parametrize(
    ("change", "said"), [(0.004, "almost the same, no weight differs by 0.005 or more"), (0.02, "(+0.02)")]
)
def test_a_difference_that_would_be_written_as_0_is_not_named(change: float, said: str) -> None:
    shown = choose_difference(*[pair()[0]] * 2)
    even = np.full_like(shown.first.shown.weights, 0.25)  # [head, query, key]
    moved = even + np.array([change, -change, 0, 0], dtype=np.float32)
    one, other = (
        replace(view, shown=replace(view.shown, weights=weights))
        for view, weights in ((shown.first, moved), (shown.second, even))
    )
    sentence = sentence_of_difference(replace(shown, first=one, second=other))
    assert said in sentence
    assert "+0.00" not in sentence


@pytest.mark.parametrize(
    ("way", "said"),
    [({}, "almost the same"), ({"batched": True}, "the two are the same"), ({"drafted": True}, "the two are the same")],
)
def test_what_company_or_a_draft_may_change_is_no_difference(way: dict[str, bool], said: str) -> None:
    shown = choose_difference(*[pair()[0]] * 2)
    weights = shown.first.shown.weights + np.float32(5e-6)
    provenance = replace(shown.first.trace.provenance, **way)
    one = replace(
        shown.first,
        shown=replace(shown.first.shown, weights=weights),
        trace=replace(shown.first.trace, provenance=provenance),
    )
    assert said in sentence_of_difference(replace(shown, first=one))


def test_a_title_too_wide_for_a_phone_goes_to_the_note() -> None:
    text = difference_heatmap(*pair(), width=340).layout.annotations[0].text
    assert text.startswith("<b>Difference</b>")
    assert "Luong (general)" in text


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tokens_keep_their_positions(name: str) -> None:
    x, y = axes(difference_heatmap(*pair(AWKWARD[name], AWKWARD[name])))
    assert len(x.ticktext) == len(y.ticktext) == len(AWKWARD[name])
    assert not any("<" in text for text in (*x.ticktext, *y.ticktext))


@given(WORDS, WORDS, st.sampled_from(("written", "input")), st.integers(200, 2000))
def test_any_text_can_be_compared(source: list[str], target: list[str], reading: str, width: int) -> None:
    alignment = Alignment(Site("decoder", 0, "cross"), 0, reading)  # type: ignore[arg-type]
    figure = difference_heatmap(*pair(source, target, alignment=alignment), width=width)
    rows = len(target) - (reading == "input")
    assert figure.data[0].z.shape == (rows, len(source))
    x, y = axes(figure)
    assert (len(x.ticktext), len(y.ticktext)) == (len(source), rows)
    figure.to_json().encode("utf-8")
