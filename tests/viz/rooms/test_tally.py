"""What a class answered as one row, and as CSV that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from viz.rooms.room import RoomQuestion
from viz.rooms.tally import csv_of_room, tally_of

ROWS = st.lists(st.lists(st.floats(0, 1, width=32), max_size=5), max_size=30)


@given(ROWS, st.integers(0, 5))
def test_shares_of_words_are_a_row_whatever_comes(rows: list[list[float]], size: int) -> None:
    tally = tally_of(rows, size)
    counted = [each for each in rows if len(each) == size and sum(each) > 0]
    assert tally.count == len(counted)
    assert len(tally.shares) == size
    assert sum(tally.shares) == pytest.approx(1 if counted else 0)
    assert all(0 <= each <= 1.000001 for each in tally.shares)


@given(ROWS, st.sampled_from([float("nan"), float("inf"), -float("inf"), -1.0, 2.0]))
def test_an_answer_with_what_is_no_share_does_not_count(rows: list[list[float]], wrong: float) -> None:
    for size in range(1, 6):
        broken = [[wrong] + [1.0] * (size - 1), [1.0] * (size - 1) + [wrong]]
        assert tally_of([*rows, *broken], size) == tally_of(rows, size)


@pytest.mark.parametrize("text", ["=1+1", "\uff1d1+1", "\ufeff+cmd", "﹣1a", "x;=1+1", "@sum", '"=1"', "x\t=1"])
def test_nothing_of_a_question_is_a_formula(text: str) -> None:
    question = RoomQuestion(text, text, (text, "b"))
    for row in csv.reader(io.StringIO(csv_of_room([question], [[[1, 0]]]))):
        for cell in row:
            assert not any(before in f";{cell}" for before in (f";{text}", ";=", ";@", "\t="))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@example("", "'")
@example("", "-0")
@example("-1", "\x1b=")
@given(st.text(max_size=20), st.text(max_size=20))
def test_a_table_has_every_answer_and_runs_nothing(title: str, word: str) -> None:
    marked = RoomQuestion("row", title, (word, "b"), model=(0.75, 0.25), revealed=True)
    chosen = RoomQuestion("milk.1", title, ("x", word), is_choice=True, right=1)
    text = csv_of_room([marked, chosen], [[[1, 1], [1, 0]], [[0, 1]]])
    head, *lines = csv.reader(io.StringIO(text))
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    assert [row["share"] for row in rows] == ["0.5", "0.5", "1.0", "0.0", "0.0", "1.0"]
    assert [row["class"] for row in rows[:2]] == ["0.75", "0.25"]
    assert [row["right"] for row in rows] == ["", "", "", "", "0", "1"]
    texts = [cell for row in rows for cell in (row["title"], row["word"])]
    assert not any(cell.startswith(("=", "+", "-", "@")) and not is_number(cell) for cell in texts)
    said = " ".join(word.split())
    found = {row["word"] for row in rows if row["place"] == "1" and row["question"] == "row"}
    assert {each.replace("'", "") for each in found} == {said.replace("'", "")}
