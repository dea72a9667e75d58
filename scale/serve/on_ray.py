"""The service on Ray Serve: replicas on one machine or many, as many as are asked for, each with some of the models.

On one machine each replica takes requests at a port of its own as well (what Ray calls direct ingress), the `PORTS`
after the service's; who asks learns it from the answers (`scale.client.pool`). Ray's proxy stays the way in.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any

from scale.on_ray import LOCAL, bind_to_node, open_sockets, start_ray
from scale.serve.settings import ServiceSettings, SettingsError
from viz.server.connections import bound_connections

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

BUSY_AT = 4
"""Requests at one replica, on average, above which another is started."""

SPARE = 300.0
"""Seconds for which a replica stays when it is no longer needed."""

NAME = "attention-bench"

PORTS = 64
"""Ports that replicas may take: Ray does not give one out again at once."""

_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",  # what a busy machine takes to start a process
    # One loop in proxy and replica: the models have their own thread, and each change of threads is time.
    "RAY_SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD": "0",
    "RAY_SERVE_RUN_ROUTER_IN_SEPARATE_LOOP": "0",
}
_STRAIGHT = "RAY_SERVE_ENABLE_DIRECT_INGRESS"
_LOGGING = {"enable_access_log": False}


def straight(settings: ServiceSettings) -> dict[str, str]:
    """Return the variables with which Ray's replicas take requests at the ports after the service's."""
    ports = ports_after(settings.port)
    return {
        _STRAIGHT: "1",
        "RAY_SERVE_DIRECT_INGRESS_MIN_HTTP_PORT": str(ports.start),
        "RAY_SERVE_DIRECT_INGRESS_MAX_HTTP_PORT": str(ports.stop),
        "RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S": "1",  # nobody before it must be told that one ends
    }


def ports_after(port: int) -> range:
    """Return the ports at which replicas listen; before the service's where none are left after it."""
    first = port + 1 if port + PORTS < 2**16 else port - PORTS
    return range(first, first + PORTS)


class OwnPort:
    """At which of some ports this process listens."""

    def __init__(self, ports: range) -> None:
        self._ports = ports
        self._found: int | None = None

    def __call__(self) -> int | None:
        """Return the port; None as long as there is none."""
        import psutil  # type: ignore[import-untyped]

        if self._found is None and self._ports:
            lines = psutil.Process().net_connections("tcp")
            listening = (each.laddr.port for each in lines if each.status == psutil.CONN_LISTEN)
            self._found = next((port for port in listening if port in self._ports), None)
        return self._found


class Held:
    """A model that a replica holds; Ray lets it go when others are asked for more."""

    def __init__(self, let_go: Callable[[], None]) -> None:
        self._let_go = let_go

    def __del__(self) -> None:
        self._let_go()


def builder(settings: ServiceSettings) -> Callable[[], ASGIApp]:
    """Return what makes the application in a replica."""

    def build() -> ASGIApp:
        import asyncio

        from ray import serve

        from scale.serve.web import make_app

        desk = settings.desk()

        @serve.multiplexed(max_num_models_per_replica=settings.most_models)  # type: ignore[untyped-decorator]
        async def hold(key: str) -> Held:
            await asyncio.to_thread(desk.shelf.model, key)
            return Held(lambda: desk.shelf.let_go(key))

        async def prepare(key: str) -> None:
            if key in desk.shelf.keys():  # noqa: SIM118
                await hold(key)

        # A replica gets requests for the models that it holds: one that is started since others are busy takes all.
        keys = desk.shelf.keys()
        # Where replicas hold different models, Ray's proxy knows which: it goes on choosing.
        alike = settings.workers == 1 or settings.most_models >= len(keys)
        own = OwnPort(ports_after(settings.port) if alike and os.environ.get(_STRAIGHT) == "1" else range(0))
        return make_app(desk, settings.token, prepare, keys[: settings.most_models], own)

    return build


def deployed(settings: ServiceSettings, downscale_delay: float = SPARE) -> Any:
    """Return the application that Ray Serve runs."""
    from ray import serve

    scaling = {
        "min_replicas": 1,
        "initial_replicas": 1,
        "max_replicas": settings.workers,
        "target_ongoing_requests": BUSY_AT,
        "upscale_delay_s": 5,
        "downscale_delay_s": downscale_delay,
    }
    served = serve.deployment(
        serve.ingress(builder(settings))(),
        name=NAME,
        autoscaling_config=scaling,
        max_ongoing_requests=settings.most_waiting,
        max_queued_requests=settings.most_waiting * settings.workers,
        ray_actor_options={"num_cpus": 1},
        logging_config=_LOGGING,
        health_check_period_s=5,
        health_check_timeout_s=20,
        graceful_shutdown_timeout_s=20,
    )
    return served.bind()


def start(settings: ServiceSettings, address: str, downscale_delay: float = SPARE) -> None:
    """Start the service, and return when it answers."""
    ours = straight(settings) if address == LOCAL else {}
    os.environ.update(ours)  # Ray reads them when it is imported, here as in its processes
    start_ray(address, settings.workers, _ENVIRONMENT | ours, f"{__name__}.prepare_process")
    from ray import serve

    try:
        serve.start(http_options={"host": settings.host, "port": settings.port}, logging_config=_LOGGING)
        serve.run(deployed(settings, downscale_delay), name=NAME, route_prefix="/")
        if address == LOCAL:
            _check_sockets(settings)
    except BaseException:
        stop()
        raise


def _check_sockets(settings: ServiceSettings) -> None:
    """Raise SettingsError if a socket is open to others that is not the service's."""
    found = sorted(set(open_sockets({settings.port, *ports_after(settings.port)})))
    if found:
        message = f"other machines would reach Ray itself at {', '.join(found)}: start it with --plain"
        raise SettingsError(message)


def prepare_process() -> None:
    """Bound the connections of a process of Ray's, and bind what it opens to its node."""
    bind_to_node()
    bound_connections()


def replicas() -> int:
    """Return how many replicas there are, those that start or end among them."""
    from ray import serve

    applications = serve.status().applications.values()
    return sum(sum(each.replica_states.values()) for app in applications for each in app.deployments.values())


def run_on_ray(settings: ServiceSettings, address: str) -> None:
    """Serve until it is ended by Ctrl-C or SIGTERM."""
    ended = Event()
    start(settings, address)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    ended.wait()
    stop()


def stop() -> None:
    """End what `start` started."""
    import ray
    from ray import serve

    with suppress(Exception):
        serve.delete(NAME)
    serve.shutdown()
    ray.shutdown()
