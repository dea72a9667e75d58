"""What tests in a real browser share: one server and one browser for all of them."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_it_answers(server: subprocess.Popen[bytes], address: str) -> None:
    """Wait for the first answer; each attempt that is refused is followed by another until time is up."""
    attempts = 0
    while server.poll() is None and attempts < 600:
        attempts += 1
        try:
            with urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                assert answer.read() == b"ok"
                return
        except URLError:
            try:
                server.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    pytest.fail(f"the app did not start; exit code {server.poll()}")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Start the app as the README says, on a free port; stop it afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until_it_answers(server, f"http://localhost:{port}")
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()
