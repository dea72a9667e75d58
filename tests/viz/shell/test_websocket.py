"""Streamlit's client sends bytes, which pass; that text closes a websocket is in `tests/viz/server/test_at_once.py`."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from tests.support.bundle import bundle
from viz.shell.websocket import BytesAlone


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_bytes(await socket.receive_bytes())


def test_the_installed_client_sends_encoded_messages() -> None:
    assert re.search(r"sendMessage\(\w+\)\{[^}]*\.encode\(\w+\)\.finish\(\),\w+=new Uint8Array", bundle())


def test_bytes_pass() -> None:
    browser = TestClient(BytesAlone(Starlette(routes=[WebSocketRoute("/", echo)])))
    with browser.websocket_connect("/") as socket:
        socket.send_bytes(b"a")
        assert socket.receive_bytes() == b"a"
