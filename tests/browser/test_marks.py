"""Marks of the pictures are explained where they are pointed at, reached by keys or tapped, inside the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.support.bench_page import box_of
from tests.support.browsing import cell_of, settle
from viz.canvas.alignment import _WORDS as SAYS
from viz.text.language import _, use_language

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SENTENCE = "The old sailor sang a song."
PICTURES = {"": ".alignment", "training": ".alignment", "steps": ".walk"}
"""Pages whose pictures are made of elements."""
EXPLAINED = {"": ("letters", "end", "unsure", "mean"), "training": ("letters", "end"), "steps": ("letters", "end")}
LINKS = {"": {"head-transformer": "1.mean"}, "training": {}, "steps": {}}
MAPS = {"heads": ".overview", "surgery": ".comparison"}
"""Pages whose maps are painted, with what is said of a cell beside it."""
SCREENS: dict[str, dict[str, Any]] = {
    "en": {"width": 1280, "height": 720},
    "zh": {"width": 390, "height": 844, "touch": True},
}


def assert_note(page: Page) -> str:
    """One note is on the screen, whole; what it says."""
    note = page.locator(".note-shown")
    expect(note).to_be_visible()
    box, screen = box_of(note), page.evaluate("[innerWidth, innerHeight]")
    assert box["x"] >= 0 <= box["y"], box
    assert box["x"] + box["width"] <= screen[0], (box, screen)
    assert box["y"] + box["height"] <= screen[1], (box, screen)
    return note.inner_text()


def marks(page: Page, picture: str) -> list[Locator]:
    """Return the marks that are seen; every formula, end mark and tint is one."""
    figure = page.locator(picture)
    words = figure.locator(":is(.word, .columns span, .rows span, .sentence button):not(.noted)")
    assert "</s>" not in words.all_inner_texts()
    assert not figure.locator(":is(.formula, .tint, .brief b):not(.noted)").count()
    return [each for each in figure.locator(".noted").all() if each.is_visible()]


@pytest.mark.parametrize(("path", "language"), [("", "en"), ("training", "zh"), ("steps", "en"), ("steps", "zh")])
def test_every_mark_is_explained_where_it_is(
    open_page: Callable[..., Page], address: str, path: str, language: str
) -> None:
    """Each kind of picture at a desk and on a phone in Chinese: that of Training is the Bench's."""
    screen = SCREENS[language]
    page = open_page(f"{address}/{path}", lang=language, sentence=SENTENCE, **screen, **LINKS[path])
    expect(page.locator(PICTURES[path])).to_be_visible()
    settle(page)
    use_language(language)
    wanted, said = {_(SAYS[each]) for each in EXPLAINED[path]}, set[str]()
    for mark in marks(page, PICTURES[path]):
        mark.evaluate("each => each.scrollIntoView({ block: 'center' })")  # not below the header
        (mark.tap if "touch" in screen else mark.hover)(force=True)
        settle(page)  # a column that is tapped is chosen
        said.add(assert_note(page))
    assert {each for each in wanted if not any(each in note for note in said)} == set()


def test_marks_are_reached_by_keys(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, width=1280, height=720, sentence=SENTENCE, **LINKS[""])
    settle(page)
    figure = page.locator(".alignment")
    stops = set[str]()
    figure.locator(".tokens").first.focus()
    while stops != {"formula", "notes"}:
        page.keyboard.press("Tab")
        kind = figure.locator(":focus").get_attribute("class") or ""
        if "noted" in kind:
            assert_note(page)
            stops.add(kind.split()[0])
    figure.locator(".tokens").first.focus()
    page.keyboard.press("End")
    assert assert_note(page) == SAYS["end"]
    page.keyboard.press("Escape")
    expect(page.locator(".note-shown")).to_be_hidden()


@pytest.mark.parametrize(("path", "language"), [("heads", "zh"), ("surgery", "en")])
def test_the_end_mark_of_a_painted_map_is_explained_beside_its_cell(
    open_page: Callable[..., Page], address: str, path: str, language: str
) -> None:
    screen = SCREENS[language]
    page = open_page(f"{address}/{path}", lang=language, sentence=SENTENCE, **screen)
    settle(page)
    figure = ".comparison" if "touch" in screen else MAPS[path]  # a tap on a small map opens it in full
    head = int(path == "heads")  # of four below each other on a phone the second is on the screen
    x, y = cell_of(page, head, 0, 99, (100, 100), figure=figure)  # the last column
    (page.touchscreen.tap if "touch" in screen else page.mouse.move)(x, y)
    use_language(language)
    told = page.locator(f"{figure} :is(.tip, .menu):visible")
    expect(told).to_contain_text(_(SAYS["end"]))
    box = box_of(told)
    assert box["x"] >= 0 <= box["y"], box
    assert box["x"] + box["width"] <= screen["width"], box
    assert box["y"] + box["height"] <= screen["height"], box
