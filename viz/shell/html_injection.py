"""ASGI middleware: insert a script at the start of `<head>` in Streamlit's page, before its own scripts.

A setting of Streamlit for scripts in its page would replace this file.
"""

from __future__ import annotations

import re
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit
from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

FIRST_PAGE = Path(streamlit.__file__).parent / "static" / "index.html"
"""Streamlit's own page, which holds a script of its own."""

HEAD = b"<head>"
PAGES = (None, "text/html")
"""Types of file that paths may name which Streamlit answers with its page."""
STAMPS = ("etag", "last-modified", "accept-ranges")  # of the file without the script
UNASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""Headers of a request for a page that would have it answered compressed, not at all, or in part."""


class FirstPage:
    """Puts a script at the beginning of the head of every HTML page that is answered."""

    def __init__(self, app: ASGIApp, script: str) -> None:
        self._app, self._script = app, f"<script>{script}</script>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        if guess_type(scope["path"])[0] in PAGES:
            scope = {**scope, "headers": [each for each in scope["headers"] if each[0] not in UNASKED]}
        begun: list[Message] = []
        body = bytearray()

        async def send_with_script(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                begun.append(message)
            elif not begun:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    whole = bytes(body).replace(HEAD, HEAD + self._script, 1)
                    await send(_of_length(begun[0], len(whole)))
                    await send({"type": "http.response.body", "body": whole})

        await self._app(scope, receive, send_with_script)


def inline_scripts(page: str) -> list[str]:
    """Return the scripts that stand in an HTML page itself."""
    return re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)


def _is_page(start: Message) -> bool:
    """Return whether a reply is a whole HTML page, uncompressed."""
    headers = MutableHeaders(scope=start)
    is_html = headers.get("content-type", "").startswith("text/html")
    return bool(start["status"] == 200 and is_html and "content-encoding" not in headers)


def _of_length(start: Message, length: int) -> Message:
    """Return how a reply begins whose body has become longer."""
    headers = MutableHeaders(scope=start)
    headers["content-length"] = str(length)
    for name in STAMPS:
        del headers[name]
    return start
