"""The mask of the trained decoder in a browser: crossed out, lifted, and opened first on a phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.browsing import point, says, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINK = {"sentence": "The cat drank the milk.", "mechanism": "transformer", "layer": "decoder.0.self", "step": "mask"}


def test_later_words_are_crossed_out_until_the_mask_is_lifted(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(f"{address}/steps", word="4", **LINK)
    crosses = page.locator(".walk svg .cross")
    expect(crosses).to_have_count(3)
    settle(page)
    page.get_by_text("lift the causal mask").click()
    says(page, unmasked="on")
    expect(crosses).to_have_count(0)
    expect(page.get_by_text("“Le chat bu buv lait.” without")).to_be_visible()


def test_a_link_lifts_it_first_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(f"{address}/steps", width=390, height=844, touch=True, lang="zh", unmasked="on", **LINK)
    expect(page.get_by_role("heading", name="去掉掩码")).to_be_visible(timeout=120_000)
    settle(page)
    expect(page.locator(".st-key-figure-unmasked .js-plotly-plot")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_heads_cross_out_later_words_and_lift_the_mask(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(f"{address}/heads", map="decoder", sentence=LINK["sentence"], unit="piece", heads0="3")
    page.locator(".comparison .stage[data-drawn]").wait_for(timeout=120_000)
    settle(page)
    assert "masked: score" in point(page, 0, 0, 5, (8, 8), figure=".comparison")
    page.get_by_text("lift the causal mask").click()
    says(page, unmasked="on")
    expect(page.get_by_role("heading", name="Without the mask", exact=True)).to_be_visible()
    settle(page)
    assert "masked: score" not in point(page, 0, 0, 5, (8, 8), figure=".comparison")


def test_a_link_lifts_the_mask_of_heads_first_on_a_phone_in_chinese(
    open_page: Callable[..., Page], address: str
) -> None:
    from playwright.sync_api import expect

    link = {"map": "decoder", "sentence": LINK["sentence"], "unmasked": "on", "lang": "zh"}
    page = open_page(f"{address}/heads", width=390, height=844, touch=True, **link)
    expect(page.get_by_role("heading", name="去掉掩码")).to_be_visible(timeout=120_000)
    settle(page)
    expect(page.locator(".st-key-figure-unmasked .js-plotly-plot")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
