"""The RCTM in a real browser: folded out on the timeline, its pyramid below the maps, and its walk on Steps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

SENTENCE = "The old dog sleeps."


def test_its_pyramid_stands_below_the_maps_and_its_steps_are_walked(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, sentence=SENTENCE, mechanisms="rctm bahdanau", also="pyramid")
    expect(page.get_by_role("button", name="2013\u201314 no attention").first).to_be_visible()
    chart = page.locator(".js-plotly-plot", has_text="folded into one vector")
    expect(chart).to_be_visible()
    expect(page.get_by_text("Two neighbouring words swapped: cosine of the two top")).to_be_visible()

    page.goto(f"{address}/steps?mechanism=rctm&sentence={SENTENCE}&step=vector")
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "vector")
    steps = [name.split(" ", 1)[1] for name in walk.locator("[data-key]").all_inner_texts()]
    assert steps == ["The pyramid", "The next state", "The word written"]
