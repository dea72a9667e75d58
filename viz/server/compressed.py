"""ASGI middleware: scripts and styles of Streamlit's client, compressed once and sent so to all."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TEXTS = (".js", ".css")


class Compressed:
    """Compresses the texts below ``/static/``, 2.6 MB of a first visit, which Streamlit sends as they are.

    Streamlit's reason is the processor: compressing them for each visitor takes more of it than they have. What was
    compressed is kept here by the file's ``ETag``, so that no path a visitor makes up takes memory.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        wanted = scope["type"] == "http" and scope["method"] == "GET" and _is_text_of_the_client(scope["path"])
        if not (wanted and "gzip" in Headers(scope=scope).get("accept-encoding", "")):
            await self._app(scope, receive, send)
            return
        start: Message = {}
        parts: list[bytes] = []

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                headers = Headers(raw=message["headers"])
                if message["status"] == 200 and "etag" in headers and "content-encoding" not in headers:
                    start = message
                    return
            if not start or message["type"] != "http.response.body":
                await send(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            headers = MutableHeaders(scope=start)
            body = await self._compressed(headers["etag"], b"".join(parts))
            headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(body))})
            headers.add_vary_header("Accept-Encoding")
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, send_compressed)

    async def _compressed(self, etag: str, text: bytes) -> bytes:
        if etag not in self._kept:
            self._kept[etag] = await asyncio.to_thread(gzip.compress, text)
        return self._kept[etag]


def _is_text_of_the_client(path: str) -> bool:
    return "/static/" in path and "/app/static/" not in path and path.endswith(TEXTS)
