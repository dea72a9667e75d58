"""The same word in two sentences, in a real browser: both lines, and the neighbours of its static vector."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

ONE, OTHER = "She bought new shoes in the city.", "They moved to New York last year."
SAID = re.compile(r"cosine of its two vectors is 0\.\d\d at the input of the first layer and 0\.\d\d after the last")


def test_two_vectors_of_a_word_grow_apart_beside_its_static_one(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(
        f"{address}/heads", sentence=ONE, model="hf:minilm", against="word", other=OTHER, same="new", width=1280
    )
    chart = page.locator(".js-plotly-plot", has_text="in two sentences")
    expect(chart).to_be_visible()
    expect(chart).to_contain_text("static")
    expect(page.get_by_text(SAID)).to_be_visible()
    expect(page.get_by_text("Words nearest to the static vector of “")).to_be_visible()
    assert chart.bounding_box()["width"] <= 1280  # type: ignore[index]
