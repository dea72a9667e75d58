"""Every page by the rules of axe-core, in both themes: names, roles, contrast, the order of headings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.support import browsing

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 120_000  # milliseconds: the first page loads the models
PAGES = {
    "": ".alignment .plot",
    "heads": ".attention-maps canvas",
    "steps": ".boards svg",
    "surgery": ".attention-maps canvas",
    "why": ".drawings svg",
    "training": ".at-point table",
    "scenes": ".scene svg",
    "lessons": ".st-key-lessons-lesson",
    "steps?show=lab": ".js-plotly-plot",
    "steps?show=positions": ".js-plotly-plot",
}
"""What each page shows when it is whole."""
WHOLE = """() => !document.querySelector("[data-stale=true]")
    && document.getAnimations().every(each => each.playState !== "running")"""
"""What was of the run before is pale until the run has ended."""
ROLE, UPLOAD = "presentation-role-conflict", "stFileUploaderDropzone"
"""Streamlit's own box for files is a presentation that can be focused (minor); a page cannot mend it."""


def violations(page: Page, within: str | None = None) -> list[str]:
    """Name what the rules find in the light theme, and which colours in the dark one, on the page or within a part.

    Only colours change with the theme: the other rules need no second look.
    """
    page.emulate_media(color_scheme="light")
    page.wait_for_function("() => !document.documentElement.hasAttribute('data-dark')")
    found = broken(page, within)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.documentElement.hasAttribute('data-dark')")
    browsing.settle(page)  # colours begin to fade into each other
    page.wait_for_function("() => document.getAnimations().every(each => each.playState !== 'running')")
    return found + [f"dark: {each}" for each in broken(page, within, only="color-contrast")]


def broken(page: Page, within: str | None, *, only: str | None = None) -> list[str]:
    """Name what the rules find, with the elements; of one rule alone if it is named."""
    said = []
    options = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
    for each in Axe().run(page, context=within, options=options).response["violations"]:
        nodes = [node["html"][:120] for node in each["nodes"] if not (each["id"] == ROLE and UPLOAD in node["html"])]
        said += [f"{each['id']} ({each['impact']}): {nodes[:3]}"] if nodes else []
    return said


OPENED = {
    "heads": {"map": "cross", "below": "table similarity", "against": "sentence", "other": "The cat sleeps."},
    "surgery": {"edits": "mask_key(decoder.*.cross,2)", "check": "heads", "model": "transformer"},
    "steps": {"mechanism": "bahdanau", "second": "transformer", "step": "softmax"},
}
"""What is shown beside, on pages of which every fold is opened."""


@pytest.mark.parametrize("page", OPENED)
def test_axe_finds_nothing_with_every_fold_open(open_page: Callable[..., Page], address: str, page: str) -> None:
    shown = opened(open_page, address, page, sentence="I see a dog.", **OPENED[page])
    folds = shown.locator("[data-testid='stExpander'] summary")
    for fold in folds.all():
        fold.click()
        settle(shown, page)
    buttons = shown.get_by_role("button", name="Settings")
    if buttons.count():
        buttons.click()
        settle(shown, page)
    assert folds.count() + buttons.count() > 0
    assert violations(shown) == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OPENED])
def test_axe_finds_nothing_of_any_impact(open_page: Callable[..., Page], address: str, page: str) -> None:
    assert violations(opened(open_page, address, page)) == []


@pytest.mark.parametrize("link", [{"present": "on"}, {"present": "on", "lang": "zh"}, {"lang": "zh"}], ids=str)
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious_or_moderate_presented_and_in_chinese(
    open_page: Callable[..., Page], address: str, page: str, link: dict[str, str]
) -> None:
    path, _, part = page.partition("?show=")
    shown = open_page(f"{address}/{path}", width=1920, height=1080, **link, **({"show": part} if part else {}))
    shown.get_by_test_id("stStatusWidget").wait_for(state="detached", timeout=PATIENCE)
    browsing.settle(shown)
    shown.wait_for_function(WHOLE)
    assert [each for each in violations(shown) if "(serious)" in each or "(moderate)" in each] == []


def opened(open_page: Callable[..., Page], address: str, page: str, **link: str) -> Page:
    path, _, part = page.partition("?show=")
    shown = open_page(f"{address}/{path}", width=1366, height=900, **link, **({"show": part} if part else {}))
    settle(shown, page)
    return shown


def settle(shown: Page, page: str) -> None:
    shown.locator(PAGES[page]).first.wait_for(timeout=PATIENCE)
    browsing.settle(shown)
    shown.wait_for_function(WHOLE)


def test_axe_finds_nothing_on_what_unfolds_on_the_bench(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    below = "difference differences summary numbers hand window"
    mechanisms = "seq2seq bahdanau luong-local-p transformer"
    shown = open_page(address, width=1366, height=900, also=below, mechanisms=mechanisms, links="grown")
    shown.locator(".aligner td[data-row]").first.wait_for(timeout=PATIENCE)
    shown.get_by_test_id("stStatusWidget").wait_for(state="detached", timeout=PATIENCE)
    assert violations(shown) == []
    folds = shown.locator("[data-testid=stPopoverButton]:visible")
    names = [each.inner_text() for each in folds.all()]
    assert len(names) >= 8
    for number in range(len(names)):
        folds.nth(number).click()
        body = shown.get_by_test_id("stPopoverBody")
        expect(body).to_have_count(1)  # what a run draws anew may be there twice for a moment
        body.wait_for()
        browsing.settle(shown)
        look = broken if number else violations  # the first in both themes, the others in the dark one
        assert look(shown, "[data-testid='stPopoverBody']") == [], names[number]
        shown.keyboard.press("Escape")
        body.wait_for(state="detached")
