"""What tests in a real browser do alike: run an app, read the address bar, point at a cell of the overview."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, parse_qsl, urlsplit
from urllib.request import urlopen

import pytest

from tests.support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
AT_REST = Path(__file__).with_name("at_rest.js")
"""What a page is given before its own scripts: it sees what the page waits for."""
CELL = """
(stage, [head, across, down]) => {
    const frame = stage.getBoundingClientRect(), box = stage.boxes[head];
    return [frame.left + box.left + across * box.width, frame.top + box.top + down * box.height];
}
"""

PIXEL = """
(stage, [layer, head, across, down]) => {
    const canvas = stage.querySelector('.' + layer), box = stage.boxes[head];
    const ratio = canvas.width / canvas.clientWidth;
    const place = [box.left + across * box.width, box.top + down * box.height].map(each => Math.floor(each * ratio));
    return [...canvas.getContext('2d').getImageData(...place, 1, 1).data];
}
"""


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen on which a page is looked at, and how high its first cell must stand there, in pixels."""

    width: int
    height: int
    highest: int
    scheme: Literal["light", "dark"]

    @property
    def opened(self) -> dict[str, Any]:
        """How a page is opened on it."""
        return {"width": self.width, "height": self.height, "scheme": self.scheme}

    def take(self, page: Page) -> None:
        """Show an open page on it."""
        page.set_viewport_size({"width": self.width, "height": self.height})
        page.emulate_media(color_scheme=self.scheme)


SCREENS = (
    (Screen(1280, 720, 300, "light"), Screen(1366, 650, 300, "dark"), Screen(1920, 1080, 300, "light")),
    (Screen(390, 844, 480, "dark"),),
)
"""A projector, a laptop's inside and a large screen, which one page is moved between; a phone."""


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
        except OSError:  # refused, or too slow
            try:
                server.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    pytest.fail(f"the app did not start; exit code {server.poll()}")


@contextmanager
def running(script: str, *, port: int | None = None, kill: bool = False, **environment: str) -> Iterator[str]:
    """Return the address of an app that runs on a free port, or on `port`, started as the README says.

    It is stopped afterwards, or killed: it has no time to say good-bye.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    with started(command, port, ROOT, kill=kill, **environment) as address:
        yield address


@contextmanager
def started(command: list[str], port: int, folder: Path, *, kill: bool = False, **environment: str) -> Iterator[str]:
    """Return the address of an app that a command starts in a folder on a port; stopped afterwards, or killed."""
    address = f"http://localhost:{port}"
    with subprocess.Popen(command, cwd=folder, env=os.environ | environment, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until_it_answers(server, address)
            yield address
        finally:
            (server.kill if kill else server.terminate)()
            try:
                server.wait(30)
            finally:
                server.kill()


def evaluated(page: Page, expression: str) -> Any:
    """Return what an expression is on a page; None while the page is being loaded again."""
    from playwright.sync_api import Error

    try:
        return page.evaluate(expression)
    except Error as error:
        if "Execution context was destroyed" in str(error):
            return None
        raise


def settle(page: Page) -> None:
    """Wait until what was done has reached the server, and the runs that it made are over and shown."""
    until(lambda: evaluated(page, "window.isAtRest()"), seconds=120)


def query(page: Page) -> dict[str, list[str]]:
    """Return what stands in the address bar behind the question mark."""
    return parse_qs(urlsplit(page.url).query)


def says(page: Page, **said: str) -> None:
    """Wait until the link says each of `said`."""
    until_link(page, lambda url: said.items() <= dict(parse_qsl(urlsplit(url).query)).items())


def until_link(page: Page, holds: Callable[[str], bool]) -> None:
    """Wait until what the address bar says holds; if it does not come to it, the error says what stands there."""
    link = [""]

    def look() -> bool:
        link[0] = evaluated(page, "location.href") or ""
        return holds(link[0])

    until(look, what=link)


def cell_of(
    page: Page, head: int, row: int, column: int, shape: tuple[int, int], *, figure: str = ".overview"
) -> tuple[float, float]:
    """Return where the middle of a cell of the overview, or of the picked heads, is on the screen."""
    stage = page.locator(f"{figure} .stage")
    stage.scroll_into_view_if_needed()
    x, y = stage.evaluate(CELL, [head, (column + 0.5) / shape[1], (row + 0.5) / shape[0]])
    return x, y


def point(page: Page, head: int, row: int, column: int, shape: tuple[int, int], *, figure: str = ".overview") -> str:
    """Point at a cell of the overview, or of the picked heads, and return what is said of it."""
    page.mouse.move(*cell_of(page, head, row, column, shape, figure=figure))
    return page.locator(f"{figure} .tip").inner_text()
