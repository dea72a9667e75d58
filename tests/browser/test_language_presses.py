"""The link to the other language, pressed while a page is still drawn or right after a choice: nothing is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from benchmarks.languages import presses
from tests.support.browsing import says, settle, until_link


def test_no_press_in_a_first_run_warns_loses_or_leaves_a_white_page(
    open_page: Callable[..., Page], address: str
) -> None:
    """Sixty by `python -m benchmarks.languages`."""
    page = open_page(address)
    found = list(presses(page, address, 5, seed=1))
    assert len(found) == 5
    assert [each for each in found if each.wrong] == []


@pytest.mark.parametrize("code", ["zh", "en"])
def test_what_is_chosen_or_typed_right_before_the_press_comes_along(
    open_page: Callable[..., Page], address: str, code: str
) -> None:
    page = open_page(address, lang="en" if code == "zh" else "zh", lesson="bahdanau-and-luong", step="1")
    page.locator(".prediction .column").first.wait_for()
    page.locator(".st-key-lesson-next button").first.wait_for()  # a moment after its place
    settle(page)
    page.evaluate(
        """() => {
            for (const each of [".st-key-lesson-next button", "a[data-language]"]) {
                const button = document.querySelector(each);
                button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
                button.click();
            }
        }"""
    )  # at once: nothing is awaited
    expect(page.locator(f'html[lang="{code}"]')).to_be_attached()
    until_link(page, lambda url: f"lang={code}" in url and "lesson=bahdanau-and-luong.2" in url)
    expect(page.get_by_test_id("stAlertContentWarning")).to_have_count(0)
    page.locator(".st-key-sentence input").fill("The dog sleeps.")
    page.locator("a[data-language]").click()
    expect(page.locator(f'html[lang="{code}"]')).not_to_be_attached()
    says(page, lang="en" if code == "zh" else "zh", sentence="The dog sleeps.")
