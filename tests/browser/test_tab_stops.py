"""By keyboard alone: arrow keys walk a row that is one stop of Tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.support.browsing import settle

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_arrow_keys_walk_a_row_that_is_one_stop_of_tab(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, width=1280, height=720)
    expect(page.locator(".alignment .plot").first).to_be_visible()
    settle(page)
    pages, row = page.get_by_test_id("stTopNavLink"), page.locator(".st-key-timeline button:visible")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(pages.filter(has_text="Bench")).to_be_focused()  # the page that is shown
    page.keyboard.press("End")
    expect(pages.last).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(pages.first).to_be_focused()
    page.keyboard.press("Tab")
    assert not pages.evaluate_all("all => all.some(each => each.matches(':focus'))")
    page.keyboard.press("Shift+Tab")
    expect(pages.first).to_be_focused()  # where the reader was
    row.nth(2).focus()
    page.keyboard.press("ArrowRight")
    expect(row.nth(3)).to_be_focused()
    page.keyboard.press("Tab")
    assert not row.evaluate_all("all => all.some(each => each.matches(':focus'))")
    page.keyboard.press("Shift+Tab")
    expect(row.nth(3)).to_be_focused()
    row.nth(2).focus()
    page.keyboard.press("Enter")  # a button is one still: the mechanism leaves the picture
    expect(page.locator(".alignment .panel")).to_have_count(2)
