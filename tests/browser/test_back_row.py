"""A presented page from the back row: large type, a picture that fills the screen, and everything done by a clicker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of, maps
from tests.support.browsing import settle, until_link
from tests.support.lesson_pages import PAGES
from viz.lessons.library import SHIPPED, library_of

SMALLEST = Path(__file__).parents[1].joinpath("support", "smallest_type.js").read_text(encoding="utf8")
SCREENS = {1920: (1080, 24), 1024: (768, 18)}
"""Screens by their width: the height, and the pixels of the smallest text."""
PARTS = {"steps": ("", "lab", "positions")}
SHOWN = [(address, part) for address in PAGES for part in PARTS.get(address, ("",))]
FIGURES = {"bench": ".alignment", "heads": ".overview", "steps": ".walk", "surgery": ".comparison .stage"}
LESSONS = library_of((SHIPPED,), PAGES).lessons
ENGLISH = sorted(name for name, lesson in LESSONS.items() if lesson.language == "en")


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


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.parametrize(("path", "part"), SHOWN)
def test_no_text_of_a_presented_page_is_small(
    open_page: Callable[..., Page], address: str, path: str, part: str, width: int
) -> None:
    holds(presented(open_page, f"{address}/{path}", width, **({"show": part} if part else {})), width)


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.parametrize("path", FIGURES)
def test_the_picture_fills_the_screen(open_page: Callable[..., Page], address: str, path: str, width: int) -> None:
    page = presented(open_page, f"{address}/{path}", width)
    figure = box_of(page.locator(FIGURES[path]).first)
    assert figure["width"] >= 0.9 * width
    assert figure["y"] + figure["height"] >= 0.75 * SCREENS[width][0]


def test_large_type_is_pointed_at_where_it_is(open_page: Callable[..., Page], address: str) -> None:
    page = presented(open_page, address, 1920, sentence="The cat sleeps.")
    word = page.locator(".alignment .tokens .word").nth(1)
    word.hover()
    expect(word).to_have_class("word lit here")
    heads = presented(open_page, f"{address}/heads", 1920, sentence="The cat sleeps.")
    stage = heads.locator(".overview .stage")
    boxes, zoom = stage.evaluate("stage => [stage.boxes, stage.currentCSSZoom]")
    frame = box_of(stage)
    last = boxes[-1]
    heads.mouse.move(
        *(frame[a] + zoom * (last[b] + last[c] / 2) for a, b, c in (("x", "left", "width"), ("y", "top", "height")))
    )
    expect(heads.locator(".overview .tip")).to_contain_text("head 7")


@pytest.mark.parametrize("width", SCREENS)
def test_a_lesson_leaves_the_screen_to_the_picture(open_page: Callable[..., Page], address: str, width: int) -> None:
    page = presented(open_page, address, width, lesson="bahdanau-and-luong", step="2")
    expect(maps(page)).to_have_count(2)
    holds(page, width)
    text, first, last = box_of(page.locator(".st-key-lesson")), box_of(maps(page).first), box_of(maps(page).last)
    if width >= 1200:
        assert text["x"] >= last["x"] + last["width"]
        assert text["width"] <= 0.34 * width
    else:
        assert text["y"] >= 0.62 * SCREENS[width][0]
        assert first["y"] < 0.41 * SCREENS[width][0]


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


@pytest.mark.parametrize(("path", "said"), [("steps", "step="), ("training", "point=14")])
def test_a_clicker_turns_what_a_presented_page_has_steps_of(
    open_page: Callable[..., Page], address: str, path: str, said: str
) -> None:
    page = presented(open_page, f"{address}/{path}", 1920)
    page.keyboard.press("PageDown")
    until_link(page, lambda url: said in url)
    settle(page)
    page.keyboard.press("PageUp")
    until_link(page, lambda url: said not in url)


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


@pytest.mark.parametrize("name", ENGLISH)
def test_each_lesson_is_played_to_its_end_by_the_forward_key(
    open_page: Callable[..., Page], address: str, name: str
) -> None:
    page = presented(open_page, address, 1024, lesson=name, step="1")
    for number in range(1, len(LESSONS[name].steps) + 1):
        until_link(page, lambda url, number=number: f"lesson={name}.{number}" in url)
        expect(page.locator(".st-key-lesson")).to_contain_text(f"step {number} of")
        settle(page)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        holds(page, 1024)
        page.keyboard.press("PageDown")
