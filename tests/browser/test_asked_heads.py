"""A cell is clicked and all heads are ranked; Enter opens one; a line around points picks heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.browsing import query, settle, until_link

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANIMAL = "The animal didn't cross the street because it was too tired."
PICKED = ".st-key-figure-picked-heads .comparison .stage[data-drawn]"
ROWS, IT, CELL_OF_ANIMAL = 13, 8, 2


def test_a_click_on_a_cell_asks_all_heads_and_enter_opens_one(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/heads", model="hf:gpt-en", heads2="2", sentence=ANIMAL)
    stage = page.locator(PICKED)
    stage.wait_for(timeout=120_000)
    settle(page)
    box = stage.evaluate("stage => stage.boxes[0]")
    wide, high = box["width"] / ROWS, box["height"] / ROWS
    stage.click(position={"x": box["left"] + wide * (CELL_OF_ANIMAL + 0.5), "y": box["top"] + high * (IT + 0.5)})
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
