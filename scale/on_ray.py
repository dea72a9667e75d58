"""Ray as a service or a corpus starts it: on one machine nobody else reaches it, and it always asks for a token."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from models.errors import InputError
from models.messages import Message

LOCAL = "local"
"""The address that starts Ray on this machine."""

_MODE, _TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
_AT_LOOPBACK = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"
}  # Ray's switch between one machine and a cluster, on any system
_HOOK = f"{__name__}.bind_to_node"


def start_ray(address: str, workers: int, variables: Mapping[str, str], hook: str = _HOOK) -> None:
    """Start Ray on this machine, or connect to a cluster; both must ask for Ray's token."""
    here = address == LOCAL
    os.environ.setdefault(_MODE, "token")
    if here:
        os.environ.update(_AT_LOOPBACK)  # read when Ray is imported, here as in its processes
        os.environ.setdefault(_TOKEN, secrets.token_hex(32))
    if os.environ[_MODE] != "token":
        raise _without_token()
    try:
        import psutil  # type: ignore[import-untyped]  # noqa: F401  # for its processes
        import ray
        from ray.exceptions import AuthenticationError
    except ImportError as error:
        raise InputError(Message("Ray is not installed: pip install 'ray[serve]' psutil")) from error
    root = str(Path(__file__).parents[str(__package__).count(".") + 1])
    try:
        ray.init(
            address=address,
            include_dashboard=False if here else None,
            num_cpus=workers + 1 if here else None,  # one more, for what Ray itself has to start
            runtime_env={"env_vars": {**variables, "PYTHONPATH": root}, "worker_process_setup_hook": hook},
            log_to_driver=False,
        )
        if not ray.get(ray.remote(num_cpus=0)(_asks_for_token).remote()):
            raise _without_token()
    except AuthenticationError as error:
        ray.shutdown()
        raise _without_token() from error
    except BaseException:
        ray.shutdown()
        raise


def _without_token() -> InputError:
    return InputError(
        Message("Ray runs without its token, so anyone who reaches it can run programs: set RAY_AUTH_MODE=token.")
    )


def _asks_for_token() -> bool:
    """Return whether the process of Ray in which this runs asks for the token."""
    from ray._private.authentication.authentication_utils import is_token_auth_enabled

    return bool(is_token_auth_enabled())


def bind_to_node() -> None:
    """Have Ray's Python servers in this process listen at the address of their node, not at all addresses."""
    from ray._common import tls_utils

    if not isinstance(tls_utils.add_port_to_grpc_server, partial):
        tls_utils.add_port_to_grpc_server = partial(_add_port, tls_utils.add_port_to_grpc_server)


def _add_port(add: Any, server: Any, address: str) -> Any:
    import ray

    node = ray.util.get_node_ip_address()
    return add(server, address.replace("[::]", f"[{node}]" if ":" in node else node))


def open_sockets(expected: Collection[int] = ()) -> Iterator[str]:
    """Yield where this process and those that it started listen and other machines reach them."""
    import psutil

    me = psutil.Process()
    for each in (me, *me.children(recursive=True)):
        try:
            lines = each.net_connections("inet")
        except psutil.Error:  # it has ended
            continue
        for at in (line.laddr for line in lines if line.status == psutil.CONN_LISTEN):
            if at.port not in expected and not _is_loopback(at.ip):
                yield f"{at.ip} port {at.port}"


def _is_loopback(text: str) -> bool:
    address = ip_address(text)
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
