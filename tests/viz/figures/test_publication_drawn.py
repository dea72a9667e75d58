"""Pictures that the browser draws, for print: the walk, all heads, words joined by lines, charts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from tests.support.figure_samples import AWKWARD, pieces, translation
from tests.support.head_samples import transformer
from tests.support.small_models import KEYS
from tests.viz.walk.test_picture import drawn
from viz.canvas.overview import printed_heads, small_maps
from viz.figures import alignment_heatmap, head_lines, head_profiles, similarity_heatmap
from viz.figures.bottleneck import many_looks, one_vector
from viz.figures.printable import Printed, PrintedHeads, PrintedLinks, PrintedStrips, PrintedWalk, is_printable
from viz.figures.publication import FORMATS, WIDTHS, publication_file
from viz.figures.publication.charts import draw_chart
from viz.figures.publication.heads import draw_heads
from viz.figures.publication.links import draw_links
from viz.figures.publication.strips import draw_strips
from viz.figures.publication.walks import draw_walk
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import NOTHING
from viz.views.strips import Strip
from viz.views.view import choose_view
from viz.walk.mechanisms import WALKS
from viz.walk.order import keep_step

SVG = "{http://www.w3.org/2000/svg}"


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
    return printed_heads(views[0], small, heads=heads, picked=picked, labels=named, colour="root", note="a note")


def links(words: tuple[str, ...]) -> PrintedLinks:
    view = choose_view(translation(pieces(words), pieces(words)))
    return PrintedLinks((one_vector(words, words, title="Seq2seq", numbers=768), many_looks(view)))


def texts(shown: Printed, width: str = "page") -> list[str]:
    svg = publication_file(shown, "svg", width=width)  # type: ignore[arg-type]
    assert b"<image" not in svg
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def colliding(figure: Figure) -> list[tuple[str, str]]:
    """Return the texts of a drawn figure that lie over each other, or beyond the paper."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    shown = [each for each in figure.findobj(Text) if each.get_text().strip() and each.get_visible()]
    boxes = [(each.get_text(), each.get_window_extent(canvas.get_renderer())) for each in shown]
    beyond = [(text, "the edge") for text, box in boxes if box.x0 < -2 or box.x1 > figure.bbox.width + 2]
    return beyond + [
        (one, other)
        for place, (one, box) in enumerate(boxes)
        for other, beside in boxes[:place]
        if min(box.x1, beside.x1) - max(box.x0, beside.x0) > 1 and min(box.y1, beside.y1) - max(box.y0, beside.y0) > 1.5
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("key", KEYS)
def test_a_walk_says_all_that_the_page_shows(key: str, width: str) -> None:
    shown = walk(key)
    written = texts(shown, width)
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
    assert colliding(draw_walk(shown, width, titles=False)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("key", KEYS)
def test_every_formula_of_a_walk_can_be_set(key: str) -> None:
    """In mathematics each letter is its own piece of text: names of functions stand in a row."""
    shown = walk(key)
    without = len(texts(PrintedWalk(shown.pictures, [[]], shown.step)))
    for line in WALKS[key].formula:
        with_it = texts(PrintedWalk(shown.pictures, [[line]], shown.step))
        assert len(with_it) > without
        assert "[[" not in " ".join(with_it)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("labels", ["", "aligns", "reads punctuation and the end"])
@pytest.mark.parametrize("some", [False, True])
def test_all_heads_are_named_and_drawn(labels: str, width: str, some: bool) -> None:
    shown = all_heads(labels, some=some)
    written = texts(shown, width)
    assert shown.title in " ".join(written)
    for place in shown.heads:
        assert {f"layer {place.layer}, head {place.head}", f"{place.layer}.{place.head}"} & set(written)
    assert colliding(draw_heads(shown, width, titles=True)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [name for name in AWKWARD if name not in ("broken", "blank", "emoji")])
def test_words_and_lines_are_drawn_side_by_side(name: str, width: str) -> None:
    shown = links(AWKWARD[name])
    assert any("768" in text for text in texts(shown, width))
    assert colliding(draw_links(shown, width, titles=True)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("width", WIDTHS)
def test_charts_keep_their_words_apart(width: str) -> None:
    trace = transformer()
    for figure in (head_lines(trace, heads=[HeadPlace(0, 0), HeadPlace(1, 3)]), similarity_heatmap(trace)):
        assert is_printable(figure)
        assert colliding(draw_chart(figure, width, titles=True)) == []  # type: ignore[arg-type]
    lined = texts(head_lines(trace, heads=[HeadPlace(0, 0), HeadPlace(1, 3)]), width)  # type: ignore[arg-type]
    assert {"the", "cat", "layer 0, head 0", "layer 1, head 3"} <= set(lined)


@pytest.mark.parametrize("form", FORMATS)
def test_each_is_the_same_file_each_time(form: str) -> None:
    for shown in (walk("bahdanau"), all_heads("aligns"), links(AWKWARD["repeated"])):
        first, second = (publication_file(shown, form, width="column") for _turn in range(2))  # type: ignore[arg-type]
        assert first == second


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
def test_strips_say_what_they_are_with_their_numbers_where_there_is_room(words: tuple[str, ...], width: str) -> None:
    shown = strips(words[:3], words)
    written = " ".join(texts(shown, width))
    assert "Results:" in written
    assert all(f"{each.symbol} {each.name}"[:8] in written for each in shown.strips)
    assert not colliding(draw_strips(shown, width, titles=True))  # type: ignore[arg-type]
    if len(words) == 3:
        assert "\u2212250.0" in written
        assert "\u2212\u221e" in written
        assert written.count("0.33") == 9


@pytest.mark.parametrize("form", FORMATS)
def test_strips_are_kept_in_every_format(form: str) -> None:
    assert len(publication_file(strips(("q1",), ("k1", "k2")), form)) > 2000  # type: ignore[arg-type]
