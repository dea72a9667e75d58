"""Static routes for canvas scripts, cached by the browser."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from threading import Event
from typing import TYPE_CHECKING

import streamlit as st
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from viz.canvas.bundle import bundled
from viz.canvas.parts import FOLDER, parts_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

ROUTE = "attention-bench/canvas"
KEPT = "public, max-age=31536000, immutable"
"""How long a browser keeps a script, whose address names what it holds: a year."""

_served = Event()


def script_routes() -> list[BaseRoute]:
    """Return the routes at which the scripts are served; from now on canvases name them instead of holding them."""
    _served.set()
    return [Route(f"/{ROUTE}/{{name}}/{{digest}}.js", _serve)]


def script_of(name: str) -> str:
    """Return the script of a canvas as a component takes it: one that fetches it, where this server serves it."""
    if not _served.is_set():
        return parts_of(name).script
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    address = f"{base and '/'}{base}/{ROUTE}/{name}/{_digest(name)}.js"
    return f"const ADDRESS = {json.dumps(address)};\n{bundled(FOLDER / 'fetched.js')}"


@cache
def _digest(name: str) -> str:
    return sha256(parts_of(name).script.encode()).hexdigest()[:16]


async def _serve(request: Request) -> Response:
    name, digest = request.path_params["name"], request.path_params["digest"]
    try:
        known = digest == _digest(name)
    except KeyError:
        known = False
    if not known:
        return PlainTextResponse("Not Found", 404)
    return Response(parts_of(name).script, media_type="text/javascript", headers={"Cache-Control": KEPT})
