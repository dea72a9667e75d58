"""The Bench shows what each word moves in the place of its weight, for every mechanism on it, and says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models.mechanisms import mechanisms
from tests.support.payloads import alignment
from viz.server.runtime import shared_host
from viz.views.aligned import Linking, aligned_cells
from viz.views.view import choose_view

APP = str(Path(__file__).parents[4] / "app.py")
SENTENCE = "The cat sleeps."
LONGER = "My brother did not buy the red car because it was too expensive."
ATTENTIVE = [key for key, each in mechanisms().items() if each.has_attention and each.is_usual]


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=200)
    app.query_params.update({"sentence": SENTENCE, **link})
    app.run()
    assert not app.exception
    return app


def test_a_link_shows_what_each_mechanism_moves_and_says_so() -> None:
    header, maps = alignment(opened(quantity="moved"))
    assert len(maps) == len(ATTENTIVE)
    for key, weights in zip(ATTENTIVE, maps, strict=True):
        trace = shared_host().attend(f"{key}-en-fr", SENTENCE)
        np.testing.assert_allclose(weights, choose_view(trace.moved()).weights, atol=1e-5)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-4)
    assert header["legend"].startswith("moved")
    assert "Kobayashi et al. 2020" in header["note"]
    assert header["words"]["read_by"] == "“{word}” moves {list}"


def test_links_of_what_is_moved_are_others() -> None:
    traces = [shared_host().attend(f"{key}-en-fr", LONGER) for key in ATTENTIVE]
    assert any(
        list(aligned_cells(choose_view(trace), "grown")) != list(aligned_cells(choose_view(trace.moved()), "grown"))
        for trace in traces
    )


@pytest.mark.parametrize("linking", ["strongest", "grown"])
def test_drawn_links_are_those_of_what_is_moved(linking: Linking) -> None:
    found = {}
    for quantity in ("weights", "moved"):
        header, _maps = alignment(opened(sentence=LONGER, quantity=quantity, links=linking))
        found[quantity] = [[tuple(link) for link in panel["links"]] for panel in header["panels"]]
    for place, key in enumerate(ATTENTIVE):
        trace = shared_host().attend(f"{key}-en-fr", LONGER)
        for quantity, shown in (("weights", trace), ("moved", trace.moved())):
            assert found[quantity][place] == list(aligned_cells(choose_view(shown), linking))


def test_without_it_the_page_shows_weights() -> None:
    header, maps = alignment(opened())
    trace = shared_host().attend(f"{ATTENTIVE[0]}-en-fr", SENTENCE)
    np.testing.assert_allclose(maps[0], choose_view(trace).weights, atol=1e-5)
    assert not header["legend"].startswith("moved")


@pytest.mark.parametrize("also", ["differences", "summary", "numbers"])
def test_what_stands_below_takes_it(also: str) -> None:
    assert "moved" in opened(quantity="moved", also=also).query_params["quantity"]


def test_the_table_of_all_mechanisms_is_always_of_weights() -> None:
    columns = ["mean entropy (bits)", "coverage", "divergence from the chosen one (bits)"]
    tables = [opened(quantity=each, also="summary").dataframe[0].value[columns] for each in ("weights", "moved")]
    assert tables[0].notna().any().all()
    assert tables[0].equals(tables[1])
