"""Heads as points: pointed at, tapped, or reached by arrow keys, each shows its small map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.browsing import query, settle, until_link
from tests.support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANIMAL = "The animal didn't cross the street because it was too tired."
COLOURS = """(canvas) =>
  new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"""
"""How many colours a small map has."""


SCREENS: dict[str, dict[str, Any]] = {
    "desk": {"width": 1280, "height": 720},
    "phone": {"width": 390, "height": 844, "touch": True},
}


def card(page: Page) -> Any:
    return page.locator(".points .card")


@pytest.mark.parametrize("way", ["pointer", "finger", "keys"])
def test_a_point_shows_the_small_map_of_its_head(open_page: Callable[..., Page], address: str, way: str) -> None:
    screen = SCREENS["phone"] if way == "finger" else SCREENS["desk"]
    page = open_page(f"{address}/heads", model="hf:gpt-en", below="scatter", sentence=ANIMAL, **screen)
    points = page.locator(".st-key-figure-scatter .points path")
    points.first.wait_for(timeout=120_000)
    page.locator(".points[data-drawn]").wait_for()
    settle(page)
    line = page.locator(".points .line")
    if way == "keys":
        line.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        assert line.inner_text().startswith("layer 3, head 6 · ")
    else:
        points.nth(20).scroll_into_view_if_needed()
        settle(page)
        box = points.nth(20).bounding_box()
        assert box is not None
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(*place) if way == "pointer" else page.touchscreen.tap(*place)
        until(lambda: line.inner_text().startswith("layer 2, head 4 · "))
    card(page).wait_for()
    assert card(page).inner_text().startswith("layer 3, head 6" if way == "keys" else "layer 2, head 4")
    box = card(page).bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= screen["width"]
    assert card(page).locator("canvas").evaluate(COLOURS) > 1
    if way == "keys":
        page.keyboard.press("Enter")
        until_link(page, lambda url: "heads3=" in url)
        assert "6" in query(page)["heads3"][0].split()
