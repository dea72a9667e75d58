"""Pictures as one HTML file: opened from a folder without a network, they are drawn and answer the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from models.trace import AttentionTrace
from tests.support.browsing import cell_of, point
from tests.support.canvas_samples import HOSTILE, SAMPLES
from tests.support.figure_samples import translation
from viz.canvas import Picture, standalone_html
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.comparison import encode_comparison
from viz.canvas.overview import Tiles, encode_overview
from viz.text.tokens import visible
from viz.views.heads import HeadPlace, pick_views, places_at, views_at
from viz.views.view import choose_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SITES = "encoder.*.self"


def heads_of(trace: AttentionTrace) -> list[Picture]:
    picked = (HeadPlace(0, 1),)
    views = pick_views(trace, SITES, "word", picked)
    compared = encode_comparison(views, picked, among=places_at(trace, SITES))
    return [
        Picture("overview", encode_overview(views_at(trace, SITES, "word"), Tiles(picked=picked))),
        Picture("comparison", compared),
    ]


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Return a page with four pictures, two of one kind, opened from its file by a browser that reaches nothing."""
    trace = translation("The old cat sleeps . </s>".split(), "Le vieux chat dort . </s>".split())
    bench = Picture("alignment", encode_alignment([AlignmentView(trace, choose_view(trace), "a")]))
    facts = [("Sentence", "The <b>old</b> cat sleeps.")]
    path: Path = tmp_path_factory.mktemp("standalone") / "picture.html"
    path.write_text(standalone_html(HOSTILE, [bench, bench, *heads_of(SAMPLES["hostile"]())], facts), encoding="utf8")
    problems: list[str] = []
    with browser.new_context(offline=True, viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or problems.append(request.url))
        page.goto(path.as_uri())
        for place in page.locator(".stage").all():
            place.and_(page.locator("[data-drawn]")).wait_for()
        yield page
    assert problems == []


def test_every_picture_is_drawn_and_nothing_of_the_text_is_markup(page: Page) -> None:
    assert page.locator("[data-drawn]").count() == 4
    assert page.title() == HOSTILE
    assert page.locator("dd").inner_text() == "The <b>old</b> cat sleeps."
    assert page.evaluate("window.harmed") is None


def test_a_word_that_is_pointed_at_answers_in_its_own_picture(page: Page) -> None:
    first, second = page.locator(".alignment").all()
    before = second.locator(".says").inner_text()
    first.locator(".rows span").nth(2).hover()
    assert first.locator(".says").inner_text().startswith("“chat” attends to")
    assert second.locator(".says").inner_text() == before


def test_a_head_that_is_picked_is_drawn_in_full_at_once(page: Page) -> None:
    count, full = len(SAMPLES["hostile"]().source), page.locator(".comparison .stage")
    assert visible(HOSTILE) in point(page, 1, 0, 0, (count, count), figure=".overview")
    drawn = full.get_attribute("data-drawn")
    page.mouse.click(*cell_of(page, 5, 2, 2, (count, count)))
    page.wait_for_function(
        "([name, drawn]) => document.querySelector(name).shadowRoot.querySelector('.stage').dataset.drawn !== drawn",
        arg=["[data-canvas=comparison]", drawn],
    )
    assert full.evaluate("stage => stage.boxes.length") == 2


def test_a_page_holds_a_script_once_and_names_no_address() -> None:
    one, two = (standalone_html("", heads_of(SAMPLES["small"]()) * times) for times in (1, 2))
    assert one.count('<script type="module">') == two.count('<script type="module">') == 2
    assert "default-src 'none'" in one
    addresses = {part.split('"')[0] for part in two.split("http")[1:]}
    assert addresses <= {"-equiv=", "://www.w3.org/2000/svg", "://www.w3.org/1999/xlink"}
    assert one.count("</script>") == one.count("<script")
