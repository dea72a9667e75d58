"""ASGI middleware: limit concurrent requests and websockets per address; refuse text frames."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

from viz.server.connections import MOST
from viz.shell.websocket import BytesAlone

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TRY_LATER = 1013
"""Code with which a websocket is closed."""


class AtOnce:
    """Refuses what an address asks for while it has `most` answers and websockets open; a school has one address."""

    def __init__(self, app: ASGIApp, most: int = MOST) -> None:
        self._app, self._most = app, most
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or what is said on a websocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        address = (scope.get("client") or ("",))[0]
        if self._open[address] >= self._most:
            await _refuse(scope, receive, send)
            return
        self._open[address] += 1
        try:
            answering = self._app if scope["type"] == "http" else BytesAlone(self._app)
            await answering(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await PlainTextResponse("Too many connections from this address", 503)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": TRY_LATER})
