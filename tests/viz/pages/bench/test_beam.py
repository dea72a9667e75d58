"""The tree of the beam, opened first by its link: its scores are those of `models`, and odd settings are named."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import models

SENTENCE = "The cat drank the milk."


def script() -> None:
    from viz.pages.bench.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=300)
    app.query_params.update({"also": "beam", "mechanisms": "bahdanau", "sentence": SENTENCE, **link})
    app.run()
    assert not app.exception
    return app


def test_the_link_shows_every_hypothesis_with_its_score() -> None:
    app = opened(beam="3", branch="2")
    found = models.beam_search(models.load_translator("bahdanau-en-fr"), SENTENCE, 3)
    table = app.dataframe[0].value
    rows = table[table["rank"] != "greedy"]
    assert list(rows["translation"]) == [each.text for each in found]
    assert list(rows["mean per subword"]) == pytest.approx([each.score for each in found], abs=1e-4)
    assert list(rows["subwords"]) == [len(each.ids) for each in found]
    assert app.query_params["branch"] in ("2", ["2"])
    assert "length normalisation" in " ".join(each.value for each in app.caption)


def test_a_beam_that_there_is_not_is_named_and_the_usual_one_shown() -> None:
    app = opened(beam="99", branch="7")
    assert len(app.dataframe[0].value) >= 4
    said = " ".join(each.value for each in (*app.warning, *app.info, *app.error))
    assert "99" in said
