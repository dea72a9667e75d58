"""Security headers of every reply, and paths that answer nobody. See docs/security.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse

from viz.server.at_once import AtOnce
from viz.server.compressed import Compressed
from viz.server.configuration import ConfigurationError, configuration
from viz.server.logs import bound_logs
from viz.server.uploads import Uploads
from viz.shell.addresses import AGENT, METRICS
from viz.shell.html_injection import FIRST_PAGE, FirstPage, inline_scripts
from viz.shell.spool import hold_uploads_in_memory
from viz.text.policy import hash_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # sentences stand in links
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()",
}


def policy(inline: Iterable[str], framed_by: Iterable[str]) -> str:
    """Return the content security policy: nothing from elsewhere, and of scripts in a page only those known here.

    Components bring their scripts as blobs, and styles stand in the page, as Streamlit makes both.
    """
    parts = {
        "default-src": "'self'",
        "script-src": " ".join(("'self'", "blob:", "'wasm-unsafe-eval'", *map(hash_of, inline))),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(("'self'", *framed_by)),
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


class Guard:
    """Puts the headers on every reply, and answers what nobody should ask with 404."""

    def __init__(self, app: ASGIApp, headers: dict[str, str], *, metrics: bool) -> None:
        self._app, self._headers, self._metrics = app, headers, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        path = scope["path"].rstrip("/")
        hidden = AGENT in path or (path.endswith(METRICS) and not (self._metrics and _is_local(scope)))
        answering = PlainTextResponse("Not Found", 404) if hidden else self._app
        await answering(scope, receive, send_with_headers)


def _is_local(scope: Scope) -> bool:
    """Return whether a request was made on this machine, by nobody for others."""
    names = {name for name, _value in scope["headers"]}
    return (scope["client"] or ("",))[0] in ("127.0.0.1", "::1") and not names & {b"x-forwarded-for", b"forwarded"}


def guards(inline: Iterable[str], *, first: str) -> list[Middleware]:
    """Return what stands before the app; ends the start if the server is set up wrongly."""
    try:
        said = configuration()
    except ConfigurationError as error:
        raise SystemExit(str(error)) from error
    bound_logs()
    hold_uploads_in_memory()
    scripts = (*inline_scripts(FIRST_PAGE.read_text(encoding="utf8")), first, *inline)
    headers = {"Content-Security-Policy": policy(scripts, said.framed_by), **HEADERS}
    before = [Middleware(AtOnce), Middleware(Uploads), Middleware(Compressed), Middleware(FirstPage, first)]
    return [Middleware(Guard, headers, metrics=said.metrics), *before]
