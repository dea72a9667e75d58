"""Words aligned by hand on the Bench: what stands beside the grid follows from the links and the maps alone."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import models
from models.experiments.links import grown_links, strongest_sources
from tests.support.payloads import header_of
from viz.views.view import choose_view

APP = "from viz.pages.bench.page import PAGE\nPAGE.show()"
KEYS = ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")
SENTENCE, TRANSLATION = "The cat drinks milk.", "Le chat boit du lait."
GOLD = {"sure": {(0, 0), (1, 1), (2, 2), (3, 4), (4, 5)}, "possible": {(3, 3)}}
LINKS = "0-0 1-1 2-2 3-4 4-5 3?3"


def opened(**more: str) -> AppTest:
    app = AppTest.from_string(APP, default_timeout=300)
    app.query_params.update({"sentence": SENTENCE, "also": "hand", **more})
    app.run()
    assert not app.exception
    return app


def grid_of(app: AppTest) -> dict[str, Any]:
    return header_of([each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes][-1])


def rate(links: frozenset[Any]) -> float:
    """Return the error rate as its equation says it."""
    sure, possible = GOLD["sure"], GOLD["sure"] | GOLD["possible"]
    return 1 - (len(links & sure) + len(links & possible)) / (len(links) + len(sure))


@pytest.mark.parametrize("quantity", ["weights", "moved"])
def test_the_rates_are_those_of_the_links_that_were_set_by_weights(quantity: str) -> None:
    app = opened(target=TRANSLATION, hand=LINKS, quantity=quantity)
    grid = grid_of(app)
    assert "".join(grid["target"]).replace("\u2068", "").replace("\u2069", "") == TRANSLATION.replace(" ", "")
    (table,) = app.dataframe
    found = {row["mechanism"]: (row["strongest of each row"], row["grown"]) for _, row in table.value.iterrows()}
    for key in KEYS:
        trace = models.load(key).attend(SENTENCE, TRANSLATION)
        view = choose_view(trace)
        rows = slice(None, -1) if view.reading == "written" else slice(1, None)
        weights = view.weights[rows, :-1]
        expected = (rate(strongest_sources(weights)), rate(grown_links(weights)))
        assert found[trace.provenance.title] == pytest.approx(expected)


def test_until_something_is_aligned_no_rate_stands_there() -> None:
    app = opened()
    assert not app.dataframe
    assert any("Align words" in each.value for each in app.info)
    assert app.text_input(key="target").placeholder.startswith("Type a translation in French")


def test_what_no_word_answers_to_is_named_and_the_rest_stays() -> None:
    app = opened(target=TRANSLATION, hand="0-0 39-0 nonsense")
    assert any("nonsense" in each.value for each in app.warning)
    assert grid_of(app)["links"] == "0-0"


def test_links_of_a_pair_come_back_with_it() -> None:
    app = opened(target=TRANSLATION, hand=LINKS)
    app.text_input(key="target").set_value("Le chat boit.").run()
    assert grid_of(app)["links"] == ""
    app.text_input(key="target").set_value(TRANSLATION).run()
    assert set(grid_of(app)["links"].split()) == set(LINKS.split())


def test_a_text_of_many_words_is_no_grid() -> None:
    app = opened(sentence=" ".join(["cat"] * 50) + ".")
    assert any("up to 40 words" in each.value for each in app.info)
