"""Ports at which a server may listen."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from errno import EADDRINUSE, EADDRNOTAVAIL

from models.command import CommandError


def free_port(address: str, ports: Sequence[int]) -> int:
    """Return the first of some ports that is free; CommandError if there is none."""
    for each in ports:
        if is_free(address, each):
            return each
    message = f"Port {ports[0]} of {address} is taken: choose another with --port."
    raise CommandError(message)


def is_free(address: str, port: int) -> bool:
    """Return whether a server may listen at all that an address names; CommandError if it never may."""
    try:
        for family, _, _, _, place in socket.getaddrinfo(address, port, type=socket.SOCK_STREAM):
            socket.create_server(place[:2], family=family).close()
    except OSError as error:
        if error.errno == EADDRINUSE:
            return False
        if error.errno == EADDRNOTAVAIL and family is socket.AF_INET6:
            return True
        reason = str(error.strerror).partition(" (")[0]
        message = f"--address {address}, port {port}: {reason}."
        raise CommandError(message) from error
    return True
