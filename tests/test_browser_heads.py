"""The Heads in a real browser: links, picks, weights read by hovering, saved pictures, small and dark screens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import models
from models.trace import AttentionTrace
from viz.figures.head_maps import HeadPlace, pick_views
from viz.pages.heads import KEY
from viz.tokens import label

PATIENCE = 120_000  # milliseconds: the server loads its models while the first page waits
DESKTOP = 1410  # pixels: the page is then as wide as it is first taken to be, and is drawn once
PAUSE = 1_000  # milliseconds
SENTENCE = "The cat drank the milk because the cat was hungry."
PROBES = ("/_stcore/health", "/_stcore/host-config")  # asked of the page's own path first, then of the root

POINT = """
([chart, trace, x, y]) => {
    const plot = document.querySelectorAll('.js-plotly-plot')[chart];
    const drawn = plot._fullData[trace], box = plot.getBoundingClientRect();
    const axis = name => plot._fullLayout[name.replace(/^([xy])/, '$1axis')];
    const [across, down] = [axis(drawn.xaxis), axis(drawn.yaxis)];
    return [box.left + across._offset + across.d2p(x), box.top + down._offset + down.d2p(y)];
}
"""
EDGES = """
chart => {
    const drawn = document.querySelectorAll('.js-plotly-plot')[chart]._fullData[0];
    return [[...drawn.x], [...drawn.y]];
}
"""
SETTLED = """
images => {
    const plots = [...document.querySelectorAll('.js-plotly-plot')];
    const idle = document.querySelector('[data-test-script-state="notRunning"]');
    const fits = plot => Math.abs(plot._fullLayout.width - plot.parentElement.getBoundingClientRect().width) <= 22;
    return idle && document.querySelectorAll('.heatmaplayer image').length === images && plots.every(fits);
}
"""


@cache
def trace() -> AttentionTrace:
    return models.load(KEY).attend(SENTENCE)


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Give a way to open the Heads by a link; nothing may fail on the page."""
    contexts, problems = [], []

    def open_page(*, width: int = DESKTOP, scheme: str = "light", path: str = "heads", **link: str) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 1500}, color_scheme=scheme)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "response",
            lambda answer: (
                problems.append(f"{answer.status} {answer.url}")
                if answer.status >= 400 and not urlsplit(answer.url).path.endswith(PROBES)
                else None
            ),
        )
        page.goto(f"{address}/{path}?{urlencode({'sentence': SENTENCE, **link})}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


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


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_link_is_restored_and_every_weight_is_the_models(visit: Callable[..., Page]) -> None:
    picked = (HeadPlace(0, 1), HeadPlace(2, 7))
    page = visit(map="cross", heads0="1", heads2="7")
    wait_for_heatmaps(page, 3)
    views = pick_views(trace(), "decoder.*.cross", "word", picked)
    shown = views[0].shown
    queries, keys = shown.query_tokens.texts, shown.key_tokens.texts
    generator = np.random.default_rng(0)
    for number in range(10):
        row, column = int(generator.integers(len(queries))), int(generator.integers(len(keys)))
        place = number % 2
        text = hover(page, 1, place, column, row)
        weight = float(re.match(r"[0-9.]+", text)[0])  # type: ignore[index]
        assert weight == pytest.approx(views[place].weights[row, column], abs=5.1e-5)
        assert seen(queries[row]) in text
        assert seen(keys[column]) in text
    x_edges, y_edges = page.evaluate(EDGES, 0)
    for layer, head, row, column in ((0, 0, 0, 0), (1, 3, 2, 1), (2, 7, len(queries) - 1, len(keys) - 1), (0, 5, 1, 4)):
        across, down = head * (len(keys) + 1) + column, layer * (len(queries) + 1) + row
        text = hover(page, 0, 0, sum(x_edges[across : across + 2]) / 2, sum(y_edges[down : down + 2]) / 2)
        weight = float(re.match(r"[0-9.]+", text)[0])  # type: ignore[index]
        (view,) = pick_views(trace(), "decoder.*.cross", "word", [HeadPlace(layer, head)])
        assert weight == pytest.approx(view.weights[row, column], abs=5.1e-5)
        assert f"layer {layer} · query: {seen(queries[row])}" in text
        assert f"head {head} · key: {seen(keys[column])}" in text


def test_heads_are_picked_shown_and_kept_in_the_link(visit: Callable[..., Page]) -> None:
    page = visit()
    wait_for_heatmaps(page, 3)
    pills = page.locator(".st-key-heads1 button")
    expect(pills).to_have_count(8)
    pills.nth(4).click()
    wait_for_heatmaps(page, 4)
    pills.nth(6).click()
    wait_for_heatmaps(page, 5)
    expect(page.locator(".js-plotly-plot").first.locator(".shapelayer path")).to_have_count(4)
    assert query(page)["heads1"] == ["4 6"]
    pills.nth(7).click()
    expect(page.get_by_text("layer 0, head 0 made room")).to_be_visible()
    expect(
        page.locator(".st-key-heads0 button[aria-pressed=true], .st-key-heads0 button[aria-checked=true]")
    ).to_have_count(0)
    page.reload()
    wait_for_heatmaps(page, 5)
    expect(page.get_by_text("layer 1, head 7", exact=True).first).to_be_visible()
    expect(page.get_by_text("layer 0, head 0", exact=True)).to_have_count(0)


def test_the_sentence_and_the_picks_travel_between_the_pages(visit: Callable[..., Page]) -> None:
    page = visit(heads1="5")
    wait_for_heatmaps(page, 4)
    box = page.locator(".st-key-sentence input")
    box.fill("The dog sleeps.")
    expect(page.locator(".st-key-figure-picked-heads .ytick text").first).to_have_text("The")
    expect(page.locator(".st-key-figure-picked-heads .ytick text")).to_have_count(5)
    page.get_by_role("link", name="Bench").click()
    expect(page.locator(".st-key-figure-alignment")).to_be_visible()
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    page.get_by_role("link", name="Heads").click()
    wait_for_heatmaps(page, 4)
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    expect(page.get_by_text("layer 1, head 5", exact=True).first).to_be_visible()


def test_a_phone_has_all_of_it_and_nothing_sticks_out(visit: Callable[..., Page]) -> None:
    page = visit(width=390, map="cross")
    wait_for_heatmaps(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [each.bounding_box() for each in page.locator(".st-key-heads2 button").all()]
    assert len(boxes) == 8
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_a_picture_saved_from_a_dark_page_is_dark_on_white(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(scheme="dark", picture="svg")
    wait_for_heatmaps(page, 3)
    chart = page.locator(".js-plotly-plot").nth(1)
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
