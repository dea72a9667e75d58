"""A memory that nobody trained, on the page opened first by its link: neighbours, mixture, and what a slider does."""

from __future__ import annotations

import json
from typing import Any

import pytest

import models
from models.readers.datastore import datastore_card, recall, shipped_datastore
from tests.support.heads_page import fine, opened, words
from viz.text.tokens import escape, visible

SENTENCE, GPT = "In the beginning God created the", "hf:gpt-en"


def the_map(app: Any) -> Any:
    specs = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    return next(each for each in specs if "Nearest places" in each["layout"]["title"]["text"])


def test_a_link_shows_the_neighbours_and_what_the_memory_changes() -> None:
    app = opened(sentence=SENTENCE, model=GPT, below="memory", mix="30", at="6")
    found, store = recall(models.load(GPT), SENTENCE), shipped_datastore()
    cells = the_map(app)["data"][0]
    trace = models.load(GPT).attend(SENTENCE)
    assert the_map(app)["layout"]["yaxis"]["ticktext"] == [escape(visible(each)) for each in trace.source.texts]
    assert cells["z"][6] == pytest.approx(found.weights[6, : len(cells["z"][6])].tolist(), rel=1e-4)
    piece = models.load(GPT).tokenizer.piece  # type: ignore[attr-defined]
    nearest = int(found.near.places[6, 0])
    assert cells["customdata"][6][0][1] == visible(piece(int(store.following[nearest])))
    said = words(app)
    share = found.mixed(0.3)[6].max()
    assert f"{share:.1%}" in said
    assert f"{found.own[6].max():.1%}" in said
    assert "does harm" in said
    table = [each.value for each in app.dataframe]
    figures = datastore_card()["test"]
    assert any(figures["verses"]["with"] in each.to_numpy() for each in table)
    fine(app.select_slider(key="mix").set_value("0").run())
    assert app.query_params["mix"] == "0"


def test_it_is_offered_of_its_own_model_alone() -> None:
    app = opened(sentence=SENTENCE, model="hf:minilm", below="memory")
    assert not [each for each in app.get("plotly_chart") if "Nearest places" in each.proto.spec]


def test_a_text_that_was_gone_on_with_is_looked_up_whole() -> None:
    app = opened(sentence="The old man", model=GPT, below="memory", write="6")
    rows = the_map(app)["layout"]["yaxis"]["ticktext"]
    assert len(rows) > len(models.load(GPT).attend("The old man").source)


def test_a_second_segment_is_read_with_the_memory_that_a_link_names() -> None:
    text = "The old man went to the market and bought a small dog."
    app = opened(sentence=text, model=GPT, below="segments", recurrence="anew", heads1="3")
    shown = next(each for each in app.get("plotly_chart") if "query: token of the second segment" in each.proto.spec)
    figure = json.loads(shown.proto.spec)
    length = len(models.load(GPT).attend(text).source)
    assert figure["data"][0]["z"]["shape"] == f"{length - length // 2}, {length}"
    assert "relative positions" in words(app)
    app = opened(sentence=text, model=GPT, below="segments", recurrence="off")
    assert "0% of the second segment's weight" in words(app)
    assert "two segments need at least" in words(opened(sentence="The cat", model=GPT, below="segments"))
