"""What the canvas of picked heads is fed with: the weights of the trace, laid out as the figure for notebooks is."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from models.edits import zero_head
from models.trace import AttentionTrace
from tests.support.canvas_samples import HOSTILE, SAMPLES
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import KINDS, transformer
from tests.support.payloads import decode
from viz.canvas.comparison import FRAME, encode_comparison
from viz.canvas.payload import Look
from viz.figures import HeadPlace, head_comparison
from viz.figures.drawing.theme import weight_ticks
from viz.text.tokens import LONGEST_LABEL, isolated, shorten, visible
from viz.views.heads import pick_views, places_at
from viz.views.hiding import NOTHING, Hiding

PLACES = (HeadPlace(0, 1), HeadPlace(1, 7), HeadPlace(2, 0), HeadPlace(2, 5))
LONG = [f"word{place}" for place in range(40)] + ["Donaudampfschifffahrtsgesellschaft", "</s>"]


def encoded(
    trace: AttentionTrace, places: tuple[HeadPlace, ...], *, sites: str = "encoder.*.self", **options: Any
) -> tuple[dict[str, Any], np.ndarray]:
    views = pick_views(trace, sites, "word", places, options.pop("hiding", NOTHING))
    return decode(encode_comparison(views, places, among=places_at(trace, sites), look=Look(**options)))


@pytest.mark.parametrize("sites", KINDS)
def test_every_weight_is_there_exactly(sites: str) -> None:
    trace = transformer(LONG, LONG[5:20])
    header, weights = encoded(trace, PLACES[:3], sites=sites)
    views = pick_views(trace, sites, "word", PLACES[:3])
    np.testing.assert_array_equal(weights, [view.weights for view in views])
    assert [HeadPlace(*place) for place in header["heads"]] == list(PLACES[:3])
    assert (header["query_title"], header["key_title"]) == (views[0].query_title, views[0].key_title)
    stack, kind = KINDS[sites]
    assert header["site"] == f"{stack} {kind}"


def test_what_holds_for_all_heads_is_said_under_the_first_alone() -> None:
    trace = transformer(LONG, LONG[5:20])
    trace = replace(trace, provenance=replace(trace.provenance, notes=("said of every layer",)))
    header, _weights = encoded(trace, PLACES)
    for layout in header["layouts"]:
        said = [" ".join(heading["notes"]) for heading in layout["headings"]]
        assert ["said of every layer" in each for each in said] == [True, *[False] * (len(said) - 1)]
    figure = head_comparison(trace, heads=PLACES)
    assert sum(str(each.text).count("said of every layer") for each in figure.layout.annotations) == 1


def spans(figure: go.Figure, axis: str) -> np.ndarray:
    """Return begin and end of each panel's axis in pixels from the upper left."""
    layout = figure.layout.to_plotly_json()
    names = sorted((key for key in layout if key.startswith(f"{axis}axis")), key=lambda key: int(key[5:] or 1))
    shares = np.array([layout[name]["domain"] for name in names])
    return shares * figure.layout.width if axis == "x" else (1 - shares[:, ::-1]) * figure.layout.height


@pytest.mark.parametrize("width", [360.0, 900.0, 1320.0])
@pytest.mark.parametrize("tokens", [4, 11, 42])
def test_for_any_number_of_heads_the_maps_lie_where_those_of_the_figure_lie(tokens: int, width: float) -> None:
    trace, hiding = transformer(LONG[-tokens:], LONG[:4]), Hiding(threshold=0.1)
    header, _weights = encoded(trace, PLACES[:1], width=width, colour="root", hiding=hiding)
    assert len(header["layouts"]) == 4
    for count, layout in enumerate(header["layouts"], start=1):
        figure = head_comparison(trace, heads=PLACES[:count], colour="root", hiding=hiding, width=width - FRAME)
        assert (layout["width"] - FRAME, layout["height"]) == pytest.approx((figure.layout.width, figure.layout.height))
        left, top, wide, high = np.array(layout["boxes"]).T
        np.testing.assert_allclose(np.stack([left, left + wide], axis=1), spans(figure, "x"), atol=1e-6)
        np.testing.assert_allclose(np.stack([top, top + high], axis=1), spans(figure, "y"), atol=1e-6)
        assert layout["angle"] == figure.layout.xaxis.tickangle
        assert layout["column_font"] == figure.layout.xaxis.tickfont.size
        titles = [each for each in figure.layout.annotations if each.name]
        said = [unescape(line) for each in titles for line in each.text.split("<br>")]
        assert [text["text"] for text in layout["texts"]][: len(said)] == said
        legend = [text["text"] for text in layout["texts"]][len(said) :]
        shown = figure.layout.coloraxis.colorbar
        assert legend == [*unescape(shown.title.text).split("<br>"), *shown.ticktext]
        assert layout["bar"]["width"] == shown.len
        assert [(each["x"], len(each["notes"]) > 0) for each in layout["headings"]] == [
            (pytest.approx(each.x * figure.layout.width), True) for each in figure.layout.annotations if not each.name
        ]


