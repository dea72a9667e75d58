"""The Heads in a real browser: links, picks, weights read by hovering, saved pictures, small and dark screens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import transformers
from browsing import cell_of, point, query
from playwright.sync_api import Page, expect

import models
from models.huggingface.embedded import local_models
from models.trace import AttentionTrace
from viz.figures.head_maps import views_at
from viz.pages.heads import KEY
from viz.tokens import label, visible

PAUSE = 1_000  # milliseconds
SENTENCE = "The cat drank the milk because the cat was hungry."
AWKWARD = "The cat <img src=x onerror=window.harmed=1> the cat {x} 我 🔥 أحب unbelievably."

POINT = """
([chart, trace, x, y]) => {
    const plot = document.querySelectorAll('.js-plotly-plot')[chart];
    const drawn = plot._fullData[trace], box = plot.getBoundingClientRect();
    const axis = name => plot._fullLayout[name.replace(/^([xy])/, '$1axis')];
    const [across, down] = [axis(drawn.xaxis), axis(drawn.yaxis)];
    return [box.left + across._offset + across.d2p(x), box.top + down._offset + down.d2p(y)];
}
"""
SETTLED = """
images => {
    const plots = [...document.querySelectorAll('.js-plotly-plot')];
    const idle = document.querySelector('[data-test-script-state="notRunning"]');
    const fits = plot => Math.abs(plot._fullLayout.width - plot.parentElement.getBoundingClientRect().width) <= 22;
    const drawn = [...document.querySelectorAll('.st-key-figure-all-heads *')]
        .some(each => each.shadowRoot?.querySelector('.stage[data-drawn]'));
    return idle && drawn && document.querySelectorAll('.heatmaplayer image').length === images && plots.every(fits);
}
"""


@cache
def trace() -> AttentionTrace:
    return models.load(KEY).attend(SENTENCE)


@pytest.fixture
def visit(open_page: Callable[..., Page], address: str) -> Callable[..., Page]:
    """Give a way to open the Heads by a link."""
    return partial(open_page, f"{address}/heads", height=1500, sentence=SENTENCE)


def hover(page: Page, chart: int, trace_number: int, x: float, y: float) -> str:
    """Point at a place of a chart, in its own coordinates, and give what is shown."""
    page.locator(".js-plotly-plot").nth(chart).scroll_into_view_if_needed()
    across, down = page.evaluate(POINT, [chart, trace_number, x, y])
    page.mouse.move(across - 3, down)
    page.mouse.move(across, down)
    shown = page.locator(".hoverlayer .hovertext")
    expect(shown).to_have_count(1)
    text = shown.text_content() or ""
    page.mouse.move(1, 1)
    expect(shown).to_have_count(0)
    return text


def seen(text: str) -> str:
    """Give a token as the browser shows it."""
    return unescape(label(text))


def wait_for_heatmaps(page: Page, count: int) -> None:
    """Wait until so many heatmaps are drawn, for the width that the page has, and nothing runs any more."""
    page.wait_for_function(SETTLED, arg=count)
    page.wait_for_timeout(PAUSE)  # time for the page to tell its width, which draws everything anew
    page.wait_for_function(SETTLED, arg=count)


def check_cells(
    page: Page, weights: list[np.ndarray], picked: list[int], rows: Sequence[str], keys: Sequence[str]
) -> None:
    """Hover over ten cells of picked heads, and ten of small maps, and hold them against `weights`, [head] of all."""
    generator, shape = np.random.default_rng(0), weights[0].shape
    for number in range(10):
        row, column, place = (int(generator.integers(end)) for end in (*shape, len(picked)))
        text = hover(page, 0, place, column, row)
        found = float(re.match(r"[0-9.]+", text)[0])  # type: ignore[index]
        assert found == pytest.approx(weights[picked[place]][row, column], abs=5.1e-5)
        assert seen(rows[row]) in text
        assert seen(keys[column]) in text
        head = int(generator.integers(len(weights)))
        said = point(page, head, row, column, shape).split("\n")
        assert float(said[1].removeprefix("≈ ")) == pytest.approx(weights[head][row, column], abs=0.0045), number
        assert visible(rows[row]) in said[2]
        assert visible(keys[column]) in said[3]
    page.mouse.move(1, 1)


def test_a_link_is_restored_and_every_weight_is_the_models(visit: Callable[..., Page]) -> None:
    page = visit(map="cross", heads0="1", heads2="7")
    wait_for_heatmaps(page, 2)
    shown = [view.shown for view in views_at(trace(), "decoder.*.cross", "word")]
    weights = [head for each in shown for head in each.weights]
    check_cells(page, weights, [1, 23], shown[0].query_tokens.texts, shown[0].key_tokens.texts)


def test_minilm_is_shown_as_transformers_computes_it(visit: Callable[..., Page]) -> None:
    page = visit(height=3600, model="hf:minilm", unit="piece", heads0="0", heads3="4", heads5="11", sentence=AWKWARD)
    wait_for_heatmaps(page, 3)
    folder = local_models()["hf:minilm"].folder
    own = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(AWKWARD, return_tensors="pt")
    eager = own(**inputs, output_attentions=True).attentions
    weights = [head for layer in eager for head in layer[0].detach().numpy()]
    pieces = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    assert "##" in "".join(pieces)
    check_cells(page, weights, [0, 3 * 12 + 4, 71], pieces, pieces)
    assert page.evaluate("window.harmed") is None
    x, y = cell_of(page, 25, 1, 1, weights[0].shape)
    page.mouse.click(x, y)
    expect(page.locator(".st-key-figure-picked-heads .heatmaplayer image")).to_have_count(4)
    expect(page.locator("[data-testid=stMultiSelect]")).to_contain_text("layer 2, head 1")
    assert query(page)["heads2"] == ["1"]
    for way in ("lines", "on the text"):
        page.get_by_role("radio", name=way, exact=True).click()
        expect(page.locator(".js-line" if way == "lines" else ".on-text li").first).to_be_visible()
    assert page.evaluate("window.harmed") is None
    assert page.locator("img[src=x]").count() == 0


def test_heads_are_picked_shown_and_kept_in_the_link(visit: Callable[..., Page]) -> None:
    page = visit()
    wait_for_heatmaps(page, 2)
    pills = page.locator(".st-key-heads1 button")
    expect(pills).to_have_count(8)
    pills.nth(4).click()
    wait_for_heatmaps(page, 3)
    pills.nth(6).click()
    wait_for_heatmaps(page, 4)
    assert query(page)["heads1"] == ["4 6"]
    pills.nth(7).click()
    expect(page.get_by_text("layer 0, head 0 made room")).to_be_visible()
    expect(
        page.locator(".st-key-heads0 button[aria-pressed=true], .st-key-heads0 button[aria-checked=true]")
    ).to_have_count(0)
    page.reload()
    wait_for_heatmaps(page, 4)
    expect(page.get_by_text("layer 1, head 7", exact=True).first).to_be_visible()
    expect(page.get_by_text("layer 0, head 0", exact=True)).to_have_count(0)


def test_the_sentence_and_the_picks_travel_between_the_pages(visit: Callable[..., Page]) -> None:
    page = visit(heads1="5")
    wait_for_heatmaps(page, 3)
    box = page.locator(".st-key-sentence input")
    box.fill("The dog sleeps.")
    expect(page.locator(".st-key-figure-picked-heads .ytick text").first).to_have_text("The")
    expect(page.locator(".st-key-figure-picked-heads .ytick text")).to_have_count(5)
    page.get_by_role("link", name="Bench").click()
    expect(page.locator(".st-key-figure-alignment")).to_be_visible()
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    page.get_by_role("link", name="Heads").click()
    wait_for_heatmaps(page, 3)
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    expect(page.get_by_text("layer 1, head 5", exact=True).first).to_be_visible()


def test_a_phone_has_all_of_it_and_nothing_sticks_out(visit: Callable[..., Page]) -> None:
    page = visit(width=390, map="cross")
    wait_for_heatmaps(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [each.bounding_box() for each in page.locator(".st-key-heads2 button").all()]
    assert len(boxes) == 8
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_a_picture_saved_from_a_dark_page_is_dark_on_white(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(scheme="dark", picture="svg")
    wait_for_heatmaps(page, 2)
    chart = page.locator(".js-plotly-plot").nth(0)
    text, background = page.locator(".st-key-figure-picked-heads .ytick text").first, chart.locator(".main-svg").first
    expect(text).to_have_css("fill", re.compile(r"rgb\((2\d\d), (2\d\d), (2\d\d)\)"))  # light text
    expect(background).to_have_css("background-color", "rgba(0, 0, 0, 0)")  # on the page's own dark
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn").first.click()
    saved = tmp_path / "picture.svg"
    download.value.save_as(saved)
    assert download.value.suggested_filename.endswith(".svg")
    svg = saved.read_text(encoding="utf8")
    assert re.search(r"<rect[^>]*fill: rgb\(255, 255, 255\)", svg)
    assert "currentColor" not in svg
    assert "query: the word that reads" in svg
    assert "rgb(28, 35, 48)" in svg  # dark text
