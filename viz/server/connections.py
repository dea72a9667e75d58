"""Connection limits of uvicorn: deadlines for slow clients, connections per address."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import uvicorn

SECONDS = 10.0
"""So long the headers of a request may take from the first byte, or from the connection."""

BYTES_A_SECOND = 4096
"""How fast a request must come in beyond that: its bytes buy time."""

READING = 60.0
"""Seconds for which whoever asked may read nothing of an answer that waits."""

MOST = 512
"""Connections of one address; half of all where the server has a bound on all."""

_numbers = count()
"""Of connections: uvloop's clock stands still while several are accepted."""


class Bounded:
    """Mixin of uvicorn's HTTP protocols: closes a connection that waits for its client too long, or for a newer one.

    When an address has too many, its oldest connection that waits for the client makes room. Those on which the server
    is at work, and websockets, stay: `viz.server.at_once` and uvicorn's own bound count these.
    """

    client: tuple[str, int] | None
    connections: set[Any]
    cycle: Any
    flow: Any
    config: uvicorn.Config
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to count."""
        self._clock = asyncio.get_running_loop()
        self._number = next(_numbers)
        self._begun: float | None = self._clock.time()
        self._paused: float | None = None
        self._came = 0
        super().connection_made(transport)  # type: ignore[misc]
        self._make_room()
        self._look()

    def data_received(self, data: bytes) -> None:
        """Note whether a request is whole."""
        if self._begun is None:
            self._begun, self._came = self._clock.time(), 0
        self._came += len(data)
        super().data_received(data)  # type: ignore[misc]
        if not (self.cycle is None or self.cycle.response_complete or self.cycle.more_body):
            self._begun = None

    def pause_writing(self) -> None:
        """Note since when nobody reads."""
        self._paused = self._clock.time()
        super().pause_writing()  # type: ignore[misc]

    def resume_writing(self) -> None:
        """Note that somebody reads."""
        self._paused = None
        super().resume_writing()  # type: ignore[misc]

    @property
    def waits_since(self) -> float | None:
        """When the client began to owe something; 0.0 if it has had its answer, None if the server is at work."""
        if self._begun is None and self.cycle is not None and self.cycle.response_complete:
            return 0.0
        return self._begun if self._paused is None else self._paused

    def _make_room(self) -> None:
        most = self.config.limit_concurrency // 2 if self.config.limit_concurrency else MOST
        same = [each for each in self.connections if each.client and self.client and each.client[0] == self.client[0]]
        waiting = [each for each in same if isinstance(each, Bounded) and each.waits_since is not None]
        if len(same) > most and len(waiting) > 1:
            oldest = min(waiting, key=lambda each: (each.waits_since or 0.0, each._number))
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _look(self) -> None:
        """Close the connection if the client is late; look again when it may be."""
        if self not in self.connections:  # closed, or a websocket by now
            return
        now, ends = self._clock.time(), []
        if self._begun is not None and not self.flow.read_paused:
            ends.append(self._begun + SECONDS + self._came / BYTES_A_SECOND)
        if self._paused is not None:
            ends.append(self._paused + READING)
        if ends and min(ends) <= now:
            self.transport.abort()
            return
        self._clock.call_at(max(now + 0.1, min(ends, default=now + SECONDS)), self._look)


def _bounded(protocol: type[asyncio.Protocol]) -> type[asyncio.Protocol]:
    return protocol if issubclass(protocol, Bounded) else type("BoundedProtocol", (Bounded, protocol), {})


def bound_connections() -> None:
    """Bound the connections of every uvicorn server that this process starts from now on.

    Streamlit and Ray make their servers themselves, and let nobody name the protocol.
    """
    startup = uvicorn.Server.startup
    if startup.__name__ == "bounded_startup":
        return

    async def bounded_startup(self: uvicorn.Server, sockets: Any = None) -> None:
        self.config.http_protocol_class = _bounded(self.config.http_protocol_class)
        await startup(self, sockets)

    uvicorn.Server.startup = bounded_startup  # type: ignore[method-assign]
