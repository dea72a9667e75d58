"""A presented page from the back row: large type, a picture that fills the screen, and everything done by a clicker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of, maps
from tests.support.browsing import settle, until_link
from tests.support.lesson_pages import PAGES
from viz.lessons.lesson import LessonStep
from viz.lessons.library import SHIPPED, library_of

SMALLEST = Path(__file__).parents[1].joinpath("support", "smallest_type.js").read_text(encoding="utf8")
SCREENS = {1920: (1080, 24), 1024: (768, 18)}
"""Screens by their width: the height, and the pixels of the smallest text."""
LESSONS = library_of((SHIPPED,), PAGES).lessons
CHOOSE = ("show", "below", "also", "check", "measured", "unmasked", "second")
"""What chooses, in a link, what is shown on a page."""


def presented(open_page: Callable[..., Page], address: str, width: int, **link: str) -> Page:
    page = open_page(address, width=width, height=SCREENS[width][0], present="on", **link)
    expect(page.get_by_role("button", name="Leave the presentation")).to_be_visible()
    settle(page)
    return page


def smallest(page: Page) -> tuple[float, str]:
    size, text = page.evaluate(SMALLEST.partition("export default ")[2])
    return size, text


def holds(page: Page, width: int) -> None:
    size, text = smallest(page)
    assert size >= SCREENS[width][1], text
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_lesson_leaves_the_screen_to_the_picture(open_page: Callable[..., Page], address: str) -> None:
    page = presented(open_page, address, 1024, lesson="bahdanau-and-luong", step="2")
    expect(maps(page)).to_have_count(2)
    holds(page, 1024)
    text, first = box_of(page.locator(".st-key-lesson")), box_of(maps(page).first)
    assert text["y"] >= 0.62 * 768
    assert first["y"] < 0.41 * 768
    page.set_viewport_size({"width": 1920, "height": 1080})
    settle(page)
    holds(page, 1920)
    text, last = box_of(page.locator(".st-key-lesson")), box_of(maps(page).last)
    assert text["x"] >= last["x"] + last["width"]
    assert text["width"] <= 0.34 * 1920


def test_a_clicker_begins_turns_blanks_and_ends_a_presentation(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, width=1280, height=720, lesson="mask-a-word", step="1")
    leave = page.get_by_role("button", name="Leave the presentation")
    expect(page.get_by_role("button", name="Present: the figure alone, in large type")).to_be_visible()
    settle(page)
    page.keyboard.press("F5")
    expect(leave).to_be_visible()
    settle(page)
    page.keyboard.press("PageDown")
    until_link(page, lambda url: "lesson=mask-a-word.2" in url and "present=on" in url)
    settle(page)
    page.keyboard.press(".")
    assert page.evaluate("getComputedStyle(document.documentElement, '::after').backgroundColor") == "rgb(0, 0, 0)"
    page.keyboard.press("PageDown")  # shows the page again, and turns nothing
    assert page.evaluate("getComputedStyle(document.documentElement, '::after').content") == "none"
    settle(page)
    until_link(page, lambda url: "lesson=mask-a-word.2" in url)
    page.keyboard.press("PageUp")
    until_link(page, lambda url: "lesson=mask-a-word.1" in url)
    settle(page)
    page.keyboard.press("Escape")
    expect(leave).to_have_count(0)
    until_link(page, lambda url: "present" not in url)


def test_training_plays_from_point_to_point(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/training", width=1280, height=720, point="19")
    page.get_by_role("button", name="Play", exact=True).click()
    until_link(page, lambda url: "point=20" in url)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()  # the last: it has stopped
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()


def test_the_code_of_a_room_and_a_qr_code_are_a_key_away(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/lessons", width=1024, height=768)
    page.get_by_role("button", name="Open a room", exact=True).first.click()
    until_link(page, lambda url: "room=" in url)
    settle(page)
    shown = page.locator(".room-join")
    expect(shown).to_be_hidden()
    page.keyboard.press("q")
    code = page.url.partition("room=")[2][:6]
    expect(shown).to_contain_text(code)
    drawn = box_of(shown.locator("img"))
    assert min(drawn["width"], drawn["height"]) > 350
    covered = page.evaluate("document.elementFromPoint(12, 12).className")
    assert "room-join" in covered
    page.keyboard.press("q")
    expect(shown).to_be_hidden()


def kind_of(step: LessonStep) -> object:
    """Return what a step shows and asks, apart from its words and numbers."""
    question = step.question and bool(step.question.mark)
    return step.page, question, "edits" in step.link, *(step.link.get(each) for each in CHOOSE)


def firsts() -> dict[str, list[int]]:
    """Return the steps of each lesson that are the first of their kind."""
    known: dict[object, tuple[str, int]] = {}
    for name, lesson in LESSONS.items():
        for number, step in enumerate(lesson.steps, 1):
            if lesson.language == "en":
                known.setdefault(kind_of(step), (name, number))
    return {name: [number for where, number in known.values() if where == name] for name, _number in known.values()}


@pytest.mark.parametrize(("name", "steps"), firsts().items())
def test_each_kind_of_step_is_read_from_the_back_row(
    open_page: Callable[..., Page], address: str, name: str, steps: list[int]
) -> None:
    """That each step of each lesson opens, test_shipped.py holds; test_split.py turns one to its end."""
    page = presented(open_page, address, 1024, lesson=name, step=str(steps[0]))
    for before, number in zip([steps[0], *steps], steps, strict=False):
        for _turn in range(number - before):
            page.keyboard.press("PageDown")
            settle(page)
        until_link(page, lambda url, number=number: f"lesson={name}.{number}" in url)
        expect(page.locator(".st-key-lesson")).to_contain_text(f"step {number} of")
        settle(page)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        holds(page, 1024)
