"""The service as an ASGI application: whoever serves it, Ray Serve or uvicorn alone, it is the same.

``POST /v1/attend`` and its like take a request (`scale.serve.wire`), as the body or, if it is short, in a header;
``GET /v1/models`` tells what is served, ``GET /health`` whether it is up. What comes in is counted before it is read,
and the token is asked for before that.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from hmac import compare_digest
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.requests import Request as WebRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from models.error_codec import tell
from models.errors import CaptureError, InputError
from models.messages import Message
from models.translation.checkpoints import CheckpointError
from scale.serve import wire
from scale.serve.handler import BusyError, PendingRequest, RequestHandler

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Told

_OF_A_MODEL = (InputError, CaptureError, CheckpointError, KeyError, ValueError)
"""Errors that a model raises on purpose: 422; any other is 500."""

THIS = secrets.token_hex(4)
"""What this process calls itself in its answers, so that one can count who answers."""

Prepare = Callable[[str], Awaitable[object]]


async def _nothing(_key: str) -> None:
    """Load nothing beforehand."""


def _no_port() -> None:
    """Give no port: whoever serves this passes on what comes in."""


class TokenGuard:
    """Stands before the application: who may ask, and how much may come in."""

    def __init__(self, app: ASGIApp, token: str, port: Callable[[], int | None]) -> None:
        self._app, self._token, self._port = app, f"Bearer {token}".encode() if token else b"", port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before anything of it is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self._refused(headers)
        if refused is None:
            await self._app(scope, receive, self._naming_port(send))
        else:
            await refused(scope, receive, send)

    def _naming_port(self, send: Send) -> Send:
        port = self._port()
        if port is None:
            return send
        own = (wire.PORT.encode(), str(port).encode())

        async def sending(message: Told) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], own]
            await send(message)

        return sending

    def _refused(self, headers: dict[bytes, bytes]) -> Response | None:
        if b"origin" in headers:  # a page in a browser, of whatever site, is no client
            return failed(403, wire.RefusedError("browsers are not answered: the pages of the app are for them"))
        if self._token and not compare_digest(headers.get(b"authorization", b""), self._token):
            return failed(401, wire.RefusedError("the token is missing, or is another"))
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > wire.LARGEST:
            return failed(413, too_large())
        return None


def too_large() -> InputError:
    """Return what is said of a request of too many bytes."""
    message = Message("The request has more than {most:,} bytes. Shorten the text.", most=wire.LARGEST)
    return InputError(message)


def failed(status: int, error: BaseException) -> Response:
    """Return an error as an answer."""
    return JSONResponse(tell(error), status, headers={wire.OURS: THIS})


def make_app(
    desk: RequestHandler,
    token: str = "",
    prepare: Prepare = _nothing,
    beforehand: Sequence[str] = (),
    port: Callable[[], int | None] = _no_port,
) -> ASGIApp:
    """Return the application."""

    async def ask(request: WebRequest) -> Response:
        try:
            sent = request.headers.get(wire.SENT)
            data = await _body(request) if sent is None else sent.encode("latin-1")
            wanted = wire.read_request(request.path_params["asked"], data)
        except wire.RefusedError as error:
            return failed(400, error)
        except InputError as error:
            return failed(422, error)
        try:
            await prepare(wanted.key)
            return await _answered(desk.ask(wanted), request)
        except BusyError as error:
            return failed(503, error)
        except _OF_A_MODEL as error:
            return failed(422, error)
        except Exception as error:
            return failed(500, error)

    async def told(_request: WebRequest) -> Response:
        return JSONResponse(
            {"models": list(desk.shelf.keys()), "titles": desk.shelf.titles()}, headers={wire.OURS: THIS}
        )

    async def health(_request: WebRequest) -> Response:
        return JSONResponse({"up": True}, headers={wire.OURS: THIS})

    routes = [
        Route("/v1/{asked}", ask, methods=["POST"]),
        Route("/v1/models", told, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
    ]
    return TokenGuard(Starlette(routes=routes, lifespan=_preparing(prepare, beforehand)), token, port)


def _preparing(prepare: Prepare, keys: Sequence[str]) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """Return what begins with the application: `prepare` is called with `keys`, one after another, while it answers."""

    async def prepare_all() -> None:
        for key in keys:
            with suppress(*_OF_A_MODEL, RuntimeError):  # whoever asks for it is told
                await prepare(key)

    @asynccontextmanager
    async def lifespan(_app: object) -> AsyncIterator[None]:
        preparing = asyncio.create_task(prepare_all())
        yield
        preparing.cancel()

    return lifespan


async def _body(request: WebRequest) -> bytes:
    """Return what came, counted as it comes: who says nothing of its length is stopped, too."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > wire.LARGEST:
            raise too_large()
    return bytes(found)


async def _answered(job: PendingRequest, request: WebRequest) -> Response:
    """Wait for the answer, as long as whoever asked does."""
    answer = asyncio.wrap_future(job.future)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((answer, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            job.left = True
            answer.cancel()
            return Response(status_code=499, headers={wire.OURS: THIS})
        data, milliseconds = answer.result()
    finally:
        leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
    kind = "application/json" if data[:1] in b"[{" else "application/octet-stream"
    return Response(data, media_type=kind, headers={wire.OURS: THIS, wire.MILLISECONDS: f"{milliseconds:.3f}"})


async def _left(request: WebRequest) -> None:
    """Wait until whoever asked has gone."""
    with suppress(ClientDisconnect):
        while (await request.receive())["type"] != "http.disconnect":
            pass
