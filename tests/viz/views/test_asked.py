"""The word whose step a row is: what a cell of a shown map is asked as finds the weight that the cell shows."""

from __future__ import annotations

import pytest

import models
from models.measures.asking import rank_pair, word_maps
from viz.views.asked import asked_columns, asked_rows
from viz.views.view import choose_view

TEXT = "The animal didn't cross the street because the unbelievable animal was too tired."


@pytest.mark.parametrize(
    ("key", "site"),
    [
        ("transformer-en-fr", "encoder.1.self"),
        ("transformer-en-fr", "decoder.0.cross"),
        ("transformer-en-fr", "decoder.1.self"),
        ("bahdanau-en-fr", "decoder.0.cross"),
    ],
)
def test_the_pair_of_a_cell_finds_the_weight_that_the_cell_shows(key: str, site: str) -> None:
    trace = models.load(key).attend(TEXT)
    view = choose_view(trace, site=site, head=0, reading="written")
    rows, columns = asked_rows(view), asked_columns(view)
    assert (len(rows), len(columns)) == view.weights.shape
    maps, tried = {key: word_maps(trace)}, 0
    for row, query in enumerate(rows):
        for column, asked in enumerate(columns):
            if query is None or asked is None or (view.shown.causal and column > row):
                continue
            (found,) = (each for each in rank_pair(maps, query, asked) if str(each.site) == site and each.head == 0)
            assert found.score == pytest.approx(float(view.weights[row, column]), abs=1e-6)
            tried += 1
    assert tried > 20


@pytest.mark.parametrize("unit", ["word", "piece"])
def test_a_row_that_is_labelled_by_the_word_read_in_is_of_the_step_that_writes_the_next(unit: str) -> None:
    trace = models.load("transformer-en-fr").attend(TEXT)
    written, read = (choose_view(trace, unit=unit, reading=each) for each in ("written", "input"))  # type: ignore[arg-type]
    if unit == "piece":  # a row a token: the same steps under either label
        assert asked_rows(read) == asked_rows(written)
    else:
        *words, end = asked_rows(read)
        assert [each and each.text for each in words] == [text.strip() for text in trace.target.to_words().texts[:-1]]
        assert end is None


def test_marks_of_beginning_and_end_are_no_words() -> None:
    view = choose_view(models.load("bahdanau-en-fr").attend("The cat sleeps."), unit="piece")
    assert asked_rows(view)[-1] is None
    assert asked_columns(view)[-1] is None
