"""Life of the server: the models are loaded from its first second on, and it ends in time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Thread

from viz.server.configuration import kept_while_served
from viz.server.shutdown import ends_in_time


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Serve, while the models are loaded for whoever comes first."""
    Thread(target=_open_host, name="open-host", daemon=True).start()
    with kept_while_served():
        async with ends_in_time(app):
            yield


def _open_host() -> None:
    with suppress(Exception):  # the first page says why
        from viz.server.runtime import shared_host

        shared_host()
