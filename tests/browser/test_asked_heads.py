"""A cell is clicked and all heads are ranked; Enter opens one; a line around points picks heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.bench_page import box_of, cell, maps, panel, views
from tests.support.browsing import query, says, settle, until_link
from viz.views.asked import asked_rows

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ANIMAL = "The animal didn't cross the street because it was too tired."
PICKED = ".st-key-figure-picked-heads .comparison .stage[data-drawn]"
ROWS, IT, CELL_OF_ANIMAL = 13, 8, 2
FINGER = 24  # pixels: what a finger can hit (WCAG 2.2, 2.5.8)


def from_it_to_animal(stage: Locator) -> dict[str, float]:
    """Return where the cell of the first picked map is, in pixels of the stage."""
    box = stage.evaluate("stage => stage.boxes[0]")
    wide, high = box["width"] / ROWS, box["height"] / ROWS
    return {"x": box["left"] + wide * (CELL_OF_ANIMAL + 0.5), "y": box["top"] + high * (IT + 0.5)}


def test_a_click_on_a_cell_asks_all_heads_and_enter_opens_one(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/heads", model="hf:gpt-en", heads2="2", sentence=ANIMAL)
    stage = page.locator(PICKED)
    stage.wait_for(timeout=120_000)
    settle(page)
    stage.click(position=from_it_to_animal(stage))
    page.get_by_role("menuitem").first.click()
    until_link(page, lambda url: "query=it" in url and "key=animal" in url)
    first = page.locator(".st-key-asked-head-0")
    first.wait_for(timeout=120_000)
    settle(page)
    assert "0.88" in first.inner_text()
    assert "Small GPT" in first.inner_text()
    second = page.locator(".st-key-open-asked-1 button")
    second.focus()
    page.keyboard.press("Enter")
    until_link(page, lambda url: "gpt-en" not in url and "heads2=" not in url)
    settle(page)
    assert query(page)["below"] == ["ask"]
    assert query(page)["model"][0] in page.url.replace("%3A", ":")


@pytest.mark.parametrize("by_keys", [False, True])
def test_a_cell_of_the_bench_asks_all_heads(open_page: Callable[..., Page], address: str, *, by_keys: bool) -> None:
    page = open_page(f"{address}/bench", mechanisms="bahdanau transformer", sentence=ANIMAL)
    (view,) = views(ANIMAL, ["transformer-en-fr"])
    maps(page).nth(1).wait_for(timeout=120_000)
    settle(page)
    row = next(place for place, each in enumerate(asked_rows(view)) if each and each.text == "il")
    column = view.shown.key_tokens.texts.index("animal")
    if by_keys:
        page.locator(".alignment .plot").nth(1).focus()
        for _step in range(row):
            page.keyboard.press("ArrowDown")
        for _step in range(column):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    else:
        page.mouse.click(*cell(page, 1, row, column, view))
    button = panel(page, 1).get_by_role("button").first
    assert button.inner_text() == "Which heads attend from “il” to “animal” most?"
    button.press("Enter") if by_keys else button.click()
    says(page, **{"query": ".il", "key": "animal", "also": "ask", "asked-of": "transformer"})
    first = page.locator(".st-key-asked-head-0")
    first.wait_for(timeout=120_000)
    settle(page)
    assert page.locator("[class*='st-key-asked-head-']").count() == 12
    page.locator(".st-key-open-asked-0 button").focus()
    page.keyboard.press("Enter")
    until_link(page, lambda url: "/heads" in url and "model=" in url and "below=ask" in url)
    page.locator(PICKED).wait_for()


def test_a_line_around_points_picks_their_heads(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/heads", model="hf:gpt-en", below="scatter", sentence=ANIMAL)
    page.locator(".st-key-figure-scatter .js-plotly-plot").wait_for(timeout=120_000)
    settle(page)
    plot = page.locator(".st-key-figure-scatter .nsewdrag").first
    plot.scroll_into_view_if_needed()
    settle(page)
    box = plot.bounding_box()
    assert box is not None
    corners = ((0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.01))
    places = [(box["x"] + across * box["width"], box["y"] + down * box["height"]) for across, down in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=8)
    page.mouse.up()
    until_link(page, lambda url: "heads3=" in url)
    picked = [head for name, values in query(page).items() if name.startswith("heads") for head in values[0].split()]
    assert len(picked) == 4


PHONE = {"width": 390, "height": 844, "touch": True}
ASKS = "哪些头最关注"


def tap_whole(page: Page, item: Locator) -> None:
    """Tap what a cell offers, which is whole on the screen and large enough for a finger."""
    expect(item).to_be_visible()
    box = box_of(item)
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] >= FINGER
    item.tap()


def test_a_finger_asks_all_heads_on_a_phone(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/heads", **PHONE, model="hf:gpt-en", heads2="2", sentence=ANIMAL, lang="zh")
    stage = page.locator(PICKED)
    stage.wait_for(timeout=120_000)
    settle(page)
    stage.tap(position=from_it_to_animal(stage))
    tap_whole(page, page.get_by_role("menuitem", name=ASKS))
    until_link(page, lambda url: "query=it" in url and "key=animal" in url)
    first = page.locator(".st-key-asked-head-0")
    first.wait_for(timeout=120_000)
    settle(page)
    assert "0.88" in first.inner_text()
    expect(first).to_be_in_viewport()
    no_wider(page)


def test_a_finger_asks_all_heads_of_the_bench_on_a_phone(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/bench", **PHONE, mechanisms="bahdanau transformer", sentence=ANIMAL, lang="zh")
    (view,) = views(ANIMAL, ["transformer-en-fr"])
    maps(page).nth(1).wait_for(timeout=120_000)
    settle(page)
    row = next(place for place, each in enumerate(asked_rows(view)) if each and each.text == "il")
    column = view.shown.key_tokens.texts.index("animal")
    page.touchscreen.tap(*cell(page, 1, row, column, view))
    tap_whole(page, panel(page, 1).get_by_role("button", name=ASKS))
    says(page, **{"query": ".il", "key": "animal", "also": "ask", "asked-of": "transformer"})
    first = page.locator(".st-key-asked-head-0")
    first.wait_for(timeout=120_000)
    settle(page)
    expect(first).to_be_in_viewport()
    no_wider(page)


def no_wider(page: Page) -> None:
    """Nothing makes the page scroll sideways."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
