"""By keyboard alone: the first map is few presses of Tab away on every page, and arrow keys walk a row."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from app import PAGES
from tests.support.browsing import settle

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST = 20
FIRST_MAPS = {
    "why": ".st-key-chart-paths .modebar-btn",
    "bench": ".alignment .plot",
    "steps": ".boards",
    "heads": ".overview .stage",
    "surgery": ".comparison .stage",
    "training": ".alignment .plot",
    "scenes": ".scene input:checked",
    "lessons": None,  # a list
}
"""What takes the keys of the first picture of each page that has one."""

IS_FOCUSED = "each => each.matches(':focus')"


def opened(open_page: Callable[..., Page], address: str, path: str, shown: str) -> tuple[Page, Locator]:
    page = open_page(f"{address}/{path}", width=1280, height=720)
    first = page.locator(shown).first
    expect(first).to_be_visible()
    settle(page)
    return page, first


@pytest.mark.parametrize("path", [import_module(f"viz.pages.{each}.page").PAGE.address for each in PAGES])
def test_the_first_map_is_few_presses_of_tab_away(open_page: Callable[..., Page], address: str, path: str) -> None:
    shown = FIRST_MAPS[path]
    if shown is None:
        return
    page, first = opened(open_page, address, path, shown)
    for _press in range(MOST):
        page.keyboard.press("Tab")
        if first.evaluate(IS_FOCUSED):
            return
    pytest.fail(f"{MOST} presses lead to {page.evaluate('document.activeElement.outerHTML')[:200]}")


def test_arrow_keys_walk_a_row_that_is_one_stop_of_tab(open_page: Callable[..., Page], address: str) -> None:
    page, _plot = opened(open_page, address, "", ".alignment .plot")
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
