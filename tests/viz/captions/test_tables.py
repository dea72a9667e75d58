"""The numbers behind a picture: every cell once, equal words apart, nothing rounded in what is kept."""

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.figure_samples import AWKWARD, translation
from viz.captions.tables import csv_of, csv_of_strips, csv_of_views, csv_of_walks, table_of
from viz.views.strips import Strip
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


def test_one_csv_holds_every_cell_of_every_mechanism() -> None:
    views = [view(AWKWARD["repeated"], AWKWARD["chinese"]), view(AWKWARD["chinese"], AWKWARD["repeated"])]
    rows = list(csv.DictReader(io.StringIO(csv_of_views(views))))
    assert len(rows) == sum(each.weights.size for each in views)
    assert {row["source"] for row in rows} == {each.trace.source_text for each in views}
    own = rows[: views[0].weights.size]
    assert [np.float32(row["weight"]) for row in own] == views[0].weights.ravel().tolist()
    first = own[0]
    assert (first["mechanism"], first["map"], first["layer"], first["head"]) == (
        views[0].trace.provenance.title,
        "decoder.0.cross",
        "0",
        "0",
    )
    assert (first["edits"], first["decoding"], first["rows"]) == ("0", "greedy", "written")


def test_one_csv_holds_every_bar_of_a_walk_and_nothing_for_what_is_hidden() -> None:
    columns = [{"text": "the"}, {"text": "cat"}]
    rows = [{"title": "score e", "values": [0.1, None]}]
    pictures = [{"title": name, "columns": columns, "rows": rows} for name in ("Bahdanau", "Luong")]
    found = list(csv.DictReader(io.StringIO(csv_of_walks(pictures))))
    assert [each["mechanism"] for each in found] == ["Bahdanau"] * 2 + ["Luong"] * 2
    assert [(each["key_position"], each["key"], each["value"]) for each in found[:2]] == [
        ("1", "the", "0.1"),
        ("2", "cat", ""),
    ]


def test_the_numbers_of_strips_are_exact_and_have_their_names() -> None:
    named = Strip("scores", "e", np.array([[0.1, -np.inf]]), rows=("q1",), columns=("k1", "k2"))
    bare = Strip("a state", "h", np.array([[1 / 3]]))
    found = list(csv.DictReader(io.StringIO(csv_of_strips((named, bare)))))
    assert [(each["symbol"], each["row_name"], each["column"], each["column_name"]) for each in found] == [
        ("e", "q1", "1", "k1"),
        ("e", "q1", "2", "k2"),
        ("h", "", "1", ""),
    ]
    assert [float(each["value"]) for each in found] == [0.1, -np.inf, 1 / 3]
