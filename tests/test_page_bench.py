"""The Bench, run as a page on the shipped models: what it shows, and what it does with bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from viz.cards import measured
from viz.pages import bench
from viz.runtime import shared_host
from viz.views import choose_view

APP = str(Path(__file__).parent.parent / "app.py")
SENTENCE = "The cat sleeps."
KEYS = tuple(f"{mechanism}-{bench.PAIR}" for mechanism in bench.MECHANISMS)
PATIENCE = 120  # seconds: the first run loads the models


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def figure(app: AppTest) -> dict[str, Any]:
    """Give the only figure of the page."""
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def shown_text(app: AppTest) -> str:
    """Give all HTML that the page holds."""
    return " ".join(each.proto.body for each in app.get("html"))


def type_sentence(app: AppTest, text: str) -> AppTest:
    return app.text_input(key="sentence").set_value(text).run()


def test_the_page_opens_with_three_translations_and_one_figure(app: AppTest) -> None:
    assert not app.exception
    assert not app.error
    assert not app.warning
    drawn = figure(app)
    assert [each["type"] for each in drawn["data"]] == ["heatmap"] * 3
    assert {each["coloraxis"] for each in drawn["data"]} == {"coloraxis"}
    assert (drawn["layout"]["coloraxis"]["cmin"], drawn["layout"]["coloraxis"]["cmax"]) == (0, 1)
    for key in KEYS:
        entry = models.describe(key)
        assert entry.mechanism.title in shown_text(app)
        assert str(entry.mechanism.year) in shown_text(app)
    assert len(app.latex) == 3


def test_a_typed_sentence_is_translated_and_drawn(app: AppTest) -> None:
    type_sentence(app, SENTENCE)
    assert app.text_input(key="sentence").value == SENTENCE
    for number, key in enumerate(KEYS, start=1):
        trace = shared_host().attend(key, SENTENCE)
        view = choose_view(trace)
        suffix = "" if number == 1 else str(number)
        ticks = figure(app)["layout"][f"yaxis{suffix}"]["ticktext"]
        assert len(ticks) == len(view.shown.query_tokens)
        heatmap = figure(app)["data"][number - 1]["z"]
        assert heatmap["dtype"] == "f4"
        assert [int(side) for side in heatmap["shape"].split(",")] == list(view.weights.shape)


def test_pieces_are_a_choice_of_the_reader(app: AppTest) -> None:
    type_sentence(app, "An unbelievable misunderstanding.")
    words = figure(app)["layout"]["xaxis"]["ticktext"]
    app.button_group(key="unit").set_value("piece").run()
    assert not app.exception
    pieces = figure(app)["layout"]["xaxis"]["ticktext"]
    assert len(pieces) > len(words)
    assert figure(app)["layout"]["xaxis"]["title"]["text"] == "key: the source piece being read"


@pytest.mark.parametrize("number", range(3))
def test_an_example_takes_the_place_of_the_sentence(app: AppTest, number: int) -> None:
    type_sentence(app, SENTENCE)
    app.button(key=f"example-{number}").click().run()
    assert app.text_input(key="sentence").value == bench.EXAMPLES[number][1]
    assert not app.exception


def test_a_link_holds_the_sentence() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["sentence"] = SENTENCE
    app.run()
    assert app.text_input(key="sentence").value == SENTENCE
    assert "cat" in figure(app)["layout"]["xaxis"]["ticktext"]


@pytest.mark.parametrize("text", ["", "   ", "word " * 2000], ids=["empty", "blank", "too long"])
def test_bad_input_gets_a_message_and_takes_nothing_away(app: AppTest, text: str) -> None:
    type_sentence(app, SENTENCE)
    before = figure(app)
    type_sentence(app, text)
    assert not app.exception
    assert len(app.error) == 1
    assert app.text_input(key="sentence").value == text
    assert figure(app) == before
    assert "The cat sleeps" in app.caption[0].value
    type_sentence(app, SENTENCE)
    assert not app.error


def test_bad_input_from_a_link_gets_a_message() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["sentence"] = " "
    app.run()
    assert not app.exception
    assert len(app.error) == 1


@pytest.mark.parametrize(
    "text",
    ["<b>bold</b> </s> <s>", "猫が好き。", "🔥🔥 👩\u200d👧", "שלום עולם", "$x^2$ **a** {b} %{z}", "\u202eevil"],
)
def test_awkward_text_is_shown_as_text(app: AppTest, text: str) -> None:
    type_sentence(app, text)
    assert not app.exception
    assert not app.error
    layout = figure(app)["layout"]
    assert not any("<" in tick for axis in ("xaxis", "yaxis") for tick in layout[axis]["ticktext"])
    assert "<b>" not in shown_text(app)


def test_a_mechanism_without_weights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tuple(key for key in KEYS if not key.startswith("luong"))
    monkeypatch.setattr(models, "catalog", lambda: installed)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(figure(app)["data"]) == 2
    assert "Luong" in app.warning[0].value


@pytest.fixture
def fresh_host(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Give a way to serve with models from another loader; afterwards the usual host is made anew."""

    def serve(load: Any) -> None:
        monkeypatch.setattr(models, "load", load)
        shared_host.clear()

    yield serve
    shared_host.clear()


def test_a_model_that_fails_to_load_is_named(fresh_host: Callable[[Any], None]) -> None:
    load = models.load

    def broken(key: str) -> Any:
        if key.startswith("bahdanau"):
            message = "the weights file does not have the hash that its card names"
            raise ValueError(message)
        return load(key)

    fresh_host(broken)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(figure(app)["data"]) == 2
    assert "bahdanau" in app.warning[0].value
    assert "hash" in app.warning[0].value


def test_the_figure_has_a_description_in_words(app: AppTest) -> None:
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt.count("most (0.") + chart.proto.alt.count("most (1.") >= 3


def test_a_card_says_what_was_measured_and_leaves_out_what_was_not() -> None:
    card = {"bleu": {"tatoeba.test": {"bleu": 42.04}}, "aer": {"hansards": 0.377}}
    assert measured(card) == [
        "BLEU, higher is better: 42.0 (tatoeba.test)",
        "Alignment error rate of the map shown, lower is better: 0.38 (hansards)",
    ]
    assert measured({}) == []


def test_a_card_names_paper_departures_and_data(app: AppTest) -> None:
    text = " ".join(each.value for each in app.markdown).replace("\\", "")
    for key in KEYS:
        entry = models.describe(key)
        assert entry.mechanism.paper in text
        assert all(departure in text for departure in entry.mechanism.departures)
        assert all(each["credit"] in text for each in entry.card["data"])


def test_visitors_share_traces(app: AppTest) -> None:
    traces = shared_host().traces
    type_sentence(app, "A sentence that two visitors type.")
    kept = len(traces)
    other = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    type_sentence(other, "A sentence that two visitors type.")
    assert len(traces) == kept
    np.testing.assert_equal(figure(app)["data"][0]["z"], figure(other)["data"][0]["z"])
