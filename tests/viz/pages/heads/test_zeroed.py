"""Value zeroing on the Heads page: the third choice of the switch, as Python computes it, said what it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from models import load
from models.experiments.value_zeroing import value_zeroing
from tests.support import payloads
from tests.support.heads_page import MINILM, opened, overview, parameter, trace_of, words
from viz.figures.zeroed import zeroed_view

KINDS = [
    (MINILM, "encoder.2.self", {}),
    ("transformer-en-fr", "decoder.1.self", {"map": "decoder"}),
    ("transformer-en-fr", "decoder.1.cross", {"map": "cross"}),
]


@pytest.mark.parametrize(("model", "site", "link"), KINDS)
def test_a_link_shows_the_layer_of_a_picked_head_as_python_computes_it(
    model: str, site: str, link: dict[str, str]
) -> None:
    layer = site.split(".")[1]
    app = opened(model=model, quantity="zeroed", unit="piece", **{f"heads{layer}": "1 3"}, **link)
    (figure,) = (json.loads(each.proto.spec) for each in app.get("plotly_chart"))
    trace = trace_of(model)
    values = value_zeroing(load(model), trace, site)
    view = zeroed_view(trace.with_zeroed({trace[site].site: values}), trace[site].site, unit="piece")
    np.testing.assert_allclose(view.weights, values)
    said = json.dumps(figure, ensure_ascii=False)
    assert "Mohebbi et al. 2023" in words(app)
    assert "value zeroing: share" in said
    assert said.count(f"layer {layer}, all heads together") >= 1
    assert "turns most without" in words(app)
    assert "Value zeroing is defined for a layer, not for a head" in words(app)
    assert overview(app)[0]["legend"] == "attention weight"
    assert parameter(app, "quantity") == "zeroed"
    app.button_group(key="quantity").set_value("weights").run()
    assert len(payloads.compared(app)[0]["heads"]) == 2, "the picked heads are as they were"


def test_a_link_to_the_section_of_before_opens_it_too() -> None:
    app = opened(model=MINILM, below="table zeroed", zeroed="2")
    assert [parameter(app, name) for name in ("below", "quantity", "heads2", "zeroed")] == [
        "table",
        "zeroed",
        "0",
        None,
    ]
    assert "layer 2, all heads together" in words(app)


def test_a_text_that_is_too_long_is_refused_in_words() -> None:
    app = opened(model=MINILM, quantity="zeroed", sentence=" ".join(["cat"] * 70))
    assert any("up to 64 tokens" in each.value for each in app.info)


def test_convolutions_have_none_and_the_way_back_is_there() -> None:
    app = opened(model="convs2s-en-fr", quantity="zeroed")
    assert "Value zeroing works for Transformers" in words(app)
    assert payloads.compared(app)[0]["heads"]
    app.button_group(key="quantity").set_value("weights").run()
    assert "Value zeroing" not in words(app)
    assert payloads.compared(app)[0]["heads"]
