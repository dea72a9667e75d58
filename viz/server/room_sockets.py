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

from viz.rooms.pictures import LedPictures
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

LONGEST_SIGHT = 64
"""Bytes of what a browser says that its page looks like."""

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
    loop, listener = asyncio.get_running_loop(), _Listener(socket, rooming.pictures, channel)

    def tell(counters: Counters | None) -> None:
        with suppress(RuntimeError):  # the server is ending
            loop.call_soon_threadsafe(listener.put, counters)

    with rooming.bell.listening(channel, tell):
        await asyncio.to_thread(rooming.tell_newcomer, channel, tell)
        sending = asyncio.create_task(listener.send())
        while (said := await socket.receive())["type"] == "websocket.receive":
            listener.sight = (said.get("bytes") or b"")[:LONGEST_SIGHT].decode("ascii", "replace")
        sending.cancel()


class _Listener:
    """A browser that listens to a room."""

    def __init__(self, socket: WebSocket, pictures: LedPictures, channel: str) -> None:
        self.sight = ""  # what it says that its page looks like
        self._socket, self._pictures, self._channel = socket, pictures, channel
        self._told = asyncio.Queue[Counters | None]()

    def put(self, counters: Counters | None) -> None:
        """Let numbers be sent in their turn."""
        if self._told.qsize() >= MOST_UNREAD:
            self._told.get_nowait()
        self._told.put_nowait(counters)

    async def send(self) -> None:
        """Send what comes, until the room is over or the browser has left."""
        said: dict[str, int | bool] = {}
        pictured, awaits = None, False
        with suppress(WebSocketDisconnect, RuntimeError):  # it has left meanwhile
            while (counters := await self._told.get()) is not None:
                place = self._channel, counters.lead, self.sight
                if said and said["lead"] != counters.lead:
                    awaits = self._pictures.is_awaited(*place)
                frame = self._pictures.frame(*place)
                awaits = awaits and frame != b""
                before, said = said, {**asdict(counters), "awaits": awaits}
                if said != before:
                    await self._socket.send_text(json.dumps(said))
                if frame and pictured != place:
                    pictured = place
                    await self._socket.send_bytes(frame)
            await self._socket.send_text(_OVER)
            await self._socket.close()


def path_of(channel: str) -> str:
    """Return the address, without the host, at which a browser listens to a room."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{base and '/'}{ROUTE}/{channel}"


def room_routes() -> list[BaseRoute]:
    """Return the routes at which browsers listen; rooms of an earlier run of the server are opened."""
    open_earlier()
    return [WebSocketRoute(path_of("{channel}"), partial(listen, shared_rooming))]
