"""Relative positions in a real browser: joined by a click on the timeline, their vectors by distance on Positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from playwright.sync_api import Page, expect

import models
from tests.support.bench_page import views, wait_for_panels
from tests.support.browsing import says
from viz.figures.distances import signed
from viz.measures.distances import cosines

KEY = "transformer-relative-en-fr"
PLACE = "decoder.1.self"
SENTENCE = "The old dog sleeps near the warm fire."
ORDER = ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr", KEY)
MAP = "plot => plot._fullData && [...plot._fullData[0].z].map(row => [...row])"


def test_they_join_the_family_and_their_vectors_stand_by_distance(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, sentence=SENTENCE)
    page.get_by_role("button", name="2018 Relative positions").first.click()
    wait_for_panels(page, views(SENTENCE, ORDER))
    says(page, mechanisms="bahdanau luong-general transformer transformer-relative")

    page.goto(f"{address}/steps?show=positions&distance-layer={PLACE}&distance-head=3&sentence={SENTENCE}")
    chart = page.locator(".st-key-figure-distance-cosines .js-plotly-plot")
    expect(chart.get_by_text("another distance").first).to_be_visible()
    model = models.load(KEY)
    attention = model.network.decoder[1].attention  # type: ignore[attr-defined]
    vectors = attention.distance_key.weight.numpy()[: attention.reach + 1]  # a decoder never reads ahead
    np.testing.assert_allclose(chart.evaluate(MAP), cosines(vectors), atol=1e-4)
    queries = model.attend(SENTENCE, sites=(f"{PLACE}.*",))[PLACE].companions["query"][3]
    best = signed(int((queries @ vectors.T).mean(axis=0).argmax()) - attention.reach)
    expect(page.get_by_text(f"head 3 adds most to the score at distance {best},")).to_be_visible()
