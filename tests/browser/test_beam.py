"""The tree of the beam on the Bench, opened first by its link: a branch is clicked, and another reached by keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import models
from models.writing import Writing
from tests.support.browsing import says, settle
from viz.text.tokens import visible

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SENTENCE, KEY = "The cat drank the milk.", "bahdanau-en-fr"
LINK = {"also": "beam", "mechanisms": "bahdanau", "sentence": SENTENCE}


def nodes(page: Page) -> Locator:
    return page.locator(".st-key-figure-beam .scatterlayer .points path")


def expect_map(page: Page, rank: int, width: int) -> None:
    """Wait until the map of a hypothesis of the beam stands beside that of greedy decoding."""
    from playwright.sync_api import expect

    model = models.load_translator(KEY)
    ids = models.beam_search(model, SENTENCE, width)[rank - 1].ids
    trace = model.attend(SENTENCE, write=Writing(0, begin=ids))
    labels = page.locator(".st-key-figure-beam-maps .panel").last.locator(".rows span")
    expect(labels).to_have_text([visible(each) for each in trace.target.word_texts], use_inner_text=False)


def test_a_branch_is_clicked_and_reached_by_keys(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/bench", beam="3", **LINK)
    nodes(page).first.wait_for(timeout=120_000)
    settle(page)
    nodes(page).last.scroll_into_view_if_needed()
    box = nodes(page).last.bounding_box()
    assert box is not None
    figure = page.locator(".st-key-figure-beam .js-plotly-plot")
    code = figure.evaluate("plot => plot.data.at(-1).customdata.at(-1)[0]")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says(page, branch=code)
    expect_map(page, int(code), 3)
    other = "2" if code == "3" else "3"
    choice = page.get_by_role("radiogroup", name="Hypothesis").get_by_role("radio", name=other, exact=True)
    choice.press("Enter")
    says(page, branch=other)
    expect_map(page, int(other), 3)


def test_a_link_opens_it_first_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(f"{address}/bench", width=390, height=844, touch=True, lang="zh", beam="2", branch="2", **LINK)
    expect(page.get_by_role("heading", name="束搜索")).to_be_visible(timeout=120_000)
    expect(page.get_by_text("长度归一化")).to_be_visible()
    settle(page)
    expect_map(page, 2, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    says(page, beam="2", branch="2")
