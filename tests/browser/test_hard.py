"""Hard attention in a real browser: folded out on the timeline, its draws below the maps, and its walk on Steps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

SENTENCE = "Do you speak English?"


def test_its_draws_stand_below_the_maps_and_the_choice_is_a_step(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, sentence=SENTENCE, mechanisms="hard bahdanau", also="draws", draws="41")
    page.get_by_role("button", name="Bahdanau: variants, heads, sources").click()
    expect(page.get_by_role("button", name="Hard attention (argmax)")).to_be_visible()
    page.keyboard.press("Escape")
    chart = page.locator(".js-plotly-plot", has_text="20 draws: how often each word was picked")
    expect(chart).to_be_visible()
    expect(page.get_by_text("Free translation: 20 draws give")).to_be_visible()
    expect(page.get_by_role("combobox", name="Which draws")).to_have_value("draws 41 to 60")

    page.goto(f"{address}/steps?mechanism=hard&sentence={SENTENCE}&step=choose")
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "choose")
    steps = [name.split(" ", 1)[1] for name in walk.locator("[data-key]").all_inner_texts()]
    assert steps[4:7] == ["Softmax", "The choice", "Context"]
