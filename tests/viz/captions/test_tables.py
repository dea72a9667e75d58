"""The numbers behind a picture: every cell once, equal words apart, nothing rounded in what is kept."""

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.figure_samples import AWKWARD, translation
from viz.captions.tables import csv_of, table_of
from viz.views.view import View, choose_view

WORDS = st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=8)


def view(source: tuple[str, ...] | list[str], target: tuple[str, ...] | list[str]) -> View:
    return choose_view(translation(source, target))


def test_equal_words_keep_their_own_rows_and_columns() -> None:
    shown = view(AWKWARD["repeated"], AWKWARD["repeated"])
    table = table_of(shown)
    assert list(table) == ["query", "1 the", "2 cat", "3 the", "4 cat", "5 </s>"]
    assert table["query"] == ["1 the", "2 cat", "3 the", "4 cat", "5 </s>"]
    np.testing.assert_array_equal(np.array(list(table.values())[1:], dtype=np.float32).T, shown.weights)


@given(WORDS, WORDS)
def test_csv_holds_every_weight_exactly(source: list[str], target: list[str]) -> None:
    shown = view(source, target)
    rows = list(csv.DictReader(io.StringIO(csv_of(shown))))
    assert len(rows) == shown.weights.size
    read = np.zeros_like(shown.weights)
    for row in rows:
        read[int(row["query_position"]) - 1, int(row["key_position"]) - 1] = np.float32(row["weight"])
    np.testing.assert_array_equal(read, shown.weights)
    assert all(row["query"] and row["key"] for row in rows)
