"""Rooms in a file: what one is told is what was sent, the teacher alone leads, nothing stays of what is cleared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viz.lessons.document import LARGEST
from viz.rooms import room as bounds
from viz.rooms.room import DAY, HOUR, Lead, NoRoomError, RoomError, RoomQuestion
from viz.rooms.store import Store

ASKED = RoomQuestion("milk.1", "Milk, step 1", ("a", "b", "c"), model=(0.5, 0.25, 0.25))
HEIGHTS = st.lists(st.floats(0, 1, width=32), min_size=3, max_size=3)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "rooms.sqlite"


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    made = Store(path, clock=clock)
    yield made
    made.close()


def test_a_room_leads_its_members_and_counts_what_changes(store: Store) -> None:
    code, key = store.open_room()
    ann = store.join(code)
    assert store.join(code, ann) == ann
    ben = store.join(code, "a secret of nobody")
    assert store.room(code).joined == 2
    before = store.room(code).counters
    lead = Lead("heads", {"sentence": "我爱吃苹果。", "heads0": "0 1"})
    store.lead(code, key, lead)
    store.lead(code, key, lead)
    room = store.room(code)
    assert room.lead == lead
    assert room.counters.lead == before.lead + 1
    assert store.counters_of(room.channel) == room.counters
    assert store.counters_of("elsewhere") is None
    store.follow(code, ben, False)
    assert (store.follows(code, ann), store.follows(code, ben)) == (True, False)
    store.leave(code, ben)
    assert not store.is_member(code, ben)


def test_what_is_asked_is_answered_until_it_is_revealed(store: Store) -> None:
    code, key = store.open_room()
    ann, ben = store.join(code), store.join(code)
    with pytest.raises(RoomError, match="This question is no longer open"):
        store.answer(code, ann, ASKED.key, [1, 0, 0])
    store.ask(code, key, RoomQuestion(ASKED.key))
    shown = store.room(code).counters.shown
    store.ask(code, key, ASKED)
    assert store.room(code).counters.shown == shown  # what it is about changes nothing for those who are asked
    assert store.questions(code) == [ASKED]
    store.answer(code, ann, ASKED.key, [1, 0, 0])
    store.answer(code, ann, ASKED.key, [0, 1, 0.5])
    store.answer(code, ben, ASKED.key, [1, 0, 0])
    assert store.answer_of(code, ann, ASKED.key) == (0, 1, 0.5)
    assert store.room(code).answered == 2
    assert sorted(store.answers(code, ASKED.key)) == [[0, 1, 0.5], [1, 0, 0]]
    with pytest.raises(RoomError, match="This question is no longer open"):
        store.answer(code, "nobody", ASKED.key, [1, 0, 0])
    store.reveal(code, key, ASKED.key)
    with pytest.raises(RoomError, match="This question is no longer open"):
        store.answer(code, ann, ASKED.key, [0, 0, 1])
    store.reveal(code, key, ASKED.key, revealed=False)
    assert store.answers(code, ASKED.key) == []
    store.answer(code, ann, ASKED.key, [0, 0, 1])


def test_a_step_that_asks_nothing_is_revealed_and_nobody_is_asked(store: Store) -> None:
    code, key = store.open_room()
    store.reveal(code, key, "milk.3")
    assert store.question(code, "milk.3") == RoomQuestion("milk.3", revealed=True)
    assert store.room(code).asked == ""


def test_a_room_carries_one_lesson_as_it_was_uploaded(store: Store, path: Path, clock: Clock) -> None:
    (code, key), (other, other_key) = store.open_room(), store.open_room()
    assert (store.room(code).lesson, store.lesson(code)) == ("", b"")
    store.carry(code, key, "uploaded-1", b"\xff one")
    store.carry(other, other_key, "uploaded-2", b"other")
    store.carry(code, key, "uploaded-1", b"of the same name: the same lesson")
    again = Store(path, clock=clock)
    assert (again.room(code).lesson, again.lesson(code)) == ("uploaded-1", b"\xff one")
    again.close()
    store.carry(code, key, "uploaded-3", b"three")
    assert (store.room(code).lesson, store.lesson(code)) == ("uploaded-3", b"three")
    assert store.lesson(other) == b"other"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf"), -0.5, 1.5])
def test_what_is_no_number_from_0_to_1_is_no_answer(store: Store, wrong: float) -> None:
    code, key = store.open_room()
    ann = store.join(code)
    store.ask(code, key, ASKED)
    with pytest.raises(RoomError, match="numbers from 0 to 1"):
        store.answer(code, ann, ASKED.key, [1, wrong, 0])
    assert store.answer_of(code, ann, ASKED.key) is None
    assert store.answers(code, ASKED.key) == []


def test_nothing_of_a_teachers_is_done_with_another_key(store: Store) -> None:
    (code, key), (other, other_key) = store.open_room(), store.open_room()
    store.ask(code, key, ASKED)
    kept = store.room(code)
    for wrong in ("", "x" * 5000, other_key, code, store.join(other)):
        assert not store.is_teacher(code, wrong)
        for act in (
            lambda wrong=wrong: store.lead(code, wrong, Lead("bench")),
            lambda wrong=wrong: store.ask(code, wrong, RoomQuestion("else")),
            lambda wrong=wrong: store.reveal(code, wrong, ASKED.key),
            lambda wrong=wrong: store.carry(code, wrong, "uploaded-1", b"file"),
            lambda wrong=wrong: store.lock(code, wrong, True),
            lambda wrong=wrong: store.close_room(code, wrong),
        ):
            with pytest.raises(RoomError, match="Only the teacher of this room can do this"):
                act()
    assert not store.is_teacher("AAAAAA", "")
    assert store.room(code) == kept
    assert store.is_teacher(code, key)


def test_of_a_room_that_is_closed_or_old_nothing_stays_on_the_disk(store: Store, path: Path, clock: Clock) -> None:
    (closed, key), (old, old_key) = store.open_room(), store.open_room()
    for code, of in ((closed, key), (old, old_key)):
        store.lead(code, of, Lead("bench", {"sentence": "unmistakable words"}))
        store.ask(code, of, RoomQuestion("q", words=("unmistakable",)))
        store.carry(code, of, "uploaded-1", b"title: unmistakable")
        store.answer(code, store.join(code), "q", [0.123])
    assert any(b"unmistakable" in each.read_bytes() for each in path.parent.iterdir())
    store.close_room(closed, key)
    with pytest.raises(NoRoomError):
        store.room(closed)
    clock.now += DAY + 1
    with pytest.raises(NoRoomError):
        store.room(old)
    with pytest.raises(NoRoomError):
        store.lead(old, old_key, Lead("bench"))
    assert len(store.clear_old()) == 1
    assert not any(b"unmistakable" in each.read_bytes() for each in path.parent.iterdir())


def test_a_server_that_is_killed_loses_nothing_and_its_keys_are_in_no_file(path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from viz.rooms.store import Store; "
        "from viz.rooms.room import Lead, RoomQuestion\n"
        f"store = Store(Path({str(path)!r})); code, key = store.open_room(); member = store.join(code)\n"
        "store.lead(code, key, Lead('bench', {'sentence': 'kept'})); store.ask(code, key, RoomQuestion('q'))\n"
        "store.answer(code, member, 'q', [0.5]); store.follow(code, member, False)\n"
        "sys.stdout.write(f'{code} {key} {member}'); sys.stdout.flush(); os.kill(os.getpid(), 9)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stdout
    code, key, member = said.split()
    assert not any(each.encode() in file.read_bytes() for each in (key, member) for file in path.parent.iterdir())
    store = Store(path)
    assert store.room(code).lead == Lead("bench", {"sentence": "kept"})
    assert store.is_teacher(code, key)
    assert store.answer_of(code, member, "q") == (0.5,)
    assert not store.follows(code, member)
    assert path.stat().st_mode & 0o077 == 0
    store.close()


def test_all_sizes_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    code, key = store.open_room()
    other, other_key = store.open_room()
    most = {"MOST_ROOMS": 2, "MOST_MEMBERS": 1, "MOST_QUESTIONS": 1, "MOST_LESSON_BYTES": LARGEST + 5}
    for name, number in most.items():
        monkeypatch.setattr(bounds, name, number)
    member = store.join(code)
    store.ask(code, key, ASKED)
    store.carry(other, other_key, "uploaded-1", b"a" * LARGEST)
    store.carry(code, key, "uploaded-1", b"a" * 5)
    for act, said in (
        (store.open_room, "This server has reached its limit of rooms. Try again"),
        (lambda: store.join(code), "full"),
        (lambda: store.ask(code, key, RoomQuestion("another")), "This room has reached its limit of questions. Open"),
        (lambda: store.reveal(code, key, "another"), "This room has reached its limit of questions. Open"),
        (lambda: store.carry(code, key, "uploaded-2", b"a" * 6), "no space for another lesson"),
        (lambda: store.carry(other, other_key, "uploaded-2", b"a" * (LARGEST + 1)), "no space for another lesson"),
        (lambda: store.ask(code, key, RoomQuestion(ASKED.key, words=("long " * 9000,))), "too long"),
        (lambda: store.lead(code, key, Lead("bench", {"sentence": "字" * 100_001})), "too long"),
        (lambda: store.answer(code, member, ASKED.key, [0.125] * 2000), "too long"),
    ):
        with pytest.raises(RoomError, match=said):
            act()


def refused(act: Callable[[int], object]) -> tuple[int, str]:
    """Return how often something is done until it is refused, and what is said then."""
    for number in range(20_000):
        try:
            act(number)
        except RoomError as error:
            return number, str(error)
    return 20_000, ""


def test_what_is_asked_and_answered_in_a_room_is_bounded_and_given_back(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_ROOM_BYTES", 200_000)
    (code, key), (other, other_key) = store.open_room(), store.open_room()
    member = store.join(code)
    size = sum(each.stat().st_size for each in path.parent.iterdir())
    kept, said = refused(lambda number: store.ask(code, key, RoomQuestion(f"q{number}", words=("字" * 1000,))))
    assert (0 < kept < 70, "This room is full. Open another one" in said) == (True, True)
    store.answer(code, member, "q0", [0.125] * 10)
    kept, said = refused(lambda number: store.answer(code, store.join(code), f"q{number % 3}", [0.125] * 1000))
    assert (kept < 10, "This room is full. Open another one" in said) == (True, True)
    store.ask(other, other_key, ASKED)
    assert sum(each.stat().st_size for each in path.parent.iterdir()) > size + 150_000
    store.close_room(code, key)
    assert path.stat().st_size < size
    store.ask(other, other_key, RoomQuestion("another"))


def test_the_file_is_bounded_and_what_is_closed_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_FILE_BYTES", 300_000)
    path = tmp_path / "rooms.sqlite"
    store, rooms = Store(path), []

    def fill(number: int) -> None:
        rooms.append(store.open_room())
        store.lead(*rooms[-1], Lead("bench", {"sentence": f"{number}" * 10_000}))

    kept, said = refused(fill)
    assert (0 < kept < 40, "This server cannot save rooms (" in said) == (True, True)
    assert path.stat().st_size <= 300_000
    assert store.room(rooms[0][0]).lead is not None
    store.close_room(*rooms[0])
    store.lead(*rooms[-1], Lead("bench", {"sentence": "a" * 5_000}))
    store.close()


def test_rooms_that_nobody_joins_make_room_after_an_hour_oldest_first(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_ROOMS", 4)
    codes = []
    for _room in range(4):
        codes.append(store.open_room()[0])
        clock.now += 1
    store.join(codes[0])
    with pytest.raises(RoomError, match="This server has reached its limit of rooms"):
        store.open_room()
    clock.now += HOUR - 3
    codes.append(store.open_room()[0])
    assert store.codes() == {codes[each] for each in (0, 2, 3, 4)}
    with pytest.raises(RoomError, match="This server has reached its limit of rooms"):
        store.open_room()
    clock.now += HOUR
    for _room in range(3):
        codes.append(store.open_room()[0])
    assert store.codes() == {codes[each] for each in (0, 5, 6, 7)}


@pytest.mark.skipif(os.name != "posix", reason="folders that nobody may write")
@pytest.mark.parametrize("place", ["/proc/nowhere/rooms.sqlite", "/dev/null/rooms.sqlite", "/"])
def test_a_disk_that_takes_nothing_is_said(place: str) -> None:
    with pytest.raises(RoomError, match=r"This server cannot save rooms \(.+\)"):
        Store(Path(place))


def test_a_file_that_is_none_of_ours_is_said_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are no rooms " * 100, encoding="utf8")
    with pytest.raises(RoomError, match="This server cannot save rooms"):
        Store(path)
    assert path.read_text(encoding="utf8").startswith("these are no rooms")


def test_forty_at_once_are_all_counted(store: Store) -> None:
    code, key = store.open_room()
    store.ask(code, key, ASKED)
    failed: list[Exception] = []

    def visit() -> None:
        try:
            store.answer(code, store.join(code), ASKED.key, [0, 0, 1])
        except Exception as error:
            failed.append(error)

    threads = [Thread(target=visit) for _student in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    assert store.room(code).answered == len(store.answers(code, ASKED.key)) == 40


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    actions=st.lists(
        st.tuples(
            st.integers(0, 1),
            st.one_of(
                st.tuples(st.just("answer"), st.integers(0, 2), HEIGHTS),
                st.tuples(st.just("reveal"), st.booleans(), st.none()),
                st.tuples(st.just("lead"), st.text(max_size=20), st.none()),
                st.tuples(st.just("leave"), st.integers(0, 2), st.none()),
            ),
        ),
        max_size=20,
    )
)
def test_two_rooms_know_nothing_of_each_other_whatever_is_done(actions: list, store: Store) -> None:  # type: ignore[type-arg]
    rooms = [store.open_room() for _room in range(2)]
    members = [[store.join(code) for _member in range(3)] for code, _key in rooms]
    answers: list[dict[int, list[float]]] = [{}, {}]
    revealed, leads = [False, False], ["", ""]
    for code, key in rooms:
        store.ask(code, key, ASKED)
    for which, (kind, what, heights) in actions:
        code, key = rooms[which]
        if kind == "reveal":
            store.reveal(code, key, ASKED.key, revealed=what)
            revealed[which] = what
            answers[which] = answers[which] if what else {}
        elif kind == "lead":
            store.lead(code, key, Lead("bench", {"sentence": what}))
            leads[which] = what
        elif kind == "leave":
            store.leave(code, members[which][what])
            members[which][what] = store.join(code)
            answers[which].pop(what, None)
        elif not revealed[which]:
            store.answer(code, members[which][what], ASKED.key, heights)
            answers[which][what] = [round(each, 3) for each in heights]
    for which, (code, key) in enumerate(rooms):
        for member in range(3):
            found = store.answer_of(code, members[which][member], ASKED.key)
            assert (None if found is None else list(found)) == answers[which].get(member)
        assert store.room(code).answered == len(answers[which])
        lead = store.room(code).lead
        assert (lead.link["sentence"] if lead else "") == leads[which]
        store.close_room(code, key)
