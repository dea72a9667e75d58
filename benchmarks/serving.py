"""The app's server, started for a measurement, and what it takes of the machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent
START_LIMIT = 180.0
"""Seconds that a server may take to start."""


def free_port() -> int:
    """Return a port that no server uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str | Path], folder: Path, **environment: str) -> Iterator[psutil.Process]:
    """Run a server in a folder while the block runs, with some variables set; its log goes nowhere."""
    silent, variables = subprocess.DEVNULL, os.environ | environment
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=silent, stderr=silent) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


@contextmanager
def serving(app: Path, port: int, **environment: str) -> Iterator[psutil.Process]:
    """Run the app's server while the block runs, with some variables set."""
    command = [sys.executable, "-m", "streamlit", "run", str(app), f"--server.port={port}", "--server.headless=true"]
    with running(command, ROOT, **environment) as process:
        yield process


def wait_for_port(port: int) -> None:
    """Wait until something answers on `port`; TimeoutError if nothing does for `START_LIMIT` seconds."""
    give_up = time.monotonic() + START_LIMIT
    while time.monotonic() < give_up:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    message = f"the server did not open port {port} within {START_LIMIT:.0f} s"
    raise TimeoutError(message)


def memory_of(server: psutil.Process) -> float:
    """Return the memory of the server and its children, in MB of a million bytes; what they share counts once."""
    return float(sum(_bytes_of(each) for each in (server, *server.children(recursive=True)))) / 1e6


def _bytes_of(process: psutil.Process) -> int:
    if psutil.LINUX:
        return int(process.memory_full_info().pss)
    return int(process.memory_info().rss)
