"""Websockets that listen to rooms: our own pages alone, so many of each, and a place that is left is another's."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.support.coroutines import run_apart
from viz.rooms.codes import hash_of
from viz.rooms.room import Counters, Lead
from viz.server import room_sockets
from viz.server.room_sockets import listen, path_of, room_routes
from viz.server.rooming import Rooming, shared_rooming

OTHERS = (
    "http://evil.example",
    "http://testserver.evil.example",
    "http://testserver@evil.example",
    "http://evil.example/testserver",
    "http://evil.example?testserver",
    "http://testserver:81",
    "null",
    "",
    "file://",
    "http://[",
    "testserver",
)


@pytest.fixture
def rooming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rooming:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))
    return shared_rooming()


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=room_routes()))


def hears(client: TestClient, path: str, stack: ExitStack) -> bool:
    """Return whether a new websocket, which the stack closes, is told something."""
    socket = stack.enter_context(client.websocket_connect(path))
    try:
        socket.receive_json()
    except WebSocketDisconnect:
        return False
    return True


@pytest.mark.parametrize("origin", OTHERS)
def test_a_page_of_another_site_hears_nothing(rooming: Rooming, client: TestClient, origin: str) -> None:
    path = path_of(rooming.store.room(rooming.open_room("school")[0]).channel)
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path, headers={"origin": origin}):
        pass


@pytest.mark.parametrize("headers", [{}, {"origin": "http://testserver"}, {"origin": "https://testserver"}])
def test_our_own_page_hears_whatever_is_before_the_server(
    rooming: Rooming, client: TestClient, headers: dict[str, str]
) -> None:
    path = path_of(rooming.store.room(rooming.open_room("school")[0]).channel)
    with client.websocket_connect(path, headers=headers) as socket:
        assert socket.receive_json()["lead"] == 0


def test_nobody_takes_more_places_than_theirs_and_each_is_given_back(
    rooming: Rooming, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_sockets, "MOST_OF_OTHERS", 3)
    code, key = rooming.open_room("school")
    path = path_of(rooming.store.room(code).channel)
    secrets = (rooming.join(code, "school"), rooming.join(code, "school"), key)
    for _again in range(3):
        with ExitStack() as stack:
            made_up = [hears(client, f"{path}?member={number}", stack) for number in range(20)]
            assert made_up == [True] * 3 + [False] * 17
            for each in secrets:
                heard = [hears(client, f"{path}?member={hash_of(each)}", stack) for _tab in range(6)]
                assert heard == [True] * room_sockets.MOST_OF_MEMBER + [False] * 2
    assert not rooming.sockets._open
    assert not rooming.presence._listening


def test_a_browser_that_takes_nothing_has_little_waiting(rooming: Rooming) -> None:
    code, _key = rooming.open_room("school")
    channel = rooming.store.room(code).channel
    sent: list[str] = []

    async def run() -> None:
        stuck, left = asyncio.Event(), asyncio.Event()

        async def send_text(text: str) -> None:
            sent.append(text)
            await stuck.wait()

        async def leave() -> dict[str, str]:
            await left.wait()
            return {"type": "websocket.disconnect"}

        async def nothing(*_what: Any) -> None:
            """Take what is said, and say nothing."""

        socket: Any = SimpleNamespace(
            headers={},
            path_params={"channel": channel},
            query_params={},
            client=None,
            accept=nothing,
            close=nothing,
            receive=leave,
            send_text=send_text,
        )
        task = asyncio.create_task(listen(lambda: rooming, socket))
        while not sent:
            await asyncio.sleep(0)
        for number in range(1000):
            rooming.bell.ring(channel, Counters(lead=number))
        await asyncio.sleep(0)
        stuck.set()
        while f'"lead": {999}' not in sent[-1]:
            await asyncio.sleep(0)
        left.set()
        await task

    run_apart(run())
    assert len(sent) <= room_sockets.MOST_UNREAD + 2


def test_pictures_go_to_the_pages_that_look_as_theirs_and_after_their_numbers(
    rooming: Rooming, client: TestClient
) -> None:
    code, key = rooming.open_room("school")
    room = rooming.store.room(code)
    with ExitStack() as stack:
        said = ("desk", "phone", "")
        sockets = [stack.enter_context(client.websocket_connect(path_of(room.channel))) for _each in said]
        for socket, sight in zip(sockets, said, strict=True):
            assert socket.receive_json()["lead"] == 0
            socket.send_bytes(sight.encode())
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("bench", {"sentence": "one"}))
            rooming.pictures.begin(room.channel, 1, "desk", {"maps": b"wide"})
        told = [socket.receive_json() for socket in sockets]
        assert [(each["lead"], each["awaits"]) for each in told] == [(1, True), (1, False), (1, False)]
        assert sockets[0].receive_bytes().endswith(b"wide")
        rooming.pictures.share(room.channel, 1, "phone", {"maps": b"narrow"})
        with rooming.telling(room):
            """Nothing has changed but that there are pictures."""
        assert sockets[1].receive_bytes().endswith(b"narrow")
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("training"))
            rooming.pictures.begin(room.channel, 2, "desk", {})
        told = [socket.receive_json() for socket in sockets]
        assert [(each["lead"], each["awaits"]) for each in told] == [(2, False)] * 3
        with rooming.telling(room) as store:
            store.lead(code, key, Lead("heads"))
        told = [socket.receive_json() for socket in sockets]
        assert [(each["lead"], each["awaits"]) for each in told] == [(3, False)] * 3, "no picture came in between"
