"""What a visitor of the Bench sees first: the picture, high up and whole; and nothing jumps while somebody types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from models import catalog
from models.mechanisms import mechanisms
from tests.support.bench_page import EXAMPLE, box_of, maps, panel, views, wait_for_panels
from tests.support.browsing import SCREENS, Screen, settle, until_link

INSTALLED = [key for key in mechanisms() if f"{key}-en-fr" in catalog()]
TYPED = "The members of the committee want a report on the union."
LONG = "the members of the committee have asked for a report on the state of the union before the end of the year"
PAINTED = """
canvas => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].some(each => each)
"""


@pytest.mark.parametrize("screens", SCREENS)
def test_the_first_cell_stands_high(open_page: Callable[..., Page], address: str, screens: Sequence[Screen]) -> None:
    """Nothing of the head of the page lies over anything."""
    page = open_page(address, **screens[0].opened)
    wait_for_panels(page, views(EXAMPLE))
    for screen in screens:
        screen.take(page)
        settle(page)
        first = box_of(maps(page).first)
        assert first["y"] < screen.highest
        assert maps(page).first.evaluate(PAINTED)
        if screen.width > 1000:
            for each in maps(page).all():
                box = box_of(each)
                assert box["y"] == first["y"]
                assert box["y"] + box["height"] <= screen.height
        assert page.evaluate("document.documentElement.scrollWidth") <= screen.width
        assert page.get_by_test_id("stMain").evaluate("each => each.scrollWidth") <= screen.width
        boxes = [box for each in page.locator(HEAD).all() if (box := each.bounding_box()) and box["width"]]
        assert len(boxes) > 10
        assert overlapping(boxes) == [], screen


def test_what_a_colour_means_stands_beside_the_sentence_where_there_is_room(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, width=1280, height=720)
    wait_for_panels(page, views(EXAMPLE))
    brief = page.locator(".alignment .brief")
    assert brief.is_visible()
    assert brief.inner_text().startswith("attention weight")
    box, last = box_of(brief), box_of(page.locator(".alignment .tokens .word").last)
    assert last["x"] + last["width"] < box["x"]
    assert box["x"] + box["width"] <= 1280
    assert box["y"] + box["height"] < box_of(maps(page).first)["y"]
    page.locator(".st-key-sentence input").fill(LONG)
    wait_for_panels(page, views(LONG))
    assert not brief.is_visible()
    corner = page.locator(".alignment .corner:has(.strip)")  # a free one, above a map
    expect(corner).to_have_count(1)
    expect(corner).to_contain_text("attention weight")
    assert corner.locator("i").evaluate("each => getComputedStyle(each).backgroundImage").startswith("linear-gradient")
    assert box_of(corner)["y"] + box_of(corner)["height"] < 300
    tint = page.locator(".alignment .tint")
    expect(tint).to_have_text("unsure")
    assert box_of(tint)["y"] + box_of(tint)["height"] < 300


def overlapping(boxes: list[dict[str, float]]) -> list[tuple[int, int]]:
    def apart(one: dict[str, float], other: dict[str, float]) -> bool:
        return any(
            low[start] + low[length] <= high[start] + 1 or high[start] + high[length] <= low[start] + 1
            for low, high in ((one, other),)
            for start, length in (("x", "width"), ("y", "height"))
        )

    places = range(len(boxes))
    return [(one, other) for one in places for other in places[:one] if not apart(boxes[one], boxes[other])]


HEAD = (
    ".bench-title, [data-testid='stMainMenuButton'], [data-testid='stExpandSidebarButton'], "
    "[data-testid='stTopNavLink'], .st-key-languages, .st-key-sentence, .st-key-examples, .st-key-settings, "
    ".st-key-timeline, .alignment .tokens, .alignment .translation, .alignment .plot"
)
SIDES = "all => all.map(each => each.getBoundingClientRect()).map(box => [box.left, box.top, box.right, box.bottom])"
"""Where elements are, left, top, right and bottom: asked for once, not one by one."""


def test_no_formula_is_clipped(open_page: Callable[..., Page], address: str) -> None:
    """Every mechanism's formula, with every symbol of it, lies inside its panel and its line."""
    page = open_page(address, width=390, height=844, mechanisms=" ".join(INSTALLED))
    panels = page.locator(".alignment .panel")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        expect(panels).to_have_count(len(INSTALLED))
        for number in range(len(INSTALLED)):
            (head,) = panel(page, number).locator(".head").evaluate_all(SIDES)
            symbols = panel(page, number).locator("math :is(mi, mo, mn, msqrt, mfrac)").evaluate_all(SIDES)
            assert symbols
            for left, top, right, bottom in symbols:
                assert left <= right
                assert left >= head[0] - 1
                assert right <= head[2] + 1
                assert top >= head[1] - 4
                assert bottom <= head[3] + 4


def places(page: Page) -> list[Any]:
    """Return where the parts of the picture are: what must not move while somebody types."""
    found: list[Locator] = [page.locator(".alignment .tokens").first]
    found += [panel(page, number).locator(part) for number in range(3) for part in (".head", ".translation", ".plot")]
    return [[box_of(each)[side] for side in ("x", "y")] for each in found] + [
        box_of(panel(page, number))["height"] for number in range(3)
    ]


def test_nothing_jumps_while_a_sentence_is_typed(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, width=1280, height=720)
    wait_for_panels(page, views(EXAMPLE))
    before = places(page)
    page.evaluate(WATCH)
    box = page.get_by_role("textbox").first
    box.fill("")
    for word in re.findall(r"\S+\s*", LONG):  # half a word may be translated at any length
        page.keyboard.insert_text(word)
    wait_for_panels(page, views(LONG))
    settle(page)
    assert places(page) == before
    heights, empty = page.evaluate("[[...window.seen.heights], window.seen.empty]")
    assert len(heights) == 1
    assert empty == 0


WATCH = """() => {
    const figure = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.alignment')).find(e => e);
    window.seen = { heights: new Set(), empty: 0 };
    const look = () => {
        window.seen.heights.add(Math.round(figure.querySelector('.bands').getBoundingClientRect().height));
        if (!figure.isConnected || !figure.querySelector('.cells')) window.seen.empty++;
        requestAnimationFrame(look);
    };
    look();
}"""


def test_on_a_phone_the_sentence_stands_whole_and_answers_as_it_is_typed(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, width=390, height=844)
    wait_for_panels(page, views(EXAMPLE))
    box = page.get_by_role("textbox").first
    expect(box).to_have_value(EXAMPLE)
    assert box.evaluate("each => each.scrollHeight - each.clientHeight") <= 1
    assert box_of(box)["height"] > 50
    box.fill("")
    box.press_sequentially(TYPED + "\n")
    wait_for_panels(page, views(TYPED))
    expect(box).to_have_value(TYPED)
    page.locator(".st-key-examples button").click()
    page.get_by_role("menuitem").filter(has_text=EXAMPLE).click()
    wait_for_panels(page, views(EXAMPLE))
    expect(box).to_have_value(EXAMPLE)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Steps").click()
    until_link(page, lambda url: "/steps" in url)
    page.get_by_test_id("stExpandSidebarButton").wait_for()  # the drawer has closed
    expect(box).to_have_value(EXAMPLE)
    page.set_viewport_size({"width": 1280, "height": 720})
    assert page.get_by_role("textbox").first.evaluate("each => each.tagName") == "INPUT"
