"""Path length in a real browser: drawn for the typed text as it is computed here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from playwright.sync_api import Page, expect

import models
from models.experiments.path_lengths import by_distance
from models.experiments.paths import paths_of
from models.translation.translator import Translator

KEYS = ("bahdanau-en-fr", "transformer-en-fr")
TEXT = "The keys that the old man left were not his."
LINES = "plot => plot._fullData && plot._fullData.map(line => [...line.y])"


def test_steps_and_gradients_are_those_of_the_text(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/why", models="bahdanau transformer", long=TEXT)
    chart = page.locator(".st-key-figure-paths .js-plotly-plot")
    expect(chart.get_by_text("gradient: share of own").first).to_be_visible()
    drawn = chart.evaluate(LINES)
    for place, key in enumerate(KEYS):
        model = models.load(key)
        assert isinstance(model, Translator)
        paths = paths_of(model, TEXT)
        sizes = by_distance(paths.gradients)
        np.testing.assert_allclose(drawn[2 * place], by_distance(paths.steps))
        np.testing.assert_allclose(drawn[2 * place + 1], sizes / sizes[0], rtol=1e-3)