@pytest.mark.parametrize("width", [360.0, 900.0])
def test_on_a_page_maps_keep_their_size_and_what_holds_for_all_is_said_below_them_once(width: float) -> None:
    trace, hiding = transformer(LONG[:11], LONG[:4]), Hiding(threshold=0.1)
    views = pick_views(trace, "encoder.*.self", "word", PLACES, hiding)
    among = places_at(trace, "encoder.*.self")
    header, _weights = decode(encode_comparison(views, PLACES, among=among, look=Look(width=width)))
    assert len(header["page"]) == len(header["layouts"]) == 4
    assert header["note"].startswith("rows (top to bottom): query, the word that attends\u00a0· columns: key, ")
    assert header["note"].count("query") == 1
    for layout, kept in zip(header["page"], header["layouts"], strict=True):
        lean, whole = np.array(layout["boxes"]), np.array(kept["boxes"])
        np.testing.assert_allclose(lean[:, [0, 2, 3]], whole[:, [0, 2, 3]])
        assert (lean[:, 1] < whole[:, 1]).all()
        assert all(len(heading["notes"]) >= 1 for heading in layout["headings"])  # the cells of this map drawn empty
        corners = " ".join(each["text"] for each in layout["texts"])
        assert corners == " ".join(["↓ query → key"] * len(lean))
        tops = {round(top - header["tick"], 6) for top in lean[:, 1]}
        assert {round(each["y"], 6) for each in layout["texts"] if "key" in each["text"]} <= tops


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_the_legend_has_its_numbers_where_their_colours_are(colour: Any) -> None:
    header, _weights = encoded(transformer(), PLACES[:2], colour=colour)
    layout, ticks = header["layouts"][1], weight_ticks(colour)
    numbers = layout["texts"][-len(ticks) :]
    assert [(text["text"], text["x"]) for text in numbers] == [
        (text, at * layout["bar"]["width"]) for at, text in ticks
    ]
    assert all(text["y"] > layout["bar"]["y"] + layout["bar"]["height"] for text in numbers)
    assert max(text["y"] for text in numbers) <= layout["height"]


def test_labels_are_visible_cut_and_set_apart_but_the_whole_token_is_there() -> None:
    texts = [text for row in AWKWARD.values() for text in row]
    header, _weights = encoded(transformer(texts), PLACES[:1])
    assert header["queries"] == header["keys"] == [isolated(visible(text)) for text in texts]
    assert header["row_labels"] == header["column_labels"] == [isolated(shorten(visible(text))) for text in texts]
    assert max(map(len, header["row_labels"])) <= LONGEST_LABEL + 2
    assert HOSTILE.replace(" ", "␣") in encoded(SAMPLES["hostile"](), (HeadPlace(0, 0),))[0]["queries"]


def test_it_says_what_it_is_what_is_strongest_and_where_it_is_saved() -> None:
    header, _weights = encoded(transformer(), PLACES[:2], says="“cat” reads “the”.", file="the-cat.svg")
    title = "layer 0, head 1; layer 1, head 7: encoder self-attention"
    assert (header["title"], header["alt"]) == (title, f"{title}. “cat” reads “the”")
    assert header["file"] == "the-cat.svg"
    edited = transformer(edits=(zero_head("decoder.*.cross", 3),))
    header, weights = encoded(edited, PLACES[:1], hiding=Hiding(threshold=0.1))
    notes = " ".join(header["layouts"][0]["headings"][0]["notes"])
    said = "edited: head 3 is ablated (cross-attention of every decoder layer)"
    assert notes.startswith(f"{said}\u00a0· {{count}} of 16 cells below 0.1, left empty")
    assert notes.replace("{count}", str((weights < 0.1).sum())) in header["alt"]
