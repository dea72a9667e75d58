"""ASGI middleware: limit the bytes of uploads per session and in all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from viz.shell.addresses import UPLOADS
from viz.shell.uploaded import SMALLEST, held_by_session, let_go_of_the_left

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_OF_SESSION = 64 * 2**20
"""Bytes: three times what a page shows at once."""

MOST_OF_ALL = 256 * 2**20


class Uploads:
    """Answers an upload with 413 as soon as it is more than may be held; what it says of its length is not believed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: Counter[str] = Counter()  # bytes by session, of uploads that are under way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or UPLOADS not in scope["path"] or scope["method"] not in ("PUT", "POST"):
            await self._app(scope, receive, send)
            return
        session = scope["path"].partition(UPLOADS)[2].partition("/")[0]
        length = dict(scope["headers"]).get(b"content-length", b"0")
        said = int(length) if length.isdigit() and len(length) < 16 else MOST_OF_ALL
        if not self._fits(session, max(said, SMALLEST)):
            await PlainTextResponse("Too many bytes of files are held.", 413)(scope, receive, send)
            return
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            size = len(message.get("body", b""))
            came += size
            self._coming[session] += size
            if not self._fits(session, 0):
                raise HTTPException(413)
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            self._coming[session] -= came
            self._coming += Counter()  # forgets sessions of which nothing is under way

    def _fits(self, session: str, more: int) -> bool:
        """Return whether so many bytes more may be held; files of visitors who left make room."""
        held = Counter(held_by_session()) + self._coming
        if held.total() + more > MOST_OF_ALL:
            let_go_of_the_left()
            held = Counter(held_by_session()) + self._coming
        return held[session] + more <= MOST_OF_SESSION and held.total() + more <= MOST_OF_ALL
