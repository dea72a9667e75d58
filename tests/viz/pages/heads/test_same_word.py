"""One word in two sentences on the Heads: its numbers against the model, and what is said of odd words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.experiments.contextual import compare_word
from models.experiments.word_vectors import static_vectors
from tests.support.heads_page import MINILM, opened, parameter, words

ONE, OTHER = "He bought new shoes.", "He moved to New York."


def looked_at(**link: str) -> AppTest:
    return opened(**{"model": MINILM, "against": "word", "sentence": ONE, "other": OTHER, **link})


def figure(app: AppTest) -> dict[str, Any]:
    found = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    (drawn,) = [each for each in found if "in two sentences" in str(each["layout"].get("title"))]
    return drawn


@pytest.mark.parametrize("key", [MINILM, "hf:gpt-en", "hf:bert-en", "transformer-en-fr"])
def test_the_lines_are_those_of_the_model_beside_the_static_vectors(key: str) -> None:
    app = looked_at(model=key)
    found, vectors = compare_word(models.load(key), ONE, OTHER, "new"), static_vectors()
    same, others = figure(app)["data"]
    assert same["x"] == others["x"] == [-1, None, *range(len(found.cosines))]
    np.testing.assert_allclose(same["y"][2:], found.cosines, atol=1e-6)
    np.testing.assert_allclose(others["y"][2:], found.baseline, atol=1e-6)
    assert same["y"][0] == 1
    assert others["y"][0] == pytest.approx(vectors.mean_cosine(ONE[:-1].split(), OTHER[:-1].split()))
    said = words(app)
    assert f"{found.cosines[-1]:.2f}" in said
    near, value = vectors.nearest("new", 1)[0]
    assert f"{near} {value:.2f}" in said
    assert ("left to right" in said) == (key == "hf:gpt-en")
    assert ("The model splits the word into different subwords" in said) == (key != MINILM)
    table = app.dataframe[-1].value
    assert list(table["closest in the second"]) == [word for word, _ in found.closest[1]]


def test_another_word_is_clicked_and_stands_in_the_link() -> None:
    app = looked_at()
    assert app.segmented_control(key="same").options == ["new", "He"]
    app.segmented_control(key="same").set_value("he").run()
    assert parameter(app, "same") == "he"
    assert "“he” in two sentences" in str(figure(app)["layout"]["title"]).replace("\\u201c", "“").replace(
        "\\u201d", "”"
    )


def test_a_word_without_a_static_vector_is_named_and_the_model_is_still_shown() -> None:
    app = looked_at(sentence="The zyxwv slept.", other="A Zyxwv ran home.")
    assert "No static vector for “zyxwv”" in words(app).replace("\u2068", "").replace("\u2069", "")
    assert figure(app)["data"][0]["y"][0] is None


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"other": "She left."}, "no words in common"),
        ({"same": "shoes"}, "shoes"),
        ({"sentence": "我爱吃苹果。", "other": "苹果很好吃。"}, "No static vector for"),
        ({"sentence": "New, new, new!", "other": "new"}, "more than once"),
        ({"pair": "It was sweet."}, "without text B"),
    ],
)
def test_odd_words_and_texts_are_answered_in_words(link: dict[str, str], said: str) -> None:
    assert said in words(looked_at(**link))


def test_while_there_is_no_second_sentence_two_are_offered() -> None:
    app = looked_at(other="")
    app.button(key="same-word-pair").click().run()
    assert not app.exception
    assert (app.text_input(key="sentence").value, app.text_input(key="other").value) == (ONE, OTHER)
    assert len(figure(app)["data"]) == 2
