"""Files sent to Streamlit's upload path: bounded, of a session and of all, whatever a request says of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tests.support.coroutines import run_apart
from viz.server import uploads
from viz.server.guard import guards
from viz.server.uploads import Uploads
from viz.shell import uploaded

MB = 2**20


class Server:
    """Streamlit's own store behind the middleware, and a session for each name that is not in `left`."""

    def __init__(self) -> None:
        self.files = MemoryUploadedFileManager("/_stcore/upload_file")
        self.left: set[str] = set()
        self.most_read = 0
        route = Route("/school/_stcore/upload_file/{session}/{file}", self._put, methods=["PUT", "DELETE"])
        self.app = Starlette(routes=[route], middleware=[Middleware(Uploads)])

    async def _put(self, request: Request) -> Response:
        session, file = request.path_params["session"], request.path_params["file"]
        if request.method == "DELETE":
            self.files.remove_file(session, file)
            return Response(status_code=204)
        data = b""
        async for chunk in request.stream():
            data += chunk
            self.most_read = max(self.most_read, len(data))
        self.files.add_file(session, UploadedFileRec(file, "a.npz", "", data))
        return Response(status_code=204)

    def send(self, method: str, session: str, file: str, body: Iterable[bytes], length: str | None) -> int:
        """Send a request, chunk by chunk, and return the status of the answer."""
        chunks, told = iter(body), list[int]()
        path = f"/school/_stcore/upload_file/{session}/{file}"
        headers = [] if length is None else [(b"content-length", length.encode())]

        async def receive() -> dict[str, object]:
            chunk = next(chunks, None)
            return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

        async def send(message: dict[str, object]) -> None:
            told.extend([message["status"]] if "status" in message else [])  # type: ignore[list-item]

        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
        run_apart(self.app(scope, receive, send))  # type: ignore[arg-type]
        return told[0]

    def put(self, session: str, file: str, size: int) -> int:
        return self.send("PUT", session, file, [bytes(size)], str(size))

    @property
    def held(self) -> int:
        return sum(len(each.data) for files in self.files.file_storage.values() for each in files.values())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    instance = SimpleNamespace(uploaded_file_mgr=made.files, is_active_session=lambda name: name not in made.left)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: instance)
    monkeypatch.setattr(uploads, "MOST_OF_SESSION", 3 * MB)
    monkeypatch.setattr(uploads, "MOST_OF_ALL", 8 * MB)
    return made


def test_sixty_files_of_one_session_are_not_held(server: Server) -> None:
    answers = [server.put("one", f"f{number}", MB) for number in range(60)]
    assert answers == [204] * 3 + [413] * 57
    assert server.held <= uploads.MOST_OF_SESSION
    assert server.put("another", "f", MB) == 204


def test_all_sessions_together_are_bounded_and_who_has_left_makes_room(server: Server) -> None:
    assert [server.put(f"s{number}", "f", 2 * MB) for number in range(6)] == [204] * 4 + [413] * 2
    server.left = {"s0", "s1"}
    assert server.put("s4", "f", 2 * MB) == 204
    assert set(server.files.file_storage) == {"s2", "s3", "s4"}
    server.files.remove_session_files("s2")
    assert server.put("s5", "f", 2 * MB) == 204


def test_a_file_that_is_taken_away_makes_room(server: Server) -> None:
    assert server.put("one", "a", 3 * MB) == 204
    assert server.put("one", "b", MB) == 413
    assert server.send("DELETE", "one", "a", [], None) == 204
    assert server.put("one", "b", MB) == 204


def test_empty_files_count(server: Server) -> None:
    answers = [server.put("one", f"f{number}", 0) for number in range(200)]
    assert answers.count(204) <= uploads.MOST_OF_SESSION // uploaded.SMALLEST


@pytest.mark.parametrize("said", ["0", "5", "-1", "99999999999999999999", "a", None])
def test_bytes_are_counted_as_they_come(server: Server, said: str | None) -> None:
    assert server.send("PUT", "one", "f", [bytes(MB // 4)] * 100, said) == 413
    assert server.most_read <= uploads.MOST_OF_SESSION
    assert server.held == 0
    assert server.put("one", "g", MB) == 204


def test_what_is_under_way_counts_and_is_forgotten_when_it_breaks_off(server: Server) -> None:
    guard = Uploads(server.app)
    waiting = asyncio.Event()

    async def two() -> tuple[object, object]:
        scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/one/f", "headers": []}
        sent: list[object] = []

        async def never(_scope: object, receive: object, _send: object) -> None:
            await receive()  # type: ignore[operator]
            waiting.set()
            await asyncio.Event().wait()

        guard._app = never

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": bytes(2 * MB), "more_body": True}

        async def send(message: dict[str, object]) -> None:
            sent.append(message.get("status"))

        first = asyncio.create_task(guard(scope, receive, send))  # type: ignore[arg-type]
        await waiting.wait()
        await guard({**scope, "headers": [(b"content-length", str(2 * MB).encode())]}, receive, send)  # type: ignore[arg-type]
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return sent[0], dict(guard._coming)

    assert run_apart(two()) == (413, {})


def test_it_stands_before_the_app() -> None:
    assert Uploads in [each.cls for each in guards([], first="")]
