"""An upload that fits is held in memory, by the parser that Streamlit uses."""

from __future__ import annotations

import inspect

import pytest
from starlette.applications import Starlette
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.web.server.starlette import starlette_routes

from viz.shell.spool import HELD_IN_MEMORY, hold_uploads_in_memory

DEFAULT = 2**20


async def where(request: Request) -> PlainTextResponse:
    async with request.form() as form:
        file = form["file"]
        return PlainTextResponse(str(file._in_memory))  # type: ignore[union-attr]


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", DEFAULT)
    return TestClient(Starlette(routes=[Route("/", where, methods=["POST"])]))


def test_streamlit_parses_uploads_with_it() -> None:
    assert ".form()" in inspect.getsource(starlette_routes)
    assert "spool_max_size = 1024 * 1024" in inspect.getsource(MultiPartParser)


def test_a_large_file_would_be_put_on_a_disk_and_is_not(browser: TestClient) -> None:
    files = {"file": bytes(2 * 2**20)}
    assert browser.post("/", files=files).text == "False"
    hold_uploads_in_memory()
    assert browser.post("/", files=files).text == "True"
    assert HELD_IN_MEMORY > 21 * 2**20
