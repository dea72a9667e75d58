"""ASGI middleware: close a websocket on which text comes, which Streamlit answers with an error that goes to the log.

Streamlit's client sends bytes alone; a quiet refusal of text by its server would replace this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

UNSUPPORTED = 1003
"""Code with which a websocket is closed."""


class BytesAlone:
    """Closes a websocket on which text comes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is said."""
        closed = False

        async def receive_bytes() -> Message:
            nonlocal closed
            message = await receive()
            if message["type"] != "websocket.receive" or message.get("bytes") is not None:
                return message
            closed = True
            await send({"type": "websocket.close", "code": UNSUPPORTED})
            return {"type": "websocket.disconnect", "code": UNSUPPORTED}

        async def send_if_open(message: Message) -> None:
            if not closed:
                await send(message)

        await self._app(scope, receive_bytes, send_if_open)
