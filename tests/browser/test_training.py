"""Training in a real browser: the slider moved by its keys draws another point, and the first screen holds the maps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of
from tests.support.browsing import says, settle, until_link
from viz.widgets.sentence import USUAL, first_of

TYPED = "The dog sleeps."
SENTENCE = "My sister is reading a book in the kitchen."


def test_the_slider_goes_from_alignment_to_noise(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/training", width=1280, height=720, sentence=SENTENCE, point="20")
    said = page.locator(".alignment .panel").nth(1).locator(".says")
    expect(said).to_contain_text("“")
    settle(page)
    before = said.inner_text()
    canvas = page.locator(".alignment canvas").first
    assert box_of(canvas)["y"] <= 310
    curve = page.locator(".st-key-figure-curves, .js-plotly-plot").first
    expect(curve).to_contain_text("alignment error rate")
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("Home")
    says(page, point="1")
    settle(page)
    expect(said).not_to_have_text(before)
    expect(page.locator(".at-point")).to_contain_text("7.31")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    expect(said).to_contain_text("“")
    assert box_of(canvas)["y"] <= 480
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_training_begins_with_a_short_sentence_which_no_other_page_takes_over(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, width=1280, height=720)
    box = page.get_by_role("textbox").first
    expect(box).to_have_value(first_of(USUAL))
    page.get_by_role("link", name="Training").click()
    expect(box).to_have_value(SENTENCE)
    page.get_by_role("link", name="Bench").click()
    expect(box).to_have_value(first_of(USUAL))
    box.fill(TYPED)
    until_link(page, lambda url: "sentence=" in url)
    page.get_by_role("link", name="Training").click()
    expect(box).to_have_value(TYPED)
