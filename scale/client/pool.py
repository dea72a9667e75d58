"""The lines to the service: to the address that was named, and straight to the processes behind it that say where.

On Ray Serve a proxy takes every request and passes it to a replica, which costs more than the way itself. A replica
that takes requests at a port of its own names it in each answer (`scale.serve.wire.PORT`); from then on requests go
there, to the one with the fewest under way. The named address stays the way in, and the way back when no replica is
left.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

from scale.serve.wire import OURS

LOOK_AROUND = 2.0
"""Seconds after which the named address is asked again, while requests go straight: there may be another replica."""

CONNECTING, NEAR = 3.0, 0.5
"""Seconds that a connection may take, to the named address and to a port beside it."""

MOST_OF_A_REFUSAL = 2**16
"""Bytes that are read of what somebody else says at a port."""

CLOSED = 600.0
"""Seconds for which a port is left alone that lets nobody in, or at which somebody else listens."""


class AwayError(Exception):
    """Nobody could be reached."""


@dataclass(eq=False, slots=True)
class Endpoint:
    """One port that takes requests."""

    port: int | None  # none for the one that the address names
    who: str = ""  # what the process there calls itself (`scale.serve.wire.OURS`); empty for the named address
    idle: deque[HTTPConnection] = field(default_factory=deque)  # lines that are open, and wait
    busy: int = 0  # requests under way


@dataclass(eq=False, frozen=True, slots=True)
class Connection:
    """A connection that one request has for itself."""

    connection: HTTPConnection
    way: Endpoint


class ConnectionPool:
    """All ways to one service."""

    def __init__(self, address: str, seconds: float) -> None:
        self._parts, self._seconds = urlsplit(address), seconds
        self._named, self._straight = Endpoint(self._parts.port), dict[int, Endpoint]()
        self._closed: dict[int, float] = {}  # until when
        self._lock, self._looked = Lock(), monotonic()

    @property
    def path(self) -> str:
        """What stands before the path of every request."""
        return self._parts.path.rstrip("/")

    @property
    def straight(self) -> tuple[int, ...]:
        """The ports of the replicas that are known."""
        with self._lock:
            return tuple(self._straight)

    def take(self, *, named: bool = False) -> Connection:
        """Return a line for one request, which `give` or `drop` takes back."""
        while True:
            with self._lock:
                straight = () if named else self._straight.values()
                way = min(straight, key=lambda each: each.busy, default=self._named)
                way.busy += 1
                if way.idle:
                    return Connection(way.idle.pop(), way)
            try:
                return Connection(self._connected(way), way)
            except OSError as error:
                self._forget(way, closed=not isinstance(error, ConnectionRefusedError))
                if way is self._named:
                    raise AwayError from error

    def give(self, line: Connection) -> None:
        """Take a line back after its answer."""
        with self._lock:
            line.way.busy -= 1
            line.way.idle.append(line.connection)

    def drop(self, line: Connection, *, alone: bool = False) -> None:
        """Take a line back that is dead, and with it all that were open to the same process."""
        line.connection.close()
        if alone:
            with self._lock:
                line.way.busy -= 1
        else:
            self._forget(line.way)

    def learn(self, port: str | None, who: str) -> None:
        """Note that a replica takes requests at `port` of the host that the address names.

        Over TLS nothing is noted: what is behind the proxy that ends it is no matter of whoever asks.
        """
        if port is None or self._parts.scheme != "http" or not (port.isascii() and port.isdecimal()):
            return
        number = int(port[:6])
        with self._lock:
            known = self._straight.get(number)
            if not 0 < number < 2**16 or (known and known.who == who) or self._closed.get(number, 0) > monotonic():
                return
            self._straight[number] = Endpoint(number, who)

    def is_time_to_look(self) -> bool:
        """Return whether the named address should be asked who else is there, once for all who ask this."""
        with self._lock:
            due = bool(self._straight) and monotonic() - self._looked > LOOK_AROUND
            if due:
                self._looked = monotonic()
            return due

    def _forget(self, way: Endpoint, *, closed: bool = False) -> None:
        """Let a way go, with its lines; it is learnt again when an answer names it, later if it is `closed`."""
        port = way.port or 0
        with self._lock:
            way.busy -= 1
            if self._straight.get(port) is way:
                del self._straight[port]
                if closed:
                    self._closed[port] = monotonic() + CLOSED
            with suppress(IndexError):
                while True:
                    way.idle.pop().close()

    def _connected(self, way: Endpoint) -> HTTPConnection:
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        connection = kind(self._parts.hostname or "", way.port, timeout=NEAR if way.who else CONNECTING)
        connection.connect()
        if way.who:
            self._check(connection, way)
        connection.sock.settimeout(self._seconds)
        return connection

    def _check(self, connection: HTTPConnection, way: Endpoint) -> None:
        """Ask who is there before anything else is said, the token least of all."""
        try:
            connection.request("GET", self.path + "/health")
            reply = connection.getresponse()
            reply.read(MOST_OF_A_REFUSAL)
        except HTTPException as error:
            raise OSError from error
        who = reply.headers.get(OURS)
        if who != way.who:
            connection.close()
            raise ConnectionRefusedError if who else OSError
