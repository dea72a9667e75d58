"""What heads do, each part as the first page by its link: at a desk, and on a touch phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.support.browsing import query, settle, until_link
from tests.support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANIMAL = "The animal didn't cross the street because it was too tired."
MILK = ("The cat drank the milk.", "The dog drank the milk.")
WRONG = "[data-testid='stException'], [data-testid='stAlertContentError'], [data-testid='stAlertContentWarning']"
COLOURS = """(canvas) =>
  new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"""
"""How many colours a small map has."""


class Part(NamedTuple):
    """A part of a page: its link, where it is shown, and what it says in English and in Chinese."""

    page: str
    link: dict[str, str]
    figure: str
    says: tuple[str, str]


PARTS = {
    "ask": Part(
        "heads",
        {"model": "hf:gpt-en", "sentence": ANIMAL, "below": "ask", "query": "it", "key": "animal"},
        ".st-key-asked-heads .thumbnail img",
        ("(chance 0.12)", "\uff08随机"),
    ),
    "ask on the Bench": Part(
        "bench",
        {"sentence": ANIMAL, "also": "ask", "query": ".il", "key": "animal", "asked-of": "transformer"},
        ".st-key-asked-heads .thumbnail img",
        ("On the translation of", "以谁的译文为准"),
    ),
    "scatter": Part(
        "heads",
        {"model": "hf:minilm", "sentence": ANIMAL, "below": "scatter", "over": "corpus"},
        ".st-key-figure-scatter .points path",
        ("Means over 5,350 sentences.", "5,350 个句子的平均值"),
    ),
    "adds": Part(
        "heads",
        {"model": "hf:gpt-en", "sentence": ANIMAL, "below": "adds"},
        ".st-key-figure-head-adds .js-plotly-plot",
        ("direct logit attribution", "直接 logit 归因"),
    ),
    "lens": Part(
        "heads",
        {"model": "hf:gpt-en", "sentence": ANIMAL, "below": "lens"},
        ".st-key-figure-logit-lens .js-plotly-plot",
        ("logit lens", "logit 透镜"),
    ),
    "patch": Part(
        "surgery",
        {"sentence": MILK[0], "model": "transformer", "check": "patch", "other": MILK[1]},
        ".st-key-figure-patching-encoder-self .js-plotly-plot",
        ("activation patching", "激活替换"),
    ),
}
SCREENS: dict[str, dict[str, Any]] = {
    "desk": {"width": 1280, "height": 720},
    "phone": {"width": 390, "height": 844, "touch": True, "lang": "zh"},
}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", PARTS)
def test_a_part_stands_on_the_page_that_its_link_opens(
    open_page: Callable[..., Page], address: str, name: str, screen: str
) -> None:
    part = PARTS[name]
    page = open_page(f"{address}/{part.page}", **part.link, **SCREENS[screen])
    page.locator(part.figure).first.wait_for(timeout=180_000)
    settle(page)
    assert page.locator(WRONG).all_inner_texts() == []
    assert part.says[screen == "phone"] in page.get_by_test_id("stMain").inner_text()
    assert part.link.items() <= {each: values[0] for each, values in query(page).items()}.items()
    assert page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]") == [SCREENS[screen]["width"]] * 2
    figure = page.locator(part.figure).first
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SCREENS[screen]["width"]


def card(page: Page) -> Any:
    return page.locator(".points .card")


@pytest.mark.parametrize("way", ["pointer", "finger", "keys"])
def test_a_point_shows_the_small_map_of_its_head(open_page: Callable[..., Page], address: str, way: str) -> None:
    screen = SCREENS["phone"] | {"lang": "en"} if way == "finger" else SCREENS["desk"]
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
