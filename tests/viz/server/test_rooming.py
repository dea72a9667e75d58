"""The rooms of a server: browsers are told of changes and of nothing else, and whoever guesses is slowed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from viz.rooms import room as bounds
from viz.rooms.codes import hash_of, new_code
from viz.rooms.presence import IDLE, Presence
from viz.rooms.room import Counters, Lead, NoRoomError, RoomError, RoomQuestion
from viz.server.room_sockets import path_of, room_routes
from viz.server.rooming import Rooming, open_earlier, shared_rooming


@pytest.fixture
def rooming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rooming:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))
    monkeypatch.setenv("ATTENTION_BENCH_REPLICA", "b")
    return shared_rooming()


def test_a_browser_is_told_what_has_changed_and_when_the_room_is_over(rooming: Rooming) -> None:
    code, key = rooming.open_room("here")
    room = rooming.store.room(code)
    client = TestClient(Starlette(routes=room_routes()))
    with client.websocket_connect(path_of(room.channel)) as one, client.websocket_connect(path_of(room.channel)) as two:
        assert one.receive_json() == two.receive_json() == {"lead": 0, "shown": 0, "members": 0, "awaits": False}
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("heads"))
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("heads"))  # the same: nobody is told
        with rooming.telling(room) as store:
            store.join(code)
        for each in (one, two):
            assert [each.receive_json() for _message in range(2)] == [
                {"lead": 1, "shown": 0, "members": 0, "awaits": False},
                {"lead": 1, "shown": 0, "members": 1, "awaits": False},
            ]
        with rooming.telling(room) as store:
            store.close_room(code, key)
        for each in (one, two):
            assert each.receive_json() == {"over": True}
            with pytest.raises(WebSocketDisconnect):
                each.receive_json()
    with client.websocket_connect(path_of("elsewhere")) as nobody:
        assert nobody.receive_json() == {"over": True}


def test_numbers_that_were_read_earlier_are_never_told_later(rooming: Rooming, monkeypatch: pytest.MonkeyPatch) -> None:
    room = rooming.store.room(rooming.open_room("here")[0])
    read, told, later = rooming.store.counters_of, list[int](), Event()

    def read_slowly(channel: str) -> Counters | None:
        counters = read(channel)
        if counters is not None and counters.members == 1:
            later.wait(1)  # until the next teller is through, if nothing holds it back
        return counters

    def tell(counters: Counters | None) -> None:
        told.append(counters.members if counters else -1)

    def join() -> None:
        with rooming.telling(room) as store:
            store.join(room.code)

    monkeypatch.setattr(rooming.store, "counters_of", read_slowly)
    with rooming.bell.listening(room.channel, tell), ThreadPoolExecutor() as pool:
        first = pool.submit(join)
        while rooming.store.room(room.code).joined == 0:
            pass
        second = pool.submit(join)
        newcomer = pool.submit(rooming.tell_newcomer, room.channel, tell)
        for each in (second, newcomer):
            with suppress(TimeoutError):
                each.result(0.2)
        later.set()
        for each in (first, second, newcomer):
            each.result()
    assert told == sorted(told)
    assert told[-1] == 2


def test_where_rooms_are_off_browsers_hear_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", "off")
    with pytest.raises(RoomError, match="switched off"):
        shared_rooming()
    with TestClient(Starlette(routes=room_routes())).websocket_connect(path_of("any")) as socket:  # noqa: SIM117
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(path: Path) -> Path:
        raise RuntimeError(path)

    monkeypatch.setattr(Path, "expanduser", nobody)
    open_earlier()
    with pytest.raises(RoomError, match="ATTENTION_BENCH_ROOMS"):
        shared_rooming()


def test_the_code_says_which_server(rooming: Rooming) -> None:
    assert rooming.open_room("here")[0].startswith("B")
    assert rooming.lives_elsewhere("AXXXXX")
    assert not rooming.lives_elsewhere("BXXXXX")


@pytest.mark.parametrize("guessed", ["code", "key"])
@pytest.mark.parametrize(("sessions", "tried"), [(1, 30), (30, 30), (700, 1)])
def test_whoever_guesses_is_told_no_more_and_shuts_nobody_out(
    rooming: Rooming, guessed: str, sessions: int, tried: int
) -> None:
    code, key = rooming.open_room("school")
    guess = {
        "code": lambda who: rooming.find(new_code("C"), "school", who),
        "key": lambda who: rooming.take_key(code, "wrong", "school", who),
    }[guessed]
    said = set()
    for number in range(sessions * tried):
        with pytest.raises(RoomError) as wrong:
            guess(f"guesser {number % sessions}")
        said.add(str(wrong.value))
    assert any("Too many wrong codes" in each for each in said)
    for where, session in (("school", "guesser 0"), ("school", "pupil"), ("home", "another")):
        assert rooming.find(code, where, session).code == code
        rooming.take_key(code, key, where, session)


def test_a_wrong_code_beside_somebody_who_guesses_is_told_as_such(rooming: Rooming) -> None:
    for _guess in range(30):
        with pytest.raises(RoomError):
            rooming.find(new_code("C"), "school", "guesser")
    with pytest.raises(NoRoomError):
        rooming.find(new_code("C"), "school", "pupil")


def test_right_codes_and_keys_are_not_counted(rooming: Rooming) -> None:
    code, key = rooming.open_room("school")
    for _visit in range(100):
        rooming.find(code, "school", "pupil")
        rooming.take_key(code, key, "school", "teacher")
    with pytest.raises(NoRoomError):
        rooming.find(new_code("C"), "school", "pupil")


def refused(act: Callable[[int], object]) -> tuple[int, str]:
    """Return how often something is done until it is refused, and what is said then."""
    for number in range(20_000):
        try:
            act(number)
        except RoomError as error:
            return number, str(error)
    return 20_000, ""


def test_a_class_behind_one_address_joins_at_once_and_one_pupil_does_not_fill_the_room(rooming: Rooming) -> None:
    code, _key = rooming.open_room("school")
    members = [rooming.join(code, "school", f"phone {number}") for number in range(40)]
    joined, said = refused(lambda number: rooming.join(code, "school", f"tab {number}"))
    assert (10 < joined < 40, "Too many people joined from here at once. Wait a" in said) == (True, True)
    joined, said = refused(lambda _number: rooming.join(code, "home", "one and the same"))
    assert (joined <= 10, "Too many people joined from here at once. Wait a" in said) == (True, True)
    assert rooming.join(code, "school", "phone 1 again", members[1]) == members[1]  # whoever is in comes back
    rooming.join(code, "elsewhere", "another")
    other, _key = rooming.open_room("school")
    rooming.join(other, "school", "phone of another class")


def test_a_locked_room_lets_its_members_alone_in(rooming: Rooming) -> None:
    code, key = rooming.open_room("school")
    member = rooming.join(code, "school")
    rooming.store.lock(code, key, True)
    assert rooming.store.room(code).is_locked
    for number in range(100):
        with pytest.raises(RoomError, match="accepts no new members"):
            rooming.join(code, "school", f"tab {number}", "a secret of nobody")
        assert rooming.join(code, "school", f"tab {number}", member) == member
    rooming.take_key(code, key, "school")
    rooming.store.lock(code, key, False)
    rooming.join(code, "school")  # those who were refused have used nothing up


def test_in_a_full_room_members_who_are_gone_make_room_and_those_who_listen_stay(
    rooming: Rooming, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_MEMBERS", 3)
    seconds = [0.0]
    rooming.presence = Presence(lambda: seconds[0])
    code, key = rooming.open_room("school")
    there, gone, answered = (rooming.join(code, "school") for _member in range(3))
    rooming.store.ask(code, key, RoomQuestion("q", words=("a",)))
    rooming.store.answer(code, answered, "q", [1])
    client = TestClient(Starlette(routes=room_routes()))
    address = f"{path_of(rooming.store.room(code).channel)}?member={hash_of(there)}"
    with client.websocket_connect(address) as socket:
        socket.receive_json()
        with pytest.raises(RoomError, match="full"):  # all were there a moment ago
            rooming.join(code, "school")
        seconds[0] += IDLE + 1
        new = rooming.join(code, "school")
        assert [rooming.store.is_member(code, each) for each in (there, gone, answered, new)] == [1, 0, 1, 1]
        newer = rooming.join(code, "school")
        assert [rooming.store.is_member(code, each) for each in (there, answered, new, newer)] == [1, 0, 1, 1]
        with pytest.raises(RoomError, match="full"):
            rooming.join(code, "school")


def test_so_many_rooms_are_opened_and_answers_sent_in_a_minute(rooming: Rooming) -> None:
    for _room in range(6):
        rooming.open_room("one")
    with pytest.raises(RoomError, match="Too many rooms"):
        rooming.open_room("one")
    rooming.open_room("another")
    for teacher in range(24):
        rooming.open_room("one", f"teacher {teacher}")
    with pytest.raises(RoomError, match="Too many rooms"):
        rooming.open_room("one", "teacher 24")
    for _answer in range(30):
        rooming.check_sending("ann")
    with pytest.raises(RoomError, match="Too many messages in a minute"):
        rooming.check_sending("ann")
    rooming.check_sending("ben")


def test_one_address_holds_so_many_rooms_and_gets_them_back(rooming: Rooming, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_ROOMS_OF_ADDRESS", 3)
    opened = [rooming.open_room("school") for _room in range(3)]
    with pytest.raises(RoomError, match="This server has reached its limit of rooms"):
        rooming.open_room("school")
    rooming.open_room("another school")
    rooming.store.close_room(*opened[0])
    rooming.open_room("school")


def test_a_room_in_which_too_much_is_sent_stops_no_other(rooming: Rooming) -> None:
    sent, said = refused(lambda number: rooming.check_sending(f"member {number % 298}", "ABCDEF"))
    assert (sent < 5000, "Too many messages in a minute. Wait a moment, then send" in said) == (True, True)
    rooming.check_sending("ben", "UVWXYZ")
