"""The service in a thread of the test's own process, over a real socket; and a line that can be cut."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import uvicorn


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def served(app: Any, port: int = 0) -> Iterator[str]:
    """Serve an ASGI application while the block lasts, and give its address."""
    sockets = [socket.create_server(("127.0.0.1", port))]
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none"))
    thread = Thread(target=server.run, args=(sockets,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        sockets[0].close()


class CutLine:
    """Passes connections on to a service, and cuts the first ones when a request has gone in: as a process that ends.

    Parameters
    ----------
    address : str
        Of the service.
    cuts : int
        How many connections are cut.
    """

    def __init__(self, address: str, cuts: int) -> None:
        self._behind = int(address.rpartition(":")[2])
        self.cuts, self.came = cuts, 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                self._take(self._listening.accept()[0])

    def _take(self, line: socket.socket) -> None:
        self.came += 1
        if self.came <= self.cuts:
            line.recv(65536)
            line.close()
            return
        on = socket.create_connection(("127.0.0.1", self._behind))
        for one, other in ((line, on), (on, line)):
            Thread(target=_pass_on, args=(one, other), daemon=True).start()

    def close(self) -> None:
        """Listen no longer."""
        self._listening.close()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
