"""What length costs, opened first by its link on a phone: costs, a limited encoder, and the way to Surgery."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from models.edits import stride
from models.experiments.length_costs import cost_of
from models.experiments.paths import form_of
from models.loading import load_translator
from tests.support.browsing import settle

TEXT = "The cat drank the milk because it was hungry."
LINES = "plot => plot._fullData.map(line => [...line.y])"
WIDTH = 390


def test_the_link_shows_costs_and_a_limited_encoder_which_goes_on_to_surgery(
    open_page: Callable[..., Page], address: str
) -> None:
    asked = {"models": "transformer", "long": TEXT, "length": "on", "pattern": "stride", "size": "3"}
    page = open_page(f"{address}/why", width=WIDTH, height=844, touch=True, **asked)
    settle(page)
    chart = page.locator(".st-key-figure-costs .js-plotly-plot")
    expect(chart.get_by_text("multiply-adds").first).to_be_visible()
    model = load_translator("transformer-en-fr")
    form, count = form_of(model.network), len(model.attend(TEXT, sites=()).source)
    whole, limited = chart.evaluate(LINES)[:2]
    assert whole == [cost_of(form, count * times).operations for times in (1, 2, 4, 8, 16, 32, 64)]
    assert limited == [cost_of(form, count * times, reach=3).operations for times in (1, 2, 4, 8, 16, 32, 64)]
    expect(page.locator(".st-key-figure-limited")).to_contain_text("positions apart")
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.get_by_role("button", name="Take it to Surgery").tap()
    expect(page).to_have_url(re.compile("/surgery.*edits="))
    assert parse_qs(urlsplit(page.url).query)["edits"] == [stride("encoder.*.self", 3).to_text()]
    expect(page.locator(".st-key-edit-list")).to_contain_text("3 positions apart")
