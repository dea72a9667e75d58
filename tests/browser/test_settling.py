"""What other tests wait by: a page has settled when what was typed is answered, not before."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.support.browsing import settle


def test_what_is_typed_is_answered_once_the_page_has_settled(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", sentence="The cat", model="bahdanau")
    box = page.locator(".st-key-sentence input")
    for word in ("drank", "milk"):
        settle(page)
        box.press("End")
        box.press_sequentially(f" {word}")
        assert not page.evaluate("window.isAtRest()")  # a timer runs, of which the server knows nothing
        settle(page)
        assert word in page.evaluate("location.search")
        assert page.get_by_test_id("stMain").evaluate("main => !main.querySelector('[data-stale=true]')")
