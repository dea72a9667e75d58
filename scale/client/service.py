"""The service where the models of this server run, if they run elsewhere: asked over HTTP, waited for while it is away.

A request that is lost with whoever was answering is sent once more. Where nobody answers at all, whoever waits is told
so by `viz.server.queueing.wait_for`, and the request goes out again when the service is back. See docs/scale.md.
"""

from __future__ import annotations

import socket
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

from models.error_codec import error_of
from models.errors import InputError
from models.messages import Message
from models.trace.codec import MOST_BYTES
from models.trace.json_text import read_json
from models.trace.plain import fields_of, several, text
from scale.client.pool import AwayError, ConnectionPool
from scale.serve.wire import MILLISECONDS, MOST_IN_HEADER, OURS, PORT, SENT, Request
from viz.server.caching import BoundedCache
from viz.server.queueing import LOOK, wait_for, watch

AT_ONCE = 32
"""Requests that are on their way at once."""

SECONDS = 90.0
"""How long an answer may take; the longest text takes a tenth of it."""

MOST_LOST = 3
"""How often those who answered may end before a request is given up: it may be what ends them."""

KEPT_BYTES = 48 * 2**20
"""Memory for what is asked again and again: where texts are cut, parameters that a walk shows."""

Reply = tuple[bytes, float]


class _LostError(Exception):
    """Somebody had the request, and ended before the answer."""


class _BusyError(Exception):
    """Too many ask there at once."""


class Call:
    """A request that is under way."""

    def __init__(self, path: str, data: bytes | None, key: str = "") -> None:
        self.path, self.data = path, data
        self.headers = {"serve_multiplexed_model_id": key} if key else {}
        if data is not None and len(data) <= MOST_IN_HEADER:
            self.data = b""
            self.headers[SENT] = data.decode("ascii")
        self.future: Future[Reply] = Future()
        self.left = False
        self.lock = Lock()
        self.connection: HTTPConnection | None = None

    def leave(self) -> None:
        """Wait for it no longer: whoever runs it is told by the line that ends."""
        with self.lock:
            self.left = True
            if self.connection is not None and self.connection.sock is not None:
                with suppress(OSError):
                    self.connection.sock.shutdown(socket.SHUT_RDWR)

    def hold(self, connection: HTTPConnection | None) -> None:
        """Note on which line it is; None when it is answered."""
        with self.lock:
            self.connection = connection


class Service:
    """Where the models are."""

    def __init__(self, address: str, token: str = "", seconds: float = SECONDS) -> None:
        self._ways = ConnectionPool(address, seconds)
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._calls: SimpleQueue[Call] = SimpleQueue()
        self._lock, self._threads = Lock(), 0
        self._there = Event()
        self._there.set()
        self.kept: BoundedCache[Any] = BoundedCache(KEPT_BYTES)
        watch(lambda: not self._there.is_set())

    def begin(self, request: Request) -> Call:
        """Send a request off."""
        return self._begin(Call(f"/v1/{request.asked}", request.to_bytes(), request.key))

    def _begin(self, call: Call) -> Call:
        self._calls.put(call)
        with self._lock:
            if self._threads < AT_ONCE:
                self._threads += 1
                Thread(target=self._work, name="service", daemon=True).start()
        return call

    def ask(self, request: Request) -> Reply:
        """Return the answer to a request, and the milliseconds that the run took; raises as the model does."""
        return self._wait(self.begin(request))

    def titles(self) -> dict[str, str]:
        """Return the pretrained models that are served, by their keys."""

        def ask() -> dict[str, str]:
            told = read_json(self._wait(self._begin(Call("/v1/models", None)))[0], "served")
            _models, titles = fields_of(told, "served", "models", "titles")
            named = several(list(titles), "served", text)
            return {key: text(titles[key], "served") for key in named}

        found: dict[str, str] = self.kept.get("titles", ask)
        return found

    def _wait(self, call: Call) -> Reply:
        try:
            return wait_for(call.future)
        finally:
            call.leave()

    def _work(self) -> None:
        """Send one request after another: what one thread does."""
        while True:
            call = self._calls.get()
            try:
                call.future.set_result(self._answer(call))
            except Exception as error:
                call.future.set_exception(error)
            if self._ways.is_time_to_look():
                with suppress(Exception):
                    self._send(Call("/health", None), named=True)

    def _answer(self, call: Call) -> Reply:
        lost = 0
        while not call.left:
            try:
                return self._send(call)
            except _LostError:
                lost += 1
                if lost == MOST_LOST:
                    message = Message("The models stopped unexpectedly each time they ran this. Shorten the text.")
                    raise InputError(message) from None
            except _BusyError:
                sleep(LOOK)
            except AwayError:
                self._look_out()
                while not call.left and not self._there.wait(LOOK):
                    pass
        raise CancelledError

    def _send(self, call: Call, *, named: bool = False) -> Reply:
        line = self._ways.take(named=named)
        call.hold(line.connection)
        try:
            method, path = "GET" if call.data is None else "POST", self._ways.path + call.path
            line.connection.request(method, path, call.data, self._headers | call.headers)
            reply = line.connection.getresponse()
            data = reply.read(MOST_BYTES)
        except (OSError, HTTPException) as error:
            self._ways.drop(line, alone=call.left)
            raise _LostError from error
        finally:
            call.hold(None)
        self._ways.give(line)
        if (who := reply.headers.get(OURS)) is None:
            raise AwayError if reply.status in (502, 503, 504, 404) else _LostError
        self._ways.learn(reply.headers.get(PORT), who)
        if reply.status == 200:
            return data, float(reply.headers.get(MILLISECONDS, 0))
        if reply.status == 503:
            raise _BusyError
        raise self._error(reply.status, data)

    def _error(self, status: int, data: bytes) -> Exception:
        if status in (401, 403):
            return InputError(Message("The models run elsewhere and do not accept the access token of this server."))
        return error_of(read_json(data, "an error"))

    def _look_out(self) -> None:
        """Note that the service is away, and look until it is back: one looks for all."""
        with self._lock:
            if not self._there.is_set():
                return
            self._there.clear()
        Thread(target=self._until_back, name="service-back", daemon=True).start()

    def _until_back(self) -> None:
        away = True
        while away:
            sleep(LOOK)
            try:
                self._send(Call("/health", None))
                away = False
            except (_LostError, AwayError):
                pass
            except Exception:  # whoever asks is told
                away = False
        self._there.set()


@lru_cache(maxsize=4)
def service_at(address: str, token: str) -> Service:
    """Return the service at an address, the same for all who ask."""
    return Service(address, token)
