"""What a newcomer is told: a line under the header until the first touch; what letters and marks mean; a glossary."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of, maps
from tests.support.browsing import settle

SAID = "Three models translate your sentence. Colour shows which source words each one looks at."


@pytest.mark.parametrize("touch", ["click", "key"])
def test_the_line_is_there_until_the_first_touch_and_never_again(
    open_page: Callable[..., Page], address: str, touch: str
) -> None:
    page = open_page(address, width=1280, height=720)
    line = page.get_by_text(SAID)
    expect(line).to_be_visible()
    settle(page)
    first = box_of(maps(page).first)
    assert first["y"] < 300
    assert box_of(line)["y"] + box_of(line)["height"] <= box_of(page.locator(".st-key-asking"))["y"] + 1
    if touch == "click":
        page.locator(".alignment .tokens .word").first.click()
    else:
        page.keyboard.press("Tab")
    expect(line).to_be_hidden()
    assert box_of(maps(page).first) == first  # nothing jumps
    if touch == "key":
        return
    page.reload()
    expect(maps(page).first).to_be_visible()
    settle(page)
    expect(line).to_have_count(0)


def test_a_link_that_shows_something_else_has_no_line(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, lesson="mask-a-word", step="1")
    expect(maps(page).first).to_be_visible()
    settle(page)
    expect(page.get_by_text(SAID)).to_have_count(0)


def test_letters_and_marks_say_what_they_mean_and_a_glossary_ends_the_page(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, width=1280, height=720)
    expect(maps(page).first).to_be_visible()
    formula = page.locator(".alignment .formula").first
    letters = formula.get_attribute("title") or ""
    assert "q: query" in letters
    formula.click()
    expect(page.locator(".note-shown")).to_have_text(letters)
    end = page.locator(".alignment .tokens .word").last
    assert end.get_attribute("title") == "</s> marks the end of the sentence. Models treat it like a word."
    settle(page)
    fold = page.locator(".st-key-glossary")
    term = fold.get_by_text("attention weight, \u03b1")
    expect(term).to_be_hidden()
    fold.locator("summary").click()
    expect(term).to_be_visible()
    assert box_of(fold)["y"] > box_of(maps(page).first)["y"]
