"""Views of heads in a real browser: weights read by hovering, colours, keys, picks, markup, small and dark pages."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import models
from models.trace import AttentionTrace
from tests.support.browsing import CELL, PIXEL, ROOT, point, running
from tests.support.canvas_samples import HOSTILE, SAMPLES
from viz.canvas import parts as canvases
from viz.figures.drawing.theme import HEAD_COLOURS, NIGHT_SCALE, WEIGHT_SCALE, weight_colour
from viz.measures.similarity import head_similarity
from viz.pages.heads.page import KEY
from viz.text.tokens import isolated, visible


@cache
def sample(name: str) -> AttentionTrace:
    return SAMPLES[name]()


@pytest.fixture(scope="module")
def canvas_address() -> Iterator[str]:
    """Start a page that holds nothing but the overview."""
    with running("tests/support/canvas_app.py", PYTHONPATH=str(ROOT)) as address:
        yield address


@pytest.fixture
def visit(open_page: Callable[..., Page], canvas_address: str) -> Callable[..., Page]:
    """Return a way to open the page by a link, which waits until it is drawn."""

    def open_canvas(**options: Any) -> Page:
        page = open_page(f"{canvas_address}/", height=1000, **options)
        page.locator(".stage[data-drawn], .js-plotly-plot .js-line, .on-text").first.wait_for()
        return page

    return open_canvas


def stage_of(page: Page) -> Locator:
    return page.locator(".stage")


def kept(page: Page) -> list[list[int]]:
    """Return what Python holds for picked."""
    picked: list[list[int]] = json.loads(page.locator("[data-testid=stCode]").inner_text())
    return picked


def expect_kept(page: Page, places: list[list[int]]) -> None:
    expect(page.locator("[data-testid=stCode]")).to_have_text(json.dumps(places))


def check_that_the_same_cell_is_marked_in_every_head(page: Page, count: int) -> None:
    point(page, 3, 4, 7, (count, count))
    edge, middle = 7 / count, (7.5 / count, 4.5 / count)
    for head in range(24):
        assert stage_of(page).evaluate(PIXEL, ["marks", head, edge, middle[1]])[3] > 0
        assert stage_of(page).evaluate(PIXEL, ["marks", head, *middle])[3] == 0  # its own colour stays in sight
        assert stage_of(page).evaluate(PIXEL, ["marks", head, 0.5 / count, 0.5 / count])[3] == 0
    page.mouse.move(1, 1)
    expect(page.locator(".tip")).to_be_hidden()
    assert stage_of(page).evaluate(PIXEL, ["marks", 9, edge, middle[1]])[3] == 0


def test_hovering_says_the_weights_of_the_trace_and_marks_the_cell_in_every_head(visit: Callable[..., Page]) -> None:
    page, trace = visit(), sample("small")
    texts = trace.source.texts
    count, generator = len(texts), np.random.default_rng(3)
    for _number in range(10):
        layer, head, row = int(generator.integers(3)), int(generator.integers(8)), int(generator.integers(count))
        weights = trace[f"encoder.{layer}.self"].weights[head, row]
        column = int(generator.choice(count, p=weights / weights.sum()))  # mostly where there is something to read
        said = point(page, layer * 8 + head, row, column, (count, count)).split("\n")
        assert said[0].startswith(f"layer {layer}, head {head}")
        assert float(said[1].removeprefix("≈ ")) == pytest.approx(weights[column], abs=0.004)
        assert said[2] == f"query: the word that attends: “{isolated(visible(texts[row]))}”"
        assert said[3] == f"key: the word attended to: “{isolated(visible(texts[column]))}”"
    check_that_the_same_cell_is_marked_in_every_head(page, count)


def test_a_cell_of_a_long_text_says_of_which_tokens_it_is_the_largest(visit: Callable[..., Page]) -> None:
    page, weights = visit(sample="large"), sample("large")["encoder.4.self"].weights[7]
    for row, column in ((0, 0), (31, 31), (63, 2), (20, 21)):
        said = point(page, 4 * 12 + 7, row, column, (64, 64)).split("\n")
        largest = weights[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].max()
        assert said[1].startswith("largest of 4: ≈ ")
        assert float(said[1].rpartition(" ")[2]) == pytest.approx(largest, abs=0.004)
        ends = [f"word{place}" if place < 127 else "</s>" for place in (2 * row, 2 * row + 1)]
        assert said[2].endswith(f"“{ends[0]} … {ends[1]}”")


@pytest.mark.parametrize(("colour", "scheme"), [("root", "light"), ("linear", "dark")])
def test_a_cell_has_the_colour_of_its_weight_in_either_theme(
    visit: Callable[..., Page], colour: str, scheme: str
) -> None:
    page, trace = visit(scheme=scheme, colour=colour), sample("small")
    count = len(trace.source)
    scale = WEIGHT_SCALE
    if scheme == "dark":  # no reading is the page's own dark
        ground = page.locator("figure").evaluate("each => getComputedStyle(each).backgroundColor")
        page_ground = [int(each) for each in re.findall(r"\d+", ground)[:3]]
        scale = ((0.0, "#" + "".join(f"{each + 8:02x}" for each in page_ground)), *NIGHT_SCALE[1:])
    ends = [place for place, _hex in scale]
    for layer, head, row, column in ((0, 0, 0, 0), (1, 3, 2, 1), (2, 7, 6, 6), (0, 5, 10, 9)):
        byte = round(float(trace[f"encoder.{layer}.self"].weights[head, row, column]) ** 0.5 * 255)
        place = byte / 255 if colour == "root" else (byte / 255) ** 2
        channels = [[int(colour_[at : at + 2], 16) for _end, colour_ in scale] for at in (1, 3, 5)]
        expected = [np.interp(place, ends, values) for values in channels]
        middle = (column + 0.5) / count, (row + 0.5) / count
        drawn = stage_of(page).evaluate(PIXEL, ["maps", layer * 8 + head, *middle])
        np.testing.assert_allclose(drawn[:3], expected, atol=1.5)
    light = [
        int(part) for part in re.findall(r"\d+", page.locator(".title").evaluate("e => getComputedStyle(e).color"))
    ]
    assert (sum(light[:3]) > 3 * 128) == (scheme == "dark")


def test_a_click_picks_and_a_fifth_takes_the_place_of_the_first(visit: Callable[..., Page]) -> None:
    page = visit()
    stage = stage_of(page)
    expect_kept(page, [[0, 1]])
    assert stage.evaluate(PIXEL, ["marks", 1, -0.02, 0.5])[3] > 0
    wanted = [[0, 1]]
    for layer, head in ((0, 4), (1, 2), (2, 7), (1, 6)):
        page.mouse.click(*stage.evaluate(CELL, [layer * 8 + head, 0.3, 0.6]))
        wanted = [*wanted, [layer, head]][-4:]
        expect_kept(page, wanted)
    assert stage.evaluate(PIXEL, ["marks", 1, -0.02, 0.5])[3] == 0
    assert stage.evaluate(PIXEL, ["marks", 8 + 6, -0.02, 0.5])[3] > 0
    page.mouse.click(*stage.evaluate(CELL, [4, 0.3, 0.6]))
    expect_kept(page, [[1, 2], [2, 7], [1, 6]])


def test_the_keys_move_between_heads_and_inside_one_and_pick(visit: Callable[..., Page]) -> None:
    page, trace = visit(), sample("small")
    stage, live, tip = stage_of(page), page.locator(".live"), page.locator(".tip")
    page.keyboard.press("Tab")
    while not stage.evaluate("stage => stage.getRootNode().activeElement === stage"):
        page.keyboard.press("Tab")
    expect(live).to_contain_text("layer 0, head 0")
    assert stage.evaluate("stage => getComputedStyle(stage).outlineStyle") == "solid"
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(live).to_contain_text("layer 1, head 2")
    expect(live).to_contain_text("not picked")
    page.keyboard.press("Enter")
    expect_kept(page, [[0, 1], [1, 2]])
    expect(live).to_have_text(re.compile("layer 1, head 2.*picked"))
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    row, column = 1, 3  # the first step enters at the upper left
    weight = trace["encoder.1.self"].weights[2, row, column]
    expect(tip).to_contain_text(f"query: the word that attends: “{trace.source.texts[row]}”")
    expect(live).to_contain_text(f"key: the word attended to: “{trace.source.texts[column]}”")
    assert float(tip.inner_text().split("\n")[1].removeprefix("≈ ")) == pytest.approx(weight, abs=0.004)
    page.keyboard.press("ArrowLeft")
    expect(tip).to_contain_text("layer 1, head 1")
    expect(tip).to_contain_text(f"“{trace.source.texts[row]}”")
    page.keyboard.press(" ")
    expect_kept(page, [[0, 1], [1, 2], [1, 1]])
    page.keyboard.press("Escape")
    expect(tip).not_to_contain_text("query")
    page.keyboard.press("End")
    expect(live).to_contain_text("layer 2, head 7")


def test_those_who_do_not_see_it_hear_what_is_strongest_and_what_holds(visit: Callable[..., Page]) -> None:
    weights = np.stack([sample("small")[f"encoder.{layer}.self"].weights for layer in range(3)])
    layer, head, row, column = (int(place) for place in np.unravel_index(weights.argmax(), weights.shape))
    said = stage_of(visit()).get_attribute("aria-label") or ""
    texts = sample("small").source.texts
    assert said.startswith("24 encoder self-attention heads. ")
    assert f"Sharpest of 24 heads: layer {layer}, head {head}. “{texts[row]}” attends to “{texts[column]}”" in said
    assert "rows (top to bottom): query, the word that attends" in said
    assert "rounded to 0.004" in said


DRAWN = """
async ([source, places, scale]) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.drawImage(picture, 0, 0);
    const ink = (x, y, wide, high) => {
        const data = pen.getImageData(x, y, wide, high).data;
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += data[at] < 100;
        return count;
    };
    return {
        size: [canvas.width, canvas.height],
        pixels: places.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data]),
        title: ink(16 * scale, 16 * scale, 400 * scale, 24 * scale),
        foot: ink(16 * scale, canvas.height - 34 * scale, 430 * scale, 20 * scale),
    };
}
"""
PARTS = {"svg", "title", "desc", "defs", "linearGradient", "stop", "g", "rect", "text"}
PNG_SCALE = 2


def save(page: Page, folder: Path, *, file: str) -> Path:
    """Save the overview by the keyboard alone, and return where it lies."""
    button = page.get_by_role("button", name=f"Download as {file.rpartition('.')[2].upper()}")
    button.focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == file
    download.value.save_as(folder / file)
    return folder / file


def as_link(path: Path) -> str:
    kind = {".png": "image/png", ".svg": "image/svg+xml"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def parts_of(path: Path) -> dict[str, list[ElementTree.Element]]:
    """Return the elements of an SVG by name; no other name may be there, and no address."""
    found: dict[str, list[ElementTree.Element]] = {name: [] for name in PARTS}
    for element in ElementTree.parse(path).iter():
        found[element.tag.rpartition("}")[2]].append(element)
        assert not {"href", "src"} & {key.rpartition("}")[2] for key in element.attrib}
        assert not any(key.startswith("on") for key in element.attrib)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_picture_holds_the_maps_and_the_words_dark_on_white(
    visit: Callable[..., Page], tmp_path: Path, scheme: str
) -> None:
    trace = sample("small")
    page = visit(scheme=scheme, file="the-cat.svg", least="0.1")
    boxes = stage_of(page).evaluate("stage => stage.boxes")
    vector = save(page, tmp_path, file="the-cat.svg")
    pixels = save(visit(scheme=scheme, file="the-cat.png", least="0.1"), tmp_path, file="the-cat.png")
    parts = parts_of(vector)
    texts = [each.text for each in parts["text"]]
    assert texts[0] == "24 encoder self-attention heads"
    words = " ".join(texts)
    for said in (
        "rows (top to bottom): query, the word that attends",
        "cells below 0.1, left empty",
        "queries, from the top: the old cat saw the other cat , 我 🔥 \u2068أحب\u2069 </s>",
        "keys, from the left: the old cat",
        "layer 2",
        "head 7",
        "attention weight (colour: square root)",
        "0.25",
    ):
        assert said in words
    assert "” attends to “" in (parts["desc"][0].text or "")
    (group,) = parts["g"]
    left, top = map(float, group.attrib["transform"].removeprefix("translate(").removesuffix(")").split())
    stacks = [trace[f"encoder.{layer}.self"].weights for layer in range(3)]
    shades = [each.attrib["fill"] for each in group if each.attrib["fill"] != "none"]
    assert len(shades) == sum(int((np.round(np.sqrt(each) * 255) ** 2 / 255**2 >= 0.1).sum()) for each in stacks)
    assert len(set(shades)) > 10
    count, ends = len(trace.source), [place for place, _hex in WEIGHT_SCALE]
    cells = [(head, row, column) for head in (0, 9, 23) for row, column in ((0, 0), (2, 2), (3, 2), (10, 10), (0, 9))]
    places, expected = [], []
    for head, row, column in cells:
        box, weight = boxes[head], float(trace[f"encoder.{head // 8}.self"].weights[head % 8, row, column])
        places.append(
            [
                left + box["left"] + (column + 0.5) / count * box["width"],
                top + box["top"] + (row + 0.5) / count * box["height"],
            ]
        )
        shade = [[int(colour[at : at + 2], 16) for _end, colour in WEIGHT_SCALE] for at in (1, 3, 5)]
        drawn = [np.interp(round(weight**0.5 * 255) / 255, ends, values) for values in shade]
        expected.append([255, 255, 255] if weight < 0.1 else drawn)
    assert [255, 255, 255] in expected
    frame = boxes[1]
    places += [[2, 2], [left + frame["left"] - 2.5, top + frame["top"] + frame["height"] / 2]]
    expected += [[255, 255, 255], [int(HEAD_COLOURS[0][at : at + 2], 16) for at in (1, 3, 5)]]
    for path, scale in ((vector, 1), (pixels, PNG_SCALE)):
        at = [[x * scale, y * scale] for x, y in places]
        drawn = page.evaluate(DRAWN, [as_link(path), at, scale])
        root = parts["svg"][0].attrib
        assert drawn["size"] == [round(float(root[side]) * scale) for side in ("width", "height")]
        np.testing.assert_allclose([each[:3] for each in drawn["pixels"]], expected, atol=3)
        assert [each[3] for each in drawn["pixels"]] == [255] * len(places)
        assert drawn["title"] > 200
        assert drawn["foot"] > 50


def test_a_saved_picture_shows_markup_as_text_on_a_phone_too(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(sample="hostile", file="a.svg", order="same", count="4", width=390)
    path = save(page, tmp_path, file="a.svg")
    texts = [each.text or "" for each in parts_of(path)["text"]]
    assert "itself" in texts  # the label of a head, over its small map
    words = " ".join(texts)
    for said in (HOSTILE.replace(" ", "␣"), "<b>bold</b>", "{head}", "2 of 6 heads left out"):
        assert said in words
    drawn = page.evaluate(DRAWN, [as_link(path), [], 1])
    assert drawn["title"] > 200
    assert page.evaluate("window.harmed") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_holds_too_many_cells_for_an_svg_says_so_and_is_a_png(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(sample="large", file="a.svg")
    expect(page.locator(".overview .keys")).to_contain_text("cells are too many for an SVG. Here you get a PNG; a")
    assert save(page, tmp_path, file="a.png").read_bytes().startswith(b"\x89PNG")


def test_markup_in_a_token_is_text_and_nothing_else(visit: Callable[..., Page]) -> None:
    page = visit(sample="hostile")
    count = len(sample("hostile").source)
    assert HOSTILE.replace(" ", "␣") in point(page, 0, 0, 0, (count, count))
    assert "“{head}”" in point(page, 0, 3, 1, (count, count))
    assert "“<b>bold</b>”" in point(page, 1, 2, 2, (count, count))
    page.keyboard.press("Tab")
    assert page.locator(".overview img").count() == 0
    assert page.evaluate("window.harmed") is None


def test_heads_come_in_the_order_and_the_number_asked_for(visit: Callable[..., Page]) -> None:
    page = visit(sample="large", order="same", count="5")
    assert stage_of(page).evaluate("stage => stage.boxes.length") == 5
    shares = [
        (-float(np.trace(head)) / 128, layer, number)
        for layer in range(6)
        for number, head in enumerate(sample("large")[f"encoder.{layer}.self"].weights)
    ]
    for place, (_share, layer, head) in enumerate(sorted(shares)[:5]):
        assert point(page, place, 9, 9, (64, 64)).startswith(f"layer {layer}, head {head} ")
    expect(page.locator(".overview .note")).to_contain_text("67 of 72 heads left out")


def test_below_the_threshold_nothing_is_drawn_and_the_hidden_have_a_column(visit: Callable[..., Page]) -> None:
    page, weights = visit(hide="1", least="0.1"), sample("small")["encoder.0.self"].weights[0, :-1]
    shape = weights.shape  # the column of the hidden token is the last
    for row, column in ((0, 0), (0, 9), (5, 5), (9, 11)):
        drawn = stage_of(page).evaluate(PIXEL, ["maps", 0, (column + 0.5) / shape[1], (row + 0.5) / shape[0]])
        assert (drawn[3] == 0) == (weights[row, column] < 0.1)
    assert "left empty: below 0.1" in point(page, 0, 0, 9, shape)
    assert "“⟨hidden⟩”" in point(page, 0, 9, 11, shape)


def test_a_phone_has_all_of_it_and_it_is_sharp(visit: Callable[..., Page]) -> None:
    page = visit(width=390, scale=2, sample="large")
    stage = stage_of(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    width = stage.evaluate("stage => Math.floor(stage.getBoundingClientRect().width)")
    boxes = stage.evaluate("stage => stage.boxes")
    assert len(boxes) == 72
    assert all(box["left"] >= 0 and box["left"] + box["width"] <= width and box["width"] >= 40 for box in boxes)
    assert stage.evaluate("stage => stage.querySelector('.maps').width") == 2 * width
    point(page, 11, 30, 30, (64, 64))
    frame = page.locator(".tip").bounding_box()
    assert frame
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 390


LINES = """
() => [...document.querySelectorAll('.scatterlayer path.js-line')]
    .filter(path => path.style.visibility !== 'hidden' && path.getAttribute('d')?.includes('L')).length
