"""Websockets of rooms: same origin only, limited per member and address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from viz.rooms.room import Counters, RoomError
from viz.server.rooming import Rooming, open_earlier, shared_rooming

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

ROUTE = "attention-bench/rooms"
"""What the address begins with at which a browser listens, before the room's channel."""

MOST_OF_MEMBER, MOST_OF_OTHERS = 4, 64
"""Websockets at once: tabs of one member or teacher, and those of an address by nobody who is known."""

FORBIDDEN, TRY_LATER = 1008, 1013
"""Codes with which a websocket is closed."""

MOST_UNREAD = 16
"""Numbers that wait for a browser, at most: the oldest are left out."""

_OVER = json.dumps({"over": True})


def is_from_here(socket: WebSocket) -> bool:
    """Return whether a websocket is opened by a page of this server, or by no page of a browser."""
    origin = socket.headers.get("origin")
    if origin is None or origin in st.get_option("server.corsAllowedOrigins"):
        return True
    try:
        of = urlsplit(origin)
        named = of.hostname == st.get_option("browser.serverAddress")  # a proxy may name another host to the server
    except ValueError:
        return False
    return bool(of.netloc) and (named or of.netloc == socket.headers.get("host"))


async def listen(rooms: Callable[[], Rooming], socket: WebSocket) -> None:
    """Tell a browser the counters of a room now, and whenever one of them changes, until it leaves."""
    if not is_from_here(socket):
        await socket.close(FORBIDDEN)
        return
    await socket.accept()
    channel, member = socket.path_params["channel"], socket.query_params.get("member", "")
    try:
        rooming = rooms()
        is_known = await asyncio.to_thread(rooming.store.knows, channel, member)
        who = member if is_known else f"from {socket.client.host if socket.client else ''}"
        with rooming.sockets.place(who, MOST_OF_MEMBER if is_known else MOST_OF_OTHERS) as is_left:
            if is_left:
                with rooming.presence.listening(who):
                    await _tell(socket, rooming, channel)
            else:
                await socket.close(TRY_LATER)
    except RoomError:
        await socket.close()


async def _tell(socket: WebSocket, rooming: Rooming, channel: str) -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Queue[Counters | None]()

    def put(counters: Counters | None) -> None:
        if told.qsize() >= MOST_UNREAD:
            told.get_nowait()
        told.put_nowait(counters)

    def tell(counters: Counters | None) -> None:
        with suppress(RuntimeError):  # the server is ending
            loop.call_soon_threadsafe(put, counters)

    with rooming.bell.listening(channel, tell):
        await asyncio.to_thread(rooming.tell_newcomer, channel, tell)
        sending = asyncio.create_task(_send(socket, told))
        await socket.receive()  # a browser says nothing: this is its leaving
        sending.cancel()


async def _send(socket: WebSocket, told: asyncio.Queue[Counters | None]) -> None:
    before = None
    with suppress(WebSocketDisconnect, RuntimeError):  # it has left meanwhile
        while (counters := await told.get()) is not None:
            if counters != before:
                await socket.send_text(json.dumps(asdict(counters)))
            before = counters
        await socket.send_text(_OVER)
        await socket.close()


def path_of(channel: str) -> str:
    """Return the address, without the host, at which a browser listens to a room."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{base and '/'}{ROUTE}/{channel}"


def room_routes() -> list[BaseRoute]:
    """Return the routes at which browsers listen; rooms of an earlier run of the server are opened."""
    open_earlier()
    return [WebSocketRoute(path_of("{channel}"), partial(listen, shared_rooming))]
