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


def test_the_birth_of_a_head_is_opened_first_in_chinese_on_a_phone_and_its_slider_moves_all(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/training", width=390, height=844, languages="zh-en", measured="birth", lang="zh")
    curves, maps = (page.locator(f".st-key-figure-{name} .js-plotly-plot") for name in ("birth", "birth-maps"))
    expect(curves).to_contain_text("更新次数")
    expect(maps).to_contain_text("被关注的词")
    settle(page)
    dotted = curves.locator(".shapelayer path").first
    before = dotted.get_attribute("d"), maps.locator("image").last.get_attribute("href")
    slider = page.locator(".st-key-training-born").get_by_role("slider")
    slider.focus()
    slider.press("End")
    says(page, born="29")
    settle(page)
    expect(page.get_by_text("2,000 次更新后")).to_be_visible()
    assert dotted.get_attribute("d") != before[0]
    assert maps.locator("image").last.get_attribute("href") != before[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
