"""Scenes in a real browser: maps are there at once, a word lights cells, a cell is filled by keys and by taps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of
from tests.support.browsing import settle, until_link

SCENE = ",,,,large yellow circle,,,,"


def test_a_word_lights_cells_and_a_cell_is_filled_at_the_desk(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/scenes", width=1280, height=720)
    panels = page.locator(".scene")
    expect(panels).to_have_count(3)
    settle(page)
    assert box_of(page.locator(".scene svg").first)["y"] <= 300
    lit = panels.first.locator(".lit:visible")
    expect(lit).to_have_count(2)  # the shades of one word, and its numbers
    word = panels.first.locator("label", has_text="yellow").first
    word.hover()
    place = (word.get_attribute("class") or "").removeprefix("word-")
    expect(panels.first.locator(f".lit-{place}").first).to_be_visible()
    expect(lit).to_have_count(2)
    page.mouse.move(0, 0)
    panels.first.locator("input:checked").focus()
    page.keyboard.press("ArrowRight")
    chosen = panels.first.locator("label:has(:checked)").get_attribute("class") or ""
    expect(panels.first.locator(f".lit-{chosen.removeprefix('word-')}").first).to_be_visible()
    page.get_by_role("button", name="middle left: empty").focus()
    page.keyboard.press("Enter")
    until_link(page, lambda url: "cell=4" in url)
    settle(page)
    page.get_by_role("radio", name="star").click()
    expect(page.get_by_role("button", name="middle left: small yellow star")).to_be_visible()
    until_link(page, lambda url: "star" in url)


def test_a_linked_scene_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/scenes", width=390, height=844, touch=True, lang="zh", scene=SCENE)
    panel = page.locator(".scene").first
    expect(panel.locator(".caption")).to_contain_text("large yellow circle")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert box_of(panel.locator("svg"))["y"] <= 480
    panel.locator("label", has_text="yellow").tap()
    expect(panel.locator("label:has(:checked)")).to_have_text("yellow")
    expect(panel.locator(".lit:visible text").first).to_be_visible()
    expect(page.get_by_role("button", name="大黄色圆形")).to_be_visible()
    expect(page.get_by_text("描述用英文书写")).to_be_visible()
