"""Change between two answers: counted of those who gave both, whatever else was sent."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from viz.rooms.change import Change, change_of, twins_of
from viz.rooms.room import RoomQuestion
from viz.rooms.store import Store
from viz.rooms.tally import csv_of_room


def asked(stage: str) -> list[RoomQuestion]:
    return [RoomQuestion(f"milk.{stage}.{number}", "Which?", ("a", "b"), True, 1) for number in (1, 2)]


def test_only_whoever_answers_both_times_counts(tmp_path: Path) -> None:
    store = Store(tmp_path / "rooms.sqlite")
    code, key = store.open_room()
    members = [store.join(code) for _ in range(4)]
    before, after = asked("before"), asked("after")
    for stage, answers in ((before, ([1, 0], [0, 1], [1, 0], None)), (after, ([0, 1], [0, 1], None, [0, 1]))):
        shown = store.room(code).counters.shown
        store.ask(code, key, *stage)
        store.ask(code, key, *stage)
        assert store.room(code).counters.shown == shown + 1
        for member, given in zip(members, answers, strict=True):
            if given:
                store.answer(code, member, stage[0].key, given)
    assert twins_of(store.questions(code)) == list(zip(before, after, strict=True))
    both = store.answers_to_both(code, before[0].key, after[0].key)
    change = change_of("Which?", both, 1)
    assert change == Change("Which?", count=2, before=1, after=2)
    assert change_of("", [([0, 0], [0, 1]), ([0.5, 0.5], [0, 1])], 1) == Change("", 0, 0, 0)
    rows = list(csv.DictReader(io.StringIO(csv_of_room([], [], (), {"milk.change.1": change}))))
    assert [(row["question"], row["answers"], row["right_before"], row["right_after"]) for row in rows] == [
        ("milk.change.1", "2", "1", "2")
    ]


def test_steps_of_lessons_and_sentences_are_no_twins() -> None:
    keys = ("milk.1", "row-0123", "sentence-5", "milk.before.3", "x.after.1")
    assert twins_of([RoomQuestion(each) for each in keys]) == []
