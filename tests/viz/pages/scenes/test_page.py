"""The page Scenes: what is put into a cell is captioned, words light cells, edits and draws act, the link restores."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import models
from models.captioning.entry import captioners
from models.edits import mask_key, sample
from models.scenes.examples import FIRST
from models.scenes.things import scene_by_seed, scene_of, to_text
from models.scenes.wording import caption_of
from viz.pages.scenes.told import wrong_words

TWO = "small red circle,,large blue square,,,,,,large blue square"


def script() -> None:
    from viz.pages.scenes.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest) -> list[str]:
    """Return what is drawn of each model, as HTML."""
    (found,) = [each for each in _data(app) if "figure" in each]
    return found.split("<figure")[1:]


def _data(app: AppTest) -> list[str]:
    every: list[Any] = app.get("bidi_component")
    return [each.proto.json for each in every if isinstance(each.proto.json, str)]


def captions(app: AppTest) -> list[str]:
    return [" ".join(unescape(each) for each in re.findall(r"<span[^>]*>([^<]*)</span>", part)) for part in drawn(app)]


def test_each_model_captions_the_scene_and_its_words_have_its_weights() -> None:
    app = opened()
    assert captions(app) == [models.load(key).attend(to_text(FIRST)).output_text for key in captioners()]
    trace = models.load(captioners()[0]).attend(to_text(FIRST))
    word = trace.target.word_texts.index("circle")
    shown = re.search(rf'<g class="lit lit-{word}">(?:<text.*?)</g>', drawn(app)[0].replace("\\", ""))
    assert shown is not None
    numbers = [float(each) for each in re.findall(r">([\d.]+)</text>", shown[0])]
    weights = [float(each) for each in trace["decoder.0.cross"].weights[0][word] if each >= 0.05]
    assert numbers == pytest.approx(weights, abs=0.006)


def test_a_cell_is_selected_and_filled_and_the_link_says_so() -> None:
    app = opened(scene=",,,,,,,,")
    assert all("nothing" in each for each in captions(app))
    app.button(key="scene-cell-4").click().run()
    assert app.query_params["cell"] == "5"
    app.segmented_control(key="scene-kind").set_value("star").run()
    app.segmented_control(key="scene-colour").set_value("yellow").run()
    app.segmented_control(key="scene-size").set_value("small").run()
    assert not app.exception
    assert app.query_params["scene"] == ",,,,small yellow star,,,,"
    assert captions(opened(scene=",,,,small yellow star,,,,")) == captions(app)


def test_a_seed_draws_a_scene_and_turns_to_the_next() -> None:
    app = opened()
    app.number_input(key="scene-seed").set_value(7).run()
    app.button(key="scene-draw").click().run()
    assert app.query_params["scene"] == to_text(scene_by_seed(7))
    assert app.number_input(key="scene-seed").value == 8


def test_edits_and_draws_act_as_in_python() -> None:
    hidden = captions(opened(scene=TWO, edit="hide", cell="1"))
    keys = captioners()
    edit = mask_key("decoder.0.cross", 0)
    assert hidden == [models.load(key).attend(TWO, edits=[edit]).output_text for key in keys]
    (hard,) = [key for key in keys if "hard" in key]
    seeded = captions(opened(scene=TWO, draw="3"))[keys.index(hard)]
    assert seeded == models.load(hard).attend(TWO, edits=[sample("decoder.0.cross", None, None, 3)]).output_text
    right = " ".join(each.text for each in caption_of(scene_of(TWO)))
    assert captions(opened(scene=TWO, caption="right")) == [right] * len(keys)


def test_what_is_no_scene_is_named_and_chinese_says_that_captions_are_english() -> None:
    app = opened(scene="a cat")
    assert any("scene" in each.value for each in app.warning)
    app = opened(lang="zh")
    assert any("描述用英文书写" in each.value for each in app.caption)


def test_only_words_that_differ_are_wrong() -> None:
    right = "there is a red circle".split()
    assert wrong_words("there is a small red square".split(), right) == [False, False, False, True, False, True]
    assert not any(wrong_words(right, right))
