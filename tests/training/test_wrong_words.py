"""One wrong word over a corpus: what is measured agrees with single forced runs, and the shipped table is whole."""

from __future__ import annotations

import pytest

import models
from models.measures.wrong_word import with_word
from models.translation.wrong_word_table import MOST_WORDS, wrong_word_table
from training.wrong_words import _lost, figures
from viz.figures.wrong_words import wrong_words

SOURCE = "The cat drank the milk because it was hungry."


def test_what_right_words_lose_is_the_difference_of_two_forced_runs() -> None:
    model = models.load_translator("bahdanau-en-fr")
    before = model.attend(SOURCE)
    begin = model.attend(SOURCE, with_word(before, 1, "poisson")).target.ids[:-1]
    rest = " ".join(before.output_text.split()[2:])
    after = model.attend(SOURCE, f"Le poisson {rest}")
    was, now = ({each.text: each.log_probability for each in trace.steps} for trace in (before, after))
    found = _lost(model, before, begin, 1)
    assert found[0] == pytest.approx(was[" a"] - now[" a"], abs=1e-3)
    assert len(found) == len(before.target.word_texts) - 2


def test_the_share_that_still_differs_never_rises() -> None:
    found = figures(models.load_translator("bahdanau-en-fr"), [SOURCE, "My sister is reading a book in the kitchen."])
    assert found["sentences"] == 2
    assert found["differ"] == sorted(found["differ"], reverse=True)
    assert len(found["differ"]) == len(found["lost"]) == MOST_WORDS


def test_the_shipped_table_is_drawn_a_line_a_model_in_both_panels() -> None:
    rows = wrong_word_table("en-fr")
    figure = wrong_words(rows, {})
    assert len(figure.data) == 2 * len(rows) >= 8
    for row, free, forced in zip(rows, figure.data[::2], figure.data[1::2], strict=True):
        assert (tuple(free.y), tuple(forced.y)) == (row.differ, row.lost)
        assert list(row.differ) == sorted(row.differ, reverse=True)
    assert wrong_word_table("zh-en") == ()
