"""One wrong word on Steps, opened first by its link: the table and the map at the place that is walked."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.measures.wrong_word import with_word
from models.writing import Writing
from tests.support.payloads import decode_alignment, header_of

SENTENCE = "The cat drank the milk."


def script() -> None:
    from viz.pages.steps.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=200)
    app.query_params.update({"sentence": SENTENCE, **link})
    app.run()
    assert not app.exception
    return app


def payloads(app: AppTest) -> list[bytes]:
    return [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]


@pytest.mark.parametrize(
    ("mechanism", "layer"), [("bahdanau", "decoder.0.cross"), ("transformer", "decoder.1.self"), ("seq2seq", "")]
)
def test_a_link_replaces_a_word_and_shows_the_map_that_is_walked(mechanism: str, layer: str) -> None:
    place = {"layer": layer, "head": "3"} if mechanism == "transformer" else {}
    app = opened(mechanism=mechanism, **place, **{"wrong-word": "1", "instead": "chien", "unit": "piece"})
    model = models.load(f"{mechanism}-en-fr")
    own = model.attend(SENTENCE)
    begin = model.attend(SENTENCE, with_word(own, 1, "chien")).target.ids[:-1]
    after = model.attend(SENTENCE, write=Writing(0, begin=begin))
    table = app.dataframe[0].value
    assert table["with the wrong word"].iloc[0] == "chien"
    wrong = [place for place, word in enumerate(after.target.words) if word == 1]
    assert table["probability then"].iloc[0] == pytest.approx(
        np.prod([after.steps[each].probability for each in wrong]), abs=1e-4
    )
    _header, maps = decode_alignment(payloads(app)[1])
    if layer:
        for shown, trace in zip(maps, (own, after), strict=True):
            expected = trace[layer].weights[3 if place else 0]
            np.testing.assert_allclose(shown[:, : expected.shape[1]], expected, atol=1e-6)


def test_every_written_word_offers_another_in_its_place_and_marks_and_sources_do_not() -> None:
    target = models.load("bahdanau-en-fr").attend(SENTENCE).target
    for row, text in enumerate(target.texts):
        (payload,) = payloads(opened(mechanism="bahdanau", word=str(row), unit="piece"))
        put = header_of(payload)["put"]
        assert (target.word_texts[target.words[row]] in put) == (text != "</s>")
    (payload,) = payloads(opened(mechanism="transformer", layer="encoder.0.self", word="1"))
    assert not header_of(payload)["put"]
    (payload,) = payloads(opened(mechanism="transformer", layer="decoder.0.self", word="0"))
    assert not header_of(payload)["put"]  # <s>
    (payload,) = payloads(opened(mechanism="transformer", layer="decoder.0.self", word="2"))
    assert "“chat”" in header_of(payload)["put"]  # the token read in at row 2 is the second written


def test_no_word_takes_it_back_and_one_that_there_is_not_is_named() -> None:
    app = opened(**{"wrong-word": "1", "instead": "chien"})
    app.selectbox(key="wrong-word").set_value("none").run()
    assert not app.exception
    assert "wrong-word" not in app.query_params
    assert len(payloads(app)) == 1
    app = opened(**{"wrong-word": "99"})
    assert "99" in " ".join(each.value for each in (*app.warning, *app.info, *app.error))
