"""Decoding round by round, opened first by its link: what goes in is what came out before."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import models

SENTENCE = "How are you today?"


def script() -> None:
    from viz.pages.bench.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=300)
    app.query_params.update({"also": "rounds", "mechanisms": "seq2seq bahdanau rctm", "sentence": SENTENCE, **link})
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("named", ["seq2seq", "bahdanau", "rctm"])
def test_each_round_reads_what_the_rounds_before_it_wrote(named: str) -> None:
    table = opened(**{"rounds-of": named}).dataframe[0].value
    trace = models.load_translator(f"{named}-en-fr").attend(SENTENCE)
    read, written = list(table["goes in"]), list(table["comes out"])
    assert [each.split()[0] for each in read] == ["<s>"] * len(trace.steps)
    assert [each.split()[1:] for each in read] == [[each.strip() for each in written[:n]] for n in range(len(read))]
    assert written[-1] == "</s>"
    assert list(table["probability"]) == [f"{each.probability:.1%}" for each in trace.steps]


def test_a_given_translation_is_said_to_be_given() -> None:
    app = opened(align="text", target="Comment vas-tu ?")
    assert "given" in " ".join(each.value for each in app.caption)
    assert list(app.dataframe[0].value["comes out"])[-1] == "</s>"
