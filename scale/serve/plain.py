"""The service without Ray: uvicorn, one process or several that share the port; one that ends is started again."""

from __future__ import annotations

from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.supervisors import Multiprocess

from scale.serve.settings import ServiceSettings
from scale.serve.web import make_app
from viz.server.connections import bound_connections

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def app_of(settings: ServiceSettings) -> ASGIApp:
    """Return the application of one process, which bounds its connections and begins to load its models."""
    bound_connections()
    desk = settings.desk()
    Thread(target=desk.shelf.warm_up, name="warm-up", daemon=True).start()
    return make_app(desk, settings.token)


def run_plain(settings: ServiceSettings) -> None:
    """Serve until it is ended."""
    config = uvicorn.Config(
        partial(app_of, settings),
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        access_log=False,
        server_header=False,
        timeout_keep_alive=75,
        limit_concurrency=settings.most_waiting * 4,
        ws="none",
    )
    if settings.workers == 1:
        uvicorn.Server(config).run()
        return
    Multiprocess(config, sockets=[config.bind_socket()]).run()
