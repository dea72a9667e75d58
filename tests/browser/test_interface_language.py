"""The language of the interface: the browser's, or the one that is chosen in the header, on every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from tests.support.browsing import says, until_link

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_a_chinese_browser_is_greeted_in_chinese(browser: Browser, address: str) -> None:
    from playwright.sync_api import expect

    context = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("link", name="对比台").first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("link", name="English")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.get_by_test_id("stSkipToContent")).to_have_text("跳到正文")  # Streamlit's own words, too
    page.get_by_role("combobox", name="语言").click()
    expect(page.get_by_role("option", name="中文→英语")).to_be_visible()
    expect(page.get_by_text("options available")).to_have_count(0)
    assert "lang=" not in page.url
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-sentence input")).to_have_value("我爱吃苹果。")
    until_link(page, lambda url: "languages=zh-en" in url)
    context.close()


def test_the_other_language_is_one_click_away_and_comes_along(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(address, width=1280, height=720)
    page.get_by_role("link", name="中文").click()
    expect(page.get_by_role("link", name="注意力头").first).to_be_visible()
    until_link(page, lambda url: "lang=zh" in url)
    page.get_by_role("link", name="注意力头").first.click()
    until_link(page, lambda url: "/heads?" in url and "lang=zh" in url)
    expect(page.get_by_text("查询").filter(visible=True).first).to_be_visible()
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("link", name="Heads").first).to_be_visible()
    until_link(page, lambda url: "lang=en" in url)


def test_a_link_brings_its_language_and_the_sentence_stays(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    sentence = "The tired nurse lost her keys again."
    page = open_page(urljoin(f"{address}/", "surgery"), lang="zh", sentence=sentence, width=390, height=844)
    expect(page.get_by_role("link", name="English")).to_be_visible()
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("link", name="中文")).to_be_visible()
    says(page, sentence=sentence)
    expect(page.get_by_role("textbox").first).to_have_value(sentence)


def test_a_language_that_there_is_not_is_named(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = open_page(address, lang="tlh")
    expect(page.get_by_text("lang=tlh", exact=False)).to_be_visible()


def test_a_link_to_a_lesson_brings_its_language(browser: Browser, address: str) -> None:
    from playwright.sync_api import expect

    context = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(f"{address}?lesson=why-attention&step=1&lang=en")
    expect(page.get_by_role("button", name="Next", exact=False).first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("link", name="Heads").first).to_be_visible()
    context.close()
