"""What one address may have open at once; and a real server of pages, which rubbish neither blocks nor makes talk."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.support.browsing import free_port, wait_until_it_answers
from viz.server.at_once import TRY_LATER, AtOnce
from viz.server.connections import MOST
from viz.shell.websocket import UNSUPPORTED

ROOT = Path(__file__).parents[3]
APP = """
from pathlib import Path
import streamlit as st
from viz.server.connections import bound_connections
from viz.server.guard import guards

if __name__ == "__main__":
    st.write("page")
else:
    bound_connections()
    app = st.App(Path(__file__), middleware=guards([], first=""))
"""


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_bytes(await socket.receive_bytes())


def visitor(app: Any, address: str) -> TestClient:
    return TestClient(app, client=(address, 5000))


def test_an_address_that_has_too_much_open_is_refused_and_others_are_not() -> None:
    routes = [Route("/", lambda _request: PlainTextResponse("page")), WebSocketRoute("/socket", echo)]
    app = AtOnce(Starlette(routes=routes), most=2)
    one, other = visitor(app, "10.0.0.1"), visitor(app, "10.0.0.2")
    for _again in range(3):  # what is over is given back
        with one.websocket_connect("/socket") as first, one.websocket_connect("/socket"):
            assert one.get("/").status_code == 503
            with pytest.raises(WebSocketDisconnect) as refused, one.websocket_connect("/socket"):
                pass
            assert refused.value.code == TRY_LATER
            assert other.get("/").text == "page"
            first.send_bytes(b"x")
            assert first.receive_bytes() == b"x"
        assert one.get("/").text == "page"


def test_text_on_a_websocket_closes_it_and_raises_nothing() -> None:
    client = visitor(AtOnce(Starlette(routes=[WebSocketRoute("/socket", echo)])), "10.0.0.1")
    with client.websocket_connect("/socket") as socket:
        socket.send_text("text")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_bytes()
        assert closed.value.code == UNSUPPORTED


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Give the port and the log of a real server, of an app of one word behind the guards."""
    folder, port = tmp_path_factory.mktemp("app"), free_port()
    (folder / "app.py").write_text(APP)
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py"), f"--server.port={port}"]
    options = {"server.address": "127.0.0.1", "server.enableAgentApi": "true", "browser.gatherUsageStats": "false"}
    options |= {"server.headless": "true", "server.fileWatcherType": "none"}
    command += [f"--{name}={value}" for name, value in options.items()]
    log = folder / "log"
    with (
        log.open("wb") as written,
        subprocess.Popen(
            command, cwd=folder, env={"PYTHONPATH": str(ROOT), "HOME": str(folder)}, stdout=written, stderr=written
        ) as running,
    ):
        try:
            wait_until_it_answers(running, f"http://127.0.0.1:{port}")
            yield port, log
        finally:
            running.terminate()
            running.wait(20)


def status_of(port: int, path: str, method: str = "GET") -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_half_sent_requests_of_one_address_keep_nobody_out(server: tuple[int, Path]) -> None:
    port, _log = server
    with ExitStack() as kept:
        lines = [kept.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _line in range(MOST + 10)]
        for line in lines:
            with suppress(ConnectionError):  # the first have made room
                line.sendall(b"POST /_stcore/upload_file/x HTTP/1.1\r\nHost: x\r\nX-a: ")
        assert status_of(port, "/_stcore/health") == 200
        with suppress(ConnectionResetError):
            assert lines[0].recv(1) == b""


SHUT_DOWN = BackMsg(debug_shutdown_runtime=True).SerializeToString()
FRAMES: dict[str, str | bytes] = {
    "text": "text",
    "a long text": "text" * 10_000,
    "no message": b"\xff" * 100,
    "what only developers may ask": SHUT_DOWN,
    "an empty message": b"",
}


@pytest.mark.parametrize("kind", FRAMES)
def test_no_frame_of_a_visitor_fills_the_log(server: tuple[int, Path], kind: str) -> None:
    port, log = server
    before = log.stat().st_size
    for _connection in range(40):
        with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"]) as line:  # type: ignore[list-item]
            try:
                for _frame in range(50):
                    line.send(FRAMES[kind])
            except ConnectionClosed:
                pass
    assert status_of(port, "/_stcore/health") == 200
    assert log.stat().st_size - before < 20_000
    if kind in ("text", "a long text"):
        assert b"text frames" not in log.read_bytes()


@pytest.mark.parametrize("before", ["", "/page"])
@pytest.mark.parametrize("path", ["interact", "openapi.json", "mcp", "mcp/", "", "anything"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_program_drives_the_app(server: tuple[int, Path], before: str, path: str, method: str) -> None:
    """Not even where Streamlit's own option lets it."""
    assert status_of(server[0], f"{before}/_stcore/agent/{path}", method) == 404


def test_health_says_no_more_than_ok(server: tuple[int, Path]) -> None:
    connection = HTTPConnection("127.0.0.1", server[0], timeout=20)
    connection.request("GET", "/_stcore/health")
    assert connection.getresponse().read() == b"ok"
    connection.close()
