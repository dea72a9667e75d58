"""A page by the rules of axe-core, in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

from tests.support import browsing

if TYPE_CHECKING:
    from playwright.sync_api import Page

WHOLE = """() => !document.querySelector("[data-stale=true]")
    && document.getAnimations().every(each => each.playState !== "running")"""
"""What was of the run before is pale until the run has ended."""
ROLE, UPLOAD = "presentation-role-conflict", "stFileUploaderDropzone"
"""Streamlit's own box for files is a presentation that can be focused (minor); a page cannot mend it."""


def settle(page: Page) -> None:
    """Wait until nothing runs, fades or is pale."""
    browsing.settle(page)
    page.wait_for_function(WHOLE)


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
