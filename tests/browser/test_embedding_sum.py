"""Vectors that add up and a classifier on [CLS], opened first by a link on a phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.browsing import says, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_click_on_a_row_works_out_its_sum_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    text = "The cat drank the milk."
    link = {"model": "hf:bert-en", "below": "embedding", "lang": "zh"}
    page = open_page(f"{address}/heads", width=390, height=844, touch=True, sentence=text, **link)
    expect(page.get_by_role("heading", name="每个词元的输入是哪些向量之和")).to_be_visible(timeout=120_000)
    settle(page)
    chart = page.locator(".st-key-figure-embedding-sum .js-plotly-plot")
    expect(chart).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.get_by_text("“cat”各向量的长度")).to_be_visible()
    row = chart.locator(".ytick text").get_by_text("milk").first
    row.scroll_into_view_if_needed()
    box, whole = row.bounding_box(), chart.bounding_box()
    assert box is not None
    assert whole is not None
    page.mouse.click(whole["x"] + whole["width"] * 0.6, box["y"] + box["height"] / 2)
    says(page, summed="5")
    expect(page.get_by_text("“milk”各向量的长度")).to_be_visible()


def test_a_classifier_on_cls_fits_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    link = {"model": "hf:bert-en", "below": "classifier", "lang": "zh"}
    page = open_page(f"{address}/heads", width=390, height=844, touch=True, sentence="The dog ran.", **link)
    expect(page.get_by_role("heading", name="[CLS] 上的分类器")).to_be_visible(timeout=120_000)
    settle(page)
    for name in ("classifier-rows", "classifier-heads"):
        expect(page.locator(f".st-key-figure-{name} .js-plotly-plot")).to_be_visible()
    expect(page.get_by_text("换一个随机种子微调")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
