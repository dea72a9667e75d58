"""Every door: whatever page a visit begins at, its scripts are there, and what they do is done."""

from __future__ import annotations

import gzip
import re
import zlib
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from http.client import HTTPConnection
from importlib import import_module
from urllib.parse import urlsplit

import brotli
import pytest
from playwright.sync_api import Page, expect

from app import PAGES
from tests.support.browsing import query, settle, until_link
from viz.shell.html_injection import FIRST_PAGE, inline_scripts
from viz.shell.page_scripts import first_script, page_script

TITLES = {page.address: page.title for page in (import_module(f"viz.pages.{each}.page").PAGE for each in PAGES)}
ADDRESSES = tuple(TITLES)
PATHS = ("", "start", *ADDRESSES, "heads.", "a/heads", "no-page", "no.page")
VISITS = {
    "first": {},
    "again": {"If-None-Match": "*", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
    "in part": {"Range": "bytes=0-99"},
}
DECODED = {None: bytes, "identity": bytes, "gzip": gzip.decompress, "br": brotli.decompress, "deflate": zlib.decompress}


@pytest.mark.parametrize("visit", VISITS)
@pytest.mark.parametrize("encoding", ["gzip", "br", "identity", "gzip, deflate, br, zstd", None])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_brings_the_first_script_and_the_policy_that_allows_it(
    address: str, path: str, encoding: str | None, visit: str
) -> None:
    line = HTTPConnection(urlsplit(address).netloc, timeout=60)
    line.request("GET", f"/{path}", headers=VISITS[visit] | ({"Accept-Encoding": encoding} if encoding else {}))
    answer = line.getresponse()
    page = DECODED[answer.headers["Content-Encoding"]](answer.read()).decode()
    line.close()
    assert answer.status == 200
    assert page.count(f"<head><script>{first_script()}</script>") == 1
    assert page.replace(f"<script>{first_script()}</script>", "", 1) == FIRST_PAGE.read_text(encoding="utf8")
    allowed = answer.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0].split()
    for script in (*inline_scripts(page), page_script()):
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in allowed


LESSON = "bahdanau-and-luong"
SENTENCE = "The dog sleeps in the old house."
ROUND = ("surgery", "bench", "steps", "heads", "surgery", "steps")
"""Pages with the sentence, of which four are turned to after the one at which a visit begins."""


def turn_to(page: Page, path: str) -> None:
    page.get_by_test_id("stTopNavLink").filter(has_text=re.compile(f"^{TITLES[path]}$")).click()
    until_link(page, lambda url: at(url) == path)
    settle(page)


def at(url: str) -> str:
    """Return the page of a link; the Bench stands at the root."""
    return urlsplit(url).path.strip("/") or "bench"


def entries(page: Page) -> int:
    """Return how many entries the history of this tab has."""
    return int(page.evaluate("history.length"))


def test_a_clicker_turns_a_lesson_that_is_begun_at_another_page(open_page: Callable[..., Page], address: str) -> None:
    """The script that does it comes with each page, as is held above."""
    page = open_page(f"{address}/why", lesson=LESSON, step="1")
    bar = page.locator(".st-key-lesson")
    for step in (1, 2, 3):
        expect(bar).to_contain_text(f"step {step} of ")
        until_link(page, lambda url, step=step: f"lesson={LESSON}.{step}" in url)  # type: ignore[misc]
        settle(page)
        page.keyboard.press("PageDown")
    expect(bar).to_contain_text("step 4 of ")
    page.keyboard.press("PageUp")
    expect(bar).to_contain_text("step 3 of ")


def test_a_clicker_turns_a_lesson_whose_button_is_drawn_a_moment_later(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, lesson=LESSON, step="1")
    bar = page.locator(".st-key-lesson")
    expect(bar).to_contain_text("step 1 of ")
    settle(page)
    # As Streamlit does, whose first button comes with a script of its own.
    page.evaluate("window.held = document.querySelector('.st-key-lesson-next > *'), window.place = held.parentNode")
    page.evaluate("held.remove()")
    page.keyboard.press("PageDown")
    page.evaluate("place.append(held)")
    expect(bar).to_contain_text("step 2 of ")


@pytest.mark.parametrize("path", ["why", "bench"])
def test_back_leads_page_by_page_to_where_the_visit_began_and_the_sentence_stays(
    open_page: Callable[..., Page], address: str, path: str
) -> None:
    """From a page without a sentence and from one with it; one step back to each page is in test_every_page.py."""
    page = open_page(f"{address}/{path}")
    expect(page.get_by_test_id("stTopNavLink").first).to_be_visible()
    settle(page)
    round_trip = [each for each in ROUND if each != path][:4]
    has_box = path != "why"
    if not has_box:
        turn_to(page, round_trip.pop())
    start = at(page.url)
    box = page.locator(".st-key-sentence input")
    box.fill(SENTENCE)
    until_link(page, lambda url: "old+house" in url or "old%20house" in url)
    settle(page)
    before, turned = entries(page), [start]
    for each in round_trip:
        if each == turned[-1]:
            continue
        turn_to(page, each)
        expect(box).to_have_value(SENTENCE)
        turned.append(each)
    assert entries(page) == before + len(turned) - 1
    for each in reversed(turned[:-1]):
        page.go_back()
        until_link(page, lambda url, each=each: at(url) == each)  # type: ignore[misc]
        expect(box).to_have_value(SENTENCE)
        settle(page)
        assert query(page)["sentence"] == [SENTENCE]
    if not has_box:
        page.go_back()
        until_link(page, lambda url: at(url) == path)


def test_a_page_that_streamlit_lost_is_loaded_again_once(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", sentence="The red bird sings.")
    box = page.locator(".st-key-sentence input")
    expect(box).to_have_value("The red bird sings.")
    fails = "() => dispatchEvent(new ErrorEvent('error', { message: 'Uncaught Error: Bad delta path index 2' }))"
    with page.expect_event("load"):
        page.evaluate(fails)
    expect(box).to_have_value("The red bird sings.")
    page.evaluate("window.isTheSame = true")
    page.evaluate(fails)  # at once: it would go on for ever
    box.fill("The red bird sings at night.")
    until_link(page, lambda url: "night" in url)
    assert page.evaluate("window.isTheSame")
