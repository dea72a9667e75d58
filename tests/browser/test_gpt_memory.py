"""A memory that nobody trained, and a memory of the segment before, opened first by a link on a phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.browsing import says, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_link_opens_both_memories_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    link = {"model": "hf:gpt-en", "below": "memory segments", "mix": "30", "recurrence": "anew", "lang": "zh"}
    text = "In the beginning God created the heavens and the earth."
    page = open_page(f"{address}/heads", width=390, height=844, touch=True, sentence=text, **link)
    expect(page.get_by_role("heading", name="分段记忆")).to_be_visible(timeout=120_000)
    settle(page)
    for name in ("memory", "segments"):
        expect(page.locator(f".st-key-figure-{name} .js-plotly-plot")).to_be_visible()
    expect(page.get_by_text("使用记忆，30%")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("radio", name="无记忆", exact=True).click()
    says(page, recurrence="off")
    expect(page.locator(".st-key-figure-segments").get_by_text("仅这一段")).to_be_visible()
