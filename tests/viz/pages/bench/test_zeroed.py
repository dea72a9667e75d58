"""Value zeroing on the Bench: of Transformers, on demand, as Python computes it; the other panels show weights."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models import load
from models.experiments.value_zeroing import value_zeroing
from tests.support.payloads import alignment
from tests.viz.pages.bench.test_moved import SENTENCE, opened
from viz.server.runtime import shared_host
from viz.views.view import choose_view

TRANSFORMER = "transformer-en-fr"


def said(app: AppTest) -> str:
    return " ".join(each.value for each in (*app.caption, *app.info))


@pytest.mark.parametrize(("head", "layer"), [("card", None), ("1.3", 1)])
def test_a_link_shows_it_of_the_layer_that_is_chosen_and_weights_beside_it(head: str, layer: int | None) -> None:
    app = opened(quantity="zeroed", mechanisms="bahdanau transformer", **{"head-transformer": head})
    header, (weights, zeroed) = alignment(app)
    trace = shared_host().attend(TRANSFORMER, SENTENCE)
    site = trace.provenance.alignment.site.place if layer is None else trace[f"decoder.{layer}.cross"].site
    known = trace.with_zeroed({site: value_zeroing(load(TRANSFORMER), trace, site)}).zeroed()
    np.testing.assert_allclose(zeroed, choose_view(known, site=site, head="mean").weights, atol=1e-5)
    np.testing.assert_allclose(zeroed.sum(axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(weights, choose_view(shared_host().attend("bahdanau-en-fr", SENTENCE)).weights)
    assert all(part in header["legend"] for part in ("attention weight", "value zeroing"))
    first, second = header["panels"]
    assert "Mohebbi et al. 2023" in " ".join(second["notes"])
    assert "all heads together" in " ".join(second["notes"])
    assert "Mohebbi" not in " ".join((*first["notes"], header["note"]))
    assert not first["told"]
    assert second["told"]["reads"] == "“{word}” turns without {list}"
    assert "turns most without" in second["says"]
    assert "These show weights\\: Bahdanau \\(additive\\)" in said(app)
    assert "Everything below the maps shows weights" in said(app)


def test_all_below_the_maps_is_of_weights_and_the_way_back_is_there() -> None:
    app = opened(quantity="zeroed", mechanisms="bahdanau transformer", also="numbers", table="transformer")
    numbers = app.dataframe[0].value.to_numpy()
    again = opened(mechanisms="bahdanau transformer", also="numbers", table="transformer")
    np.testing.assert_array_equal(numbers, again.dataframe[0].value.to_numpy())
    assert alignment(again)[0]["legend"] == "attention weight"


def test_a_text_that_is_too_long_shows_weights_and_says_why() -> None:
    app = opened(quantity="zeroed", mechanisms="transformer", sentence=" ".join(["cat"] * 70))
    assert "up to 64 tokens" in said(app)
    assert alignment(app)[0]["legend"] == "attention weight"


def test_where_no_transformer_is_shown_nothing_is_run() -> None:
    app = opened(quantity="zeroed", mechanisms="bahdanau seq2seq")
    assert "Value zeroing works for Transformers only" in said(app)
    assert alignment(app)[0]["legend"] == "attention weight"
