"""Value zeroing on the Heads page: run when a link asks, as Python computes it, said what it is; refused in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from models import load
from models.experiments.value_zeroing import value_zeroing
from tests.support.heads_page import MINILM, opened, trace_of, words
from viz.figures.zeroed import zeroed_view


@pytest.mark.parametrize(("model", "site", "link"), [(MINILM, "encoder.2.self", {}), (
    "transformer-en-fr", "decoder.1.self", {"map": "decoder"})])  # fmt: skip
def test_a_link_shows_a_layer_as_python_computes_it(model: str, site: str, link: dict[str, str]) -> None:
    layer = site.split(".")[1]
    app = opened(model=model, below="zeroed", zeroed=layer, unit="piece", **link)
    assert not app.exception
    (figure,) = (json.loads(each.proto.spec) for each in app.get("plotly_chart") if "zeroed" in each.proto.id)
    trace = trace_of(model)
    values = value_zeroing(load(model), trace, site)
    view = zeroed_view(trace, trace[site].site, values, unit="piece")
    np.testing.assert_allclose(view.weights, values)
    said = json.dumps(figure, ensure_ascii=False)
    assert "Mohebbi et al. 2023" in said
    assert "value zeroing: share" in said
    assert "turns most without" in words(app)


def test_a_text_that_is_too_long_is_refused_in_words() -> None:
    app = opened(model=MINILM, below="zeroed", sentence=" ".join(["cat"] * 70))
    assert not app.exception
    assert any("up to 64 tokens" in each.value for each in app.info)


def test_cross_attention_has_none() -> None:
    app = opened(model="transformer-en-fr", map="cross", below="zeroed")
    assert not app.exception
    assert "below" not in app.query_params
