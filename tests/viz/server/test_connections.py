"""Whoever is slow is closed and makes room: what a client owes a server never keeps others out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from threading import Thread
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from viz.server import connections
from viz.server.connections import bound_connections

MOST = 40
HALF = b"POST /body HTTP/1.1\r\nHost: x\r\n"
OWED = {
    "nothing": b"",
    "a letter": b"G",
    "half a line": b"GET /health HT",
    "half the headers": HALF + b"X-a: ",
    "headers without end": HALF + b"X-a: b\r\n",
    "a body of a length": HALF + b"Content-Length: 500\r\n\r\nhalf",
    "a body in chunks": HALF + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    "a second request": b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n|GET /hea",
    "an early answer's body": b"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf",
    "reading": b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n",
}


async def body(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


ROUTES = [
    Route("/health", lambda _request: PlainTextResponse("up"), methods=["GET", "POST"]),
    Route("/body", body, methods=["POST"]),
    Route("/large", lambda _request: Response(b"0" * 20_000_000)),
]


@contextmanager
def served(http: Any) -> Iterator[int]:
    """Serve on a loop of its own, for at most `MOST` connections, and give the port."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        Starlette(routes=ROUTES), http=http, log_level="critical", limit_concurrency=MOST, timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.force_exit = server.should_exit = True
        thread.join(20)
        listening.close()


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn.Server, "startup", uvicorn.Server.startup)
    bound_connections()


def slow(port: int, sent: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), 20)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    first, _, second = sent.partition(b"|")
    line.sendall(first)
    if second:
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        line.sendall(second)
    return line


def answer(port: int, data: bytes = b"") -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST" if data else "GET", "/body" if data else "/health", data)
    reply = connection.getresponse()
    found = reply.status, reply.read()
    connection.close()
    return found


@pytest.mark.parametrize("http", ["h11", "httptools"])
@pytest.mark.parametrize("owed", OWED)
def test_an_address_that_is_slow_many_times_keeps_nobody_out(bounded: None, http: str, owed: str) -> None:
    with served(http) as port, ExitStack() as kept:
        for _line in range(MOST + 10):
            kept.enter_context(slow(port, OWED[owed]))
        assert answer(port) == (200, b"up")
        assert answer(port, b"x" * 200_000) == (200, b"200000")


class StandingClock:
    """A loop whose clock stands still, as uvloop's does while it accepts several connections."""

    def time(self) -> float:
        return 1000.0

    def call_at(self, *_: Any) -> None:
        """Nobody is late."""


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_of_those_who_came_at_one_moment_the_first_makes_room(
    bounded: None, http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "asyncio", SimpleNamespace(get_running_loop=StandingClock))
    with served(http) as port, ExitStack() as kept:
        for _line in range(MOST + 10):
            kept.enter_context(slow(port, b""))
        for _visitor in range(20):
            assert answer(port) == (200, b"up")


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_whoever_owes_something_is_closed_in_time(bounded: None, http: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SECONDS", 0.2)
    monkeypatch.setattr(connections, "READING", 0.4)
    with served(http) as port, ExitStack() as kept:
        lines = [kept.enter_context(slow(port, sent)) for name, sent in OWED.items() if name != "reading"]
        for line in lines:
            assert _is_closed(line)
        unread = kept.enter_context(slow(port, OWED["reading"]))
        assert _is_let_go(port, unread)


def _is_closed(line: socket.socket) -> bool:
    """Return whether the server closes a line; fails by the timeout of the socket if it does not."""
    try:
        while line.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def _is_let_go(port: int, line: socket.socket) -> bool:
    """Return whether the server has closed a line of which nobody reads the answer: nothing more can be sent on it."""
    until = monotonic() + 20
    while monotonic() < until:
        answer(port)
        try:
            line.send(b"x")
        except (ConnectionResetError, BrokenPipeError):
            return True
    return False


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_a_request_that_comes_slowly_but_steadily_is_answered(
    bounded: None, http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes buy time: what comes in at the least speed, or faster, is not closed however long it takes."""
    monkeypatch.setattr(connections, "SECONDS", 0.1)
    monkeypatch.setattr(connections, "BYTES_A_SECOND", 20_000)
    with served(http) as port, slow(port, HALF + b"Content-Length: 30000\r\n\r\n") as line:
        assert _is_closed(line)
    with served(http) as port, slow(port, HALF + b"Content-Length: 30000\r\n\r\n" + b"x" * 20_000) as line:
        begun = monotonic()
        while monotonic() - begun < 0.5:  # five times what the headers may take
            answer(port)
        line.sendall(b"x" * 10_000)
        assert line.recv(15) == b"HTTP/1.1 200 OK"


def test_bounding_twice_is_bounding_once(bounded: None) -> None:
    once = uvicorn.Server.startup
    bound_connections()
    assert uvicorn.Server.startup is once
