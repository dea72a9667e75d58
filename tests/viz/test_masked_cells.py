"""Every picture of decoder self-attention says which cells the causal mask hides: on the page, and in what is saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import viz.figures as figures
from models.trace import AttentionTrace
from tests.support.head_samples import transformer
from tests.support.heads_page import opened, words
from tests.support.payloads import compared, decode, decode_alignment
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.comparison import encode_comparison
from viz.canvas.edited import encode_alike, encode_edited
from viz.canvas.overview import EVERY_HEAD, encode_overview, printed_heads, small_maps
from viz.figures import HeadPlace, Hiding
from viz.figures.chance import Band, chance_heatmap
from viz.figures.drawing.theme import CROSS
from viz.figures.publication import publication_file
from viz.figures.segments import segment_map
from viz.figures.zeroed import zeroed_heatmap, zeroed_view
from viz.views.heads import pick_views, views_at
from viz.views.view import View

SITES, SELF = "decoder.*.self", {"sites": "decoder.*.self"}
TWO = (HeadPlace(0, 1), HeadPlace(1, 0))
TRACE = transformer(layers=2, heads=3)
SIZE = len(TRACE.target_input)
LATER = np.triu(np.ones((SIZE, SIZE), bool), 1)
VIEWS = pick_views(TRACE, SITES, "word", TWO)


def _zeroed(trace: AttentionTrace) -> go.Figure:
    site = trace["decoder.0.self"].site
    known = trace.with_zeroed({site: np.tril(np.ones((SIZE, SIZE)), -1)})
    return zeroed_heatmap([zeroed_view(known, site)])


def _chance() -> go.Figure:
    zeros = np.zeros((SIZE, SIZE), np.float32)
    return chance_heatmap(VIEWS[0], Band(zeros, zeros, LATER, 0.05), chance="chance")


MAPS: dict[str, Callable[[], go.Figure]] = {
    "alignment_heatmap": lambda: figures.alignment_heatmap(VIEWS),
    "difference_heatmap": lambda: figures.difference_heatmap(*VIEWS),
    "difference_multiples": lambda: figures.difference_multiples(VIEWS, VIEWS[0]),
    "head_combination": lambda: figures.head_combination(TRACE, heads=TWO, how="sum", **SELF),
    "head_comparison": lambda: figures.head_comparison(TRACE, heads=TWO, **SELF),
    "head_difference": lambda: figures.head_difference(TRACE, first=TWO[0], second=TWO[1], **SELF),
    "rollout_heatmap": lambda: figures.rollout_heatmap(TRACE, **SELF),
    "sentence_difference": lambda: figures.sentence_difference(TRACE, TRACE, head=TWO[0], **SELF),
    "matched_difference": lambda: figures.sentence_difference(TRACE, TRACE, head=TWO[0], specials=False, **SELF),
    "chance": _chance,
    "zeroed": lambda: _zeroed(TRACE),
    "segments": lambda: segment_map(np.eye(SIZE), TRACE.target_input, title="a", memory=0),
}
OTHERWISE = {"head_lines", "text_reading"}
NO_MAPS = {"HeadPlace", "Hiding", "TextReading", "head_profiles", "head_similarity", "hide_specials", "save"}
NO_MAPS |= {"similarity_heatmap"}


def test_all_figures_are_here() -> None:
    assert set(figures.__all__) <= set(MAPS) | OTHERWISE | NO_MAPS


def crosses_in(figure: go.Figure) -> list[go.Scatter]:
    return [each for each in figure.data if each.type == "scatter" and each.marker.symbol == CROSS]


def cells_of(cross: Any) -> set[tuple[int, int]]:
    return set(zip(map(int, cross["y"]), map(int, cross["x"]), strict=True))


@pytest.mark.parametrize("name", MAPS)
def test_a_figure_crosses_out_later_words_on_the_page_and_in_print(name: str) -> None:
    figure = MAPS[name]()
    crosses = crosses_in(figure)
    assert len(crosses) == len(figure.panels)
    expected = set(zip(*map(np.ndarray.tolist, np.nonzero(LATER)), strict=True))
    for cross in crosses:
        assert cells_of(cross) == expected
    said = " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")
    assert said.count("crossed out: later words") == 1
    plain = figure.__class__([each for each in figure.data if each not in crosses], figure.layout)
    plain.panels, plain.axes, plain.colours = figure.panels, figure.axes, figure.colours
    marks = [publication_file(each, "svg").decode().count("<use ") for each in (plain, figure)]
    assert marks[1] - marks[0] == len(expected) * len(crosses)


@pytest.mark.parametrize("name", sorted(set(MAPS) - {"segments"}))
def test_nothing_is_crossed_out_where_nothing_is_masked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lifted = replace(TRACE, maps=tuple(replace(each, causal=False) for each in TRACE))
    monkeypatch.setitem(globals(), "TRACE", lifted)
    monkeypatch.setitem(globals(), "VIEWS", pick_views(lifted, SITES, "word", TWO))
    assert not crosses_in(MAPS[name]())


def test_hidden_words_and_folded_sentences_leave_the_right_cells() -> None:
    hiding = Hiding(target_input=(0, 2))
    (view,) = pick_views(TRACE, SITES, "word", TWO[:1], hiding)
    assert view.masked is not None
    assert view.masked.tolist() == [[False, True, False], [False, False, False]]
    text = ["The", "cat", "slept", ".", "It", "was", "late", ".", "All", "."]
    trace = transformer(text, text, layers=1, heads=1)
    (view,) = pick_views(trace, SITES, "word", [HeadPlace(0, 0)], Hiding(opened=(1,)))
    assert view.masked is not None
    assert view.folded
    assert view.masked.shape == view.weights.shape
    assert not view.weights[view.masked].any()
    assert (view.masked == np.triu(np.ones(view.weights.shape, bool), 1)).all()


def test_lines_and_texts_say_what_is_masked() -> None:
    figure = figures.head_lines(TRACE, heads=TWO, **SELF)
    said = " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")
    assert "hidden by the causal mask" in said
    queries, keys = figure.data[-2:]
    assert [
        f"hidden from it by the causal mask: {SIZE - 1 - row}" in text for row, text in enumerate(queries.text)
    ] == [
        *[True] * (SIZE - 1),
        False,
    ]
    assert "the causal mask hides it from: 2" in keys.text[2]
    for way, expected in (("reads", SIZE - 2), ("read_by", 1)):
        html = figures.text_reading(TRACE, head=TWO[0], word=1, way=way, **SELF).html  # type: ignore[arg-type]
        assert html.count("<s>") == expected
        assert "crossed out:" in html


CANVASES: dict[str, Callable[[], bytes]] = {
    "comparison": lambda: encode_comparison(VIEWS, TWO, among=TWO),
    "edited": lambda: encode_edited(VIEWS[0], VIEWS[1], offers=[]),
    "alike": lambda: encode_alike(VIEWS, ["a", "b"], words={}),
}


@pytest.mark.parametrize("name", CANVASES)
def test_a_canvas_crosses_out_later_words(name: str) -> None:
    header, _cells = decode(CANVASES[name]())
    for crossed in header["crossed"]:
        assert [each is not None for each in crossed] == LATER.ravel().tolist()
    assert "crossed out: later words" in header["note"]
    assert "crossed out: later words" in header["alt"]


def test_small_maps_say_it_in_words() -> None:
    views: tuple[View, ...] = views_at(TRACE, SITES, "word")
    header, _cells = decode(encode_overview(views))
    printed = printed_heads(views[0], small_maps(views), EVERY_HEAD, colour="linear", note="")
    bench = encode_alignment([AlignmentView(TRACE, VIEWS[0], "")])
    for said in (header["note"], " ".join(printed.notes), str(decode_alignment(bench))):
        assert "right of the diagonal) are hidden by the causal mask" in said


WAYS = ("side", "sum", "mean", "difference", "lines", "text")


@pytest.mark.parametrize("way", WAYS)
def test_each_panel_of_picked_heads_on_the_page_says_it(way: str) -> None:
    app = opened(sentence="The cat sleeps.", map="decoder", compare=way, heads1="1 2")
    if way == "side":
        assert any(compared(app)[0]["crossed"][0])
    elif way == "text":
        assert "<s>" in words(app)
    else:
        assert "hidden by the causal mask" in str([each.proto.spec for each in app.get("plotly_chart")])