"""
MARKER = """
([side, position]) => {
    const points = [...document.querySelectorAll('.js-plotly-plot .scatterlayer .trace .points')];
    const box = points.filter(each => each.childElementCount)[side].children[position].getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
}
"""


def test_the_token_under_the_pointer_has_its_lines_alone(visit: Callable[..., Page]) -> None:
    page, trace = visit(view="lines", count="2"), sample("small")
    weights = np.stack([trace["encoder.0.self"].weights[1], trace["encoder.1.self"].weights[2]])
    page.wait_for_function(f"({LINES})() === {(weights >= 0.05).sum()}")
    for side, position, own in ((0, 4, weights[:, 4]), (1, 6, weights[:, :, 6]), (0, 0, weights[:, 0])):
        page.mouse.move(*page.evaluate(MARKER, [side, position]))
        page.wait_for_function(f"({LINES})() === {(own >= 0.05).sum()}")
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text("“the” attends to")
    page.mouse.move(5, 5)
    page.wait_for_function(f"({LINES})() === {(weights >= 0.05).sum()}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_shaded_text_keeps_its_colours_and_its_width(visit: Callable[..., Page], scheme: str) -> None:
    page, weights = (
        visit(view="text", position="2", width=390, scheme=scheme),
        sample("small")["encoder.0.self"].weights,
    )
    words = page.locator(".on-text").first.locator("li")
    expect(words).to_have_count(12)
    shade = weight_colour(float(weights[0, 2, 2]), "root")
    channels = ", ".join(str(int(shade[at : at + 2], 16)) for at in (1, 3, 5))
    expect(words.nth(2)).to_have_css("background-color", f"rgb({channels})")
    expect(words.nth(2)).to_have_css("color", "rgb(255, 255, 255)")
    expect(words.nth(2)).to_have_attribute("title", f"“cat”: {weights[0, 2, 2]:.4f}")
    expect(words.nth(2)).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_click_on_the_map_of_likeness_compares_its_two_heads(open_page: Callable[..., Page], address: str) -> None:
    text = "The cat drank the milk."
    page = open_page(f"{address}/heads", sentence=text, below="similarity", heads0="1", heads2="")
    chart = page.locator(".st-key-figure-similarity")
    chart.locator(".heatmaplayer image").wait_for()
    expect(chart.locator(".modebar-btn")).to_have_count(1)
    chart.scroll_into_view_if_needed()
    frame = chart.locator(".nsewdrag").bounding_box()
    assert frame
    assert frame["width"] == pytest.approx(frame["height"], rel=0.02)  # cells are square, so it is drawn to its size
    page.mouse.click(frame["x"] + 2.5 / 24 * frame["width"], frame["y"] + 8.5 / 24 * frame["height"])
    found = head_similarity(models.load(KEY).attend(text))
    expect(page).to_have_url(re.compile("compare=difference"))
    pair = found.places[2], found.places[8]
    for layer in range(3):
        pressed = page.locator(f".st-key-heads{layer} :is([aria-pressed=true], [aria-checked=true])")
        expect(pressed).to_have_text([str(head) for each, head in sorted(pair) if each == layer])


@pytest.mark.parametrize("name", canvases._FILES)
def test_nothing_can_be_pressed_before_the_words_have_come(browser: Browser, name: str) -> None:
    page = browser.new_page()
    parts = canvases.parts_of(name)
    page.set_content(f"<style>{parts.style}</style>{parts.html}")
    assert not any(button.is_visible() for button in page.locator("button").all())
    page.close()
