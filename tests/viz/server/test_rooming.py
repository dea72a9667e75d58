"""The rooms of a server: browsers are told of changes and of nothing else, and whoever guesses is slowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from viz.rooms.codes import new_code
from viz.rooms.room import Lead, NoRoomError, RoomError
from viz.server.rooming import Rooming, path_of, room_routes, shared_rooming


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
        assert one.receive_json() == two.receive_json() == {"lead": 0, "shown": 0, "members": 0}
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("heads"))
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("heads"))  # the same: nobody is told
        with rooming.telling(room) as store:
            store.join(code)
        for each in (one, two):
            assert [each.receive_json() for _message in range(2)] == [
                {"lead": 1, "shown": 0, "members": 0},
                {"lead": 1, "shown": 0, "members": 1},
            ]
        with rooming.telling(room) as store:
            store.close_room(code, key)
        for each in (one, two):
            assert each.receive_json() == {"over": True}
            with pytest.raises(WebSocketDisconnect):
                each.receive_json()
    with client.websocket_connect(path_of("elsewhere")) as nobody:
        assert nobody.receive_json() == {"over": True}


def test_where_rooms_are_off_browsers_hear_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", "off")
    with pytest.raises(RoomError, match="switched off"):
        shared_rooming()
    with TestClient(Starlette(routes=room_routes())).websocket_connect(path_of("any")) as socket:  # noqa: SIM117
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_the_code_says_which_server(rooming: Rooming) -> None:
    assert rooming.open_room("here")[0].startswith("B")
    assert rooming.lives_elsewhere("AXXXXX")
    assert not rooming.lives_elsewhere("BXXXXX")


def test_whoever_guesses_codes_or_keys_is_slowed(rooming: Rooming) -> None:
    code, key = rooming.open_room("here")
    for _guess in range(10):
        with pytest.raises(NoRoomError):
            rooming.find(new_code("C"), "guesser")
    for act in (lambda: rooming.find(code, "guesser"), lambda: rooming.take_key(code, key, "guesser")):
        with pytest.raises(RoomError, match="Too many codes"):
            act()
    assert rooming.find(code, "student").code == code  # others go on
    for number in range(50):
        with pytest.raises(RoomError, match="not the key"):
            rooming.take_key(code, f"wrong {number}", f"guesser {number}")
    with pytest.raises(RoomError, match="Too many codes"):  # as many as may be wrong in a minute, from anywhere
        rooming.find(code, "student")


def test_so_many_rooms_are_opened_and_answers_sent_in_a_minute(rooming: Rooming) -> None:
    for _room in range(6):
        rooming.open_room("one")
    with pytest.raises(RoomError, match="Too many rooms"):
        rooming.open_room("one")
    rooming.open_room("another")
    for _answer in range(30):
        rooming.check_sending("ann")
    with pytest.raises(RoomError, match="Too much was sent"):
        rooming.check_sending("ann")
    rooming.check_sending("ben")
