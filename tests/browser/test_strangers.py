"""What strangers send to a page, in a real browser: links of their own, and texts that would run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from benchmarks.fuzz.pages import LINKS, SCRIPTS, VIEWS, link_check, payload_check
from benchmarks.fuzz.running import Fuzz, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_links_of_strangers_break_no_page(page: Page, address: str) -> None:
    assert run(LINKS, link_check(page, address), examples=3) >= 3


def test_texts_of_strangers_run_in_no_view(page: Page, address: str) -> None:
    """Some views are sent all of them at once here; every view each alone by `python -m benchmarks.fuzz payloads`."""
    every = " ".join(SCRIPTS)
    seen = []
    check = payload_check(page, address)
    for view in VIEWS[::8]:
        check((every, view))
        seen.append(view)
    assert len(seen) == len(VIEWS[::8])


def test_the_watch_over_texts_sees_one_that_runs(page: Page, address: str) -> None:
    check = payload_check(page, address)
    page.add_init_script("window.ran = 1")
    with pytest.raises(AssertionError):
        run(Fuzz(st.just((SCRIPTS[0], VIEWS[0])), 1), check, examples=1)
