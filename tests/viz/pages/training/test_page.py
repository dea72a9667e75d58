"""The page Training: the slider chooses a point, all models stand at it, rows line up, and what is wrong is said."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.keys import at_point
from tests.support.payloads import alignment
from viz.figures.training_curves import Curve, loss_and_error
from viz.pages.training import page as training
from viz.pages.training.page import PAGE
from viz.pages.training.settings import AUTHOR, FIRST_SHOWN, SHORT
from viz.views.view import choose_view

RUNS = models.training_runs()
TEXT = "The cat sleeps on the chair."


def script() -> None:
    from viz.pages.training.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("point", [1, FIRST_SHOWN, 20])
def test_the_maps_are_those_of_the_models_at_the_point(point: int) -> None:
    app = opened(sentence=TEXT, **({} if point == FIRST_SHOWN else {"point": str(point)}))
    header, maps = alignment(app)
    target = models.load(AUTHOR).attend(TEXT).output_text.strip()
    assert len(maps) == len(RUNS)
    for key, drawn, panel in zip(RUNS, maps, header["panels"], strict=True):
        view = choose_view(models.load(at_point(key, point)).attend(TEXT, target))
        special = view.trace.target.to_words().specials if view.reading == "written" else (0,)
        wanted = np.delete(view.weights, special, axis=0)
        np.testing.assert_allclose(drawn, wanted, atol=2e-6)
        assert panel["rows"] == header["panels"][0]["rows"], "the same word at the same height"
        assert panel["row_words"] == list(range(len(wanted)))
    assert not {"<s>", "</s>"} & set(header["panels"][0]["rows"])


def test_the_slider_goes_to_another_point_and_the_link_says_so() -> None:
    app = opened(sentence=TEXT)
    before = alignment(app)[1][0]
    app.select_slider(key="point").set_value("20").run()
    assert app.query_params["point"] == "20"
    assert not np.allclose(before, alignment(app)[1][0])
    table = next(each.proto.body for each in app.get("html") if "at-point" in each.proto.body)
    card = models.describe(at_point(RUNS[0], 20)).card
    assert f"{card['held_out_loss']:.2f}" in table
    assert f"{card['aer']['everyday.gold']:.2f}" in table


def test_each_can_be_aligned_on_what_it_writes() -> None:
    app = opened(sentence=TEXT, point="20", align="own")
    header, _maps = alignment(app)
    own = [choose_view(models.load(at_point(key, 20)).attend(TEXT)) for key in RUNS]
    assert [len(each["rows"]) for each in header["panels"]] == [len(view.weights) - 1 for view in own]


def test_it_is_said_below_the_maps_that_the_translation_is_given() -> None:
    app = opened(sentence=TEXT)
    target = models.load(AUTHOR).attend(TEXT).output_text.strip()
    said = [each.value.replace("\\", "") for each in app.caption]
    assert any("Same translation for all models" in each and target in each for each in said)
    alone = opened(sentence=TEXT, align="own")
    assert not any("Same translation for all models" in each.value for each in alone.caption)


def test_a_visitor_who_brings_no_sentence_gets_a_short_one_and_a_typed_one_stays() -> None:
    assert alignment(opened())[0]["title"] == SHORT
    assert alignment(opened(sentence=TEXT))[0]["title"] == TEXT


def test_a_short_sentence_is_one_click_away() -> None:
    app = opened(sentence="The agreement on the European Economic Area was signed in August 1992.")
    next(each for each in app.button if "short" in each.label).click().run()
    assert not app.exception
    assert "sister" in alignment(app)[0]["title"]
    assert not [each for each in app.button if "short" in each.label]


@pytest.mark.parametrize("text", ["", "  ", "x" * 30_000, "我爱吃苹果。", "🙂", "word " * 400])
def test_bad_input_is_said_and_nothing_is_lost(text: str) -> None:
    app = opened(sentence=TEXT)
    app.text_input(key="sentence").set_value(text).run() if app.text_input else app.text_area(key="sentence").set_value(
        text
    ).run()
    assert not app.exception
    if offered := [each for each in app.button if each.key == "show-anyway"]:  # in another script
        offered[0].click().run()
    assert app.get("plotly_chart")  # the measured curves stay
    cut = [each for each in app.caption if "bytes" in each.value]
    assert [*app.error, *app.info, *app.warning, *cut]


def test_another_pair_is_told_and_switched_by_a_click() -> None:
    app = opened(languages="zh-en")
    assert "English to French" in app.info[0].value
    next(each for each in app.button if "Switch" in each.label).click().run()
    assert not app.exception
    assert len(alignment(app)[1]) == len(RUNS)


def test_a_point_that_is_not_there_is_named() -> None:
    app = opened(sentence=TEXT, point="99")
    assert any("point=99" in each.value.replace("\\", "") for each in app.warning)
    assert app.select_slider(key="point").value == str(FIRST_SHOWN)


def test_the_page_is_not_offered_where_no_training_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PAGE.is_there()
    monkeypatch.setattr(models, "training_runs", lambda: (), raising=False)
    assert not PAGE.is_there()


def test_half_of_the_way_is_found_where_it_is() -> None:
    curve = Curve("A", [1_000, 10_000, 2_000_000], [8.0, 6.0, 4.0], [0.9, 0.5, 0.1])
    assert "A: after 10 k tokens, at a loss of 6.00" in training._says({"a": curve})
    later = Curve("A", [1_000, 10_000, 2_000_000], [8.0, 6.0, 4.0], [0.9, 0.6, 0.1])
    assert "A: after 2.0 M tokens, at a loss of 4.00" in training._says({"a": later})


def test_the_figure_shows_both_curves_and_where_the_reader_is() -> None:
    curve = Curve("A <b>", [1_000, 10_000], [8.0, 6.0], [0.9, 0.5])
    figure = loss_and_error({"a": curve}, 10_000)
    upper, lower = figure.data
    assert list(upper.y) == [8.0, 6.0]
    assert list(lower.y) == [0.9, 0.5]
    assert upper.name == "A &lt;b&gt;"
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 10_000
    assert figure.layout.xaxis.type == "log"
