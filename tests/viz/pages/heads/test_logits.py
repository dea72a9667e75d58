"""What heads add to a prediction, and the prediction layer by layer, on the page opened first by its link."""

from __future__ import annotations

import json
from typing import Any

import pytest

import models
from models.experiments.logit_attribution import logit_attribution, logit_lens
from models.experiments.residual_stream import residual_stream
from tests.support.heads_page import fine, opened, words

SENTENCE = "The cat drank the milk."


def figures(app: Any) -> dict[str, Any]:
    specs = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    return {each["layout"]["title"]["text"] if "title" in each["layout"] else "": each for each in specs}


@pytest.mark.parametrize(("key", "kind"), [("transformer-en-fr", "cross"), ("hf:gpt-en", "self")])
def test_a_link_opens_both_and_they_show_what_is_computed(key: str, kind: str) -> None:
    app = opened(sentence=SENTENCE, model=key, map=kind, below="adds lens", heads2="0")
    model = models.load(key)
    trace = model.attend(SENTENCE)
    stream = residual_stream(model, trace, 1 if trace.target else len(trace.source) - 1)
    attribution, lens = logit_attribution(stream), logit_lens(stream)
    said = words(app)
    assert f"({attribution.probability:.1%})" in said
    assert f"{attribution.logit:.2f} above the mean" in said
    assert "Elhage et al. 2021" in said
    assert "nostalgebraist 2020" in said
    shown = next(each for title, each in figures(app).items() if "layer by layer" in title)
    (cells,) = shown["data"]
    assert len(cells["y"]) == len(lens.layers)
    assert [row[1].strip() for row in cells["customdata"]] == [row[0][0].strip() for row in lens.layers]
    frames = shown["layout"]["shapes"]
    assert len(frames) == sum(lens.answer in [word for word, _share in row[:5]] for row in lens.layers)
    place = app.selectbox(key="at")
    fine(place.set_value(place.options[0]).run())
    assert app.query_params["at"] == "0"


def test_an_encoder_is_told_that_its_effect_is_indirect_and_others_are_not_offered_it() -> None:
    app = opened(sentence=SENTENCE, model="transformer-en-fr", map="encoder", below="adds")
    assert "Encoder heads write into the source vectors, not into" in words(app)
    app = opened(sentence=SENTENCE, model="hf:minilm", below="adds")
    assert "what heads add to the prediction" not in app.get("button_group")[-1].proto.SerializeToString().decode(
        "utf8", "ignore"
    )
    app = opened(sentence=SENTENCE, model="transformer-post-ln-en-fr", below="adds")
    assert "do not simply add up" in words(app)
