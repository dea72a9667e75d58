"""Pictures that the browser draws, for print: the walk, all heads, words joined by lines, charts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.support.figure_samples import AWKWARD, pieces, translation
from tests.support.head_samples import transformer
from tests.support.small_models import KEYS
from tests.viz.walk.test_picture import drawn
from viz.canvas.overview import Tiles, printed_heads, small_maps
from viz.figures import alignment_heatmap, head_lines, head_profiles, similarity_heatmap
from viz.figures.bottleneck import many_looks, one_vector
from viz.figures.printable import PrintedHeads, PrintedLinks, PrintedStrips, PrintedWalk, is_printable
from viz.figures.publication import FORMATS, WIDTHS, Format, Width, publication_file
from viz.figures.publication.charts import draw_chart
from viz.figures.publication.heads import draw_heads
from viz.figures.publication.links import draw_links
from viz.figures.publication.strips import draw_strips
from viz.figures.publication.text import POINTS
from viz.figures.publication.walks import draw_walk
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import NOTHING
from viz.views.strips import Strip
from viz.views.view import choose_view
from viz.walk.mechanisms import WALKS
from viz.walk.order import keep_step

SVG = "{http://www.w3.org/2000/svg}"


@cache
def walk(key: str, **chosen: int) -> PrintedWalk:
    picture = drawn(key, **chosen)
    titles = {step["key"]: step["title"] for step in picture["steps"]}
    return PrintedWalk(keep_step([picture], titles), [WALKS[key].formula], next(iter(titles)))


def all_heads(labels: str = "", *, some: bool = False) -> PrintedHeads:
    views = views_at(transformer(), "encoder.*.self", "word", NOTHING)
    small = small_maps(views)
    heads = small.places[:5] if some else None
    named = dict.fromkeys(small.places, labels) if labels else {}
    picked = [small.places[1]]
    return printed_heads(views[0], small, Tiles(heads, picked, named), colour="root", note="a note")


def links(words: tuple[str, ...]) -> PrintedLinks:
    view = choose_view(translation(pieces(words), pieces(words)))
    return PrintedLinks((one_vector(words, words, title="Seq2seq", numbers=768), many_looks(view)))


def texts(figure: Figure) -> list[str]:
    return [each.get_text() for each in figure.findobj(Text) if each.get_visible()]


def colliding(figure: Figure) -> list[tuple[str, str]]:
    """Return the texts of a drawn figure that lie over each other, or beyond the paper."""
    figure.set_dpi(POINTS * 10)  # where letters are not fitted to a coarse screen
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()  # places all as a drawing does
    shown = [each for each in figure.findobj(Text) if each.get_text().strip() and each.get_visible()]
    extents = (each.get_window_extent().get_points() / 10 for each in shown)
    boxes = [(each.get_text(), Bbox(extent)) for each, extent in zip(shown, extents, strict=True)]
    across, down = figure.get_size_inches() * POINTS
    beyond = [(text, "the edge") for text, box in boxes if box.x0 < 0 or box.x1 > across or box.y0 < 0 or box.y1 > down]
    return beyond + [
        (one, other)
        for place, (one, box) in enumerate(boxes)
        for other, beside in boxes[:place]
        if min(box.x1, beside.x1) - max(box.x0, beside.x0) > 1 and min(box.y1, beside.y1) - max(box.y0, beside.y0) > 1.5
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("key", KEYS)
def test_a_walk_says_all_that_the_page_shows_and_every_line_of_its_formula(key: str, width: Width) -> None:
    shown = walk(key)
    figure = draw_walk(shown, width, titles=True)
    written = texts(figure)
    joined = " ".join(written)
    picture = shown.pictures[0]
    assert picture["title"] in joined
    assert {each["text"] for each in picture["columns"]} <= set(written)
    for row in picture["rows"]:
        assert row["title"] in written
        largest = max(value for value in row["values"] if value is not None)
        assert f"{largest:.2f}".replace("-", "\u2212") in written
    assert (picture["context"] if picture["rows"] else picture["vector"]) in written
    for word in picture["words"]:
        assert word["text"] in joined
        assert f"{word['share']:.3f}" in written
    assert sum(text.startswith("$") for text in written) == len(WALKS[key].formula)
    assert "[[" not in joined
    assert colliding(figure) == []


def test_a_line_of_a_formula_that_cannot_be_set_is_seen_to_be_missing() -> None:
    shown = walk("bahdanau")
    broken = PrintedWalk(shown.pictures, [[r"\nonsense{x"]], shown.step)
    assert not any(text.startswith("$") for text in texts(draw_walk(broken, "page", titles=True)))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("labels", ["", "aligns", "reads punctuation and the end"])
@pytest.mark.parametrize("some", [False, True])
def test_all_heads_are_named_and_drawn(labels: str, width: Width, some: bool) -> None:
    shown = all_heads(labels, some=some)
    figure = draw_heads(shown, width, titles=True)
    written = texts(figure)
    assert shown.title in " ".join(written)
    for place in shown.heads:
        assert {f"layer {place.layer}, head {place.head}", f"{place.layer}.{place.head}"} & set(written)
    assert colliding(figure) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [name for name in AWKWARD if name not in ("broken", "blank", "emoji")])
def test_words_and_lines_are_drawn_side_by_side(name: str, width: Width) -> None:
    figure = draw_links(links(AWKWARD[name]), width, titles=True)
    assert any("768" in text for text in texts(figure))
    assert colliding(figure) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_charts_keep_their_words_apart(width: Width) -> None:
    trace = transformer()
    lined, similar = head_lines(trace, heads=[HeadPlace(0, 0), HeadPlace(1, 3)]), similarity_heatmap(trace)
    assert is_printable(lined)
    assert is_printable(similar)
    figure = draw_chart(lined, width, titles=True)
    assert colliding(figure) == []
    assert colliding(draw_chart(similar, width, titles=True)) == []
    assert {"the", "cat", "layer 0, head 0", "layer 1, head 3"} <= set(texts(figure))


def test_tables_are_left_to_their_csv() -> None:
    assert is_printable(alignment_heatmap(translation(("a",), ("b",))))
    assert not is_printable(head_profiles(transformer()))


DRAWN = ("repeated", "special", "blank", "chinese", "right_to_left", "long")


def strips(rows: tuple[str, ...], columns: tuple[str, ...]) -> PrintedStrips:
    shape = len(rows), len(columns)
    values = np.linspace(-250.0, 3.0, num=shape[0] * shape[1]).reshape(shape)
    weights = np.full(shape, 1 / shape[1])
    masked = np.where(np.tri(*shape, dtype=bool), values, -np.inf)
    return PrintedStrips(
        "Results: a & b",
        (
            Strip("products", "QK'", values, rows=rows, columns=columns),
            Strip("scores", "e", masked, rows=rows, columns=columns),
            Strip("weights", "a", weights, "weights", rows=rows, columns=columns),
            Strip("a state", "h", np.linspace(-1, 1, 512)[None]),
        ),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", [("k1", "k2", "k3"), *(AWKWARD[each] for each in DRAWN)], ids=["names", *DRAWN])
def test_strips_say_what_they_are_with_their_numbers_where_there_is_room(words: tuple[str, ...], width: Width) -> None:
    shown = strips(words[:3], words)
    figure = draw_strips(shown, width, titles=True)
    written = " ".join(texts(figure))
    assert "Results:" in written
    assert all(f"{each.symbol} {each.name}"[:8] in written for each in shown.strips)
    assert not colliding(figure)
    if len(words) == 3:
        assert "\u2212250.0" in written
        assert "\u2212\u221e" in written
        assert written.count("0.33") == 9


SHOWN: dict[str, Callable[[], Any]] = {
    "walk": lambda: walk("bahdanau"),
    "heads": lambda: all_heads("aligns"),
    "links": lambda: links(AWKWARD["repeated"]),
    "strips": lambda: strips(("q1",), ("k1", "k2")),
    "chart": lambda: similarity_heatmap(transformer()),
}
"""One of each kind that `publication_file` draws; maps are in `test_publication`."""


@pytest.mark.parametrize("kind", SHOWN)
def test_an_svg_is_shapes_and_text_and_the_same_one_each_time(kind: str) -> None:
    """A file of each kind in each format is drawn in `test_publication_files`."""
    shown = SHOWN[kind]()
    file = publication_file(shown, "svg", width="column")
    assert len(file) > 2000
    assert b"<image" not in file
    assert len(list(ElementTree.fromstring(file).iter(f"{SVG}text"))) > 2
    assert publication_file(shown, "svg", width="column") == file


@pytest.mark.parametrize("form", sorted({*FORMATS} - {"svg"}))
def test_what_a_format_adds_is_the_same_each_time(form: Format) -> None:
    shown = SHOWN["links"]()
    file = publication_file(shown, form, width="column")
    assert len(file) > 2000
    assert publication_file(shown, form, width="column") == file
