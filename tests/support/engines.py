"""Firefox and WebKit, driven by WebDriver BiDi and WebDriver themselves: neither needs a driver that is downloaded."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.support.browsing import free_port
from tests.support.waiting import until

PACKAGES = {"firefox-esr": "firefox-esr", "WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
"""Programs, and Debian's packages that bring them."""
PATIENCE = 180.0  # seconds
ENTER = "\ue007"
OFFENDED = """() => {
    const seen = (window.offences ??= []);
    document.addEventListener("securitypolicyviolation", (event) => seen.push(event.violatedDirective));
}"""


OPENS = 30
"""Seconds in which the driver of WebKit opens a window, if it does."""


class PageLeftError(Exception):
    """The page went away while it was asked."""


class Window(ABC):
    """A window of a browser: opened, asked, typed into and pointed at."""

    @abstractmethod
    def open(self, address: str) -> None:
        """Go to an address, without waiting for what the page loads."""

    @abstractmethod
    def back(self) -> None:
        """Go back by one step."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Make what a page sees so large."""

    @abstractmethod
    def offences(self) -> list[str]:
        """Return how the page has offended the policy of its server."""

    @abstractmethod
    def act(self, actions: dict[str, Any]) -> None:
        """Move, click or press as a person does; both protocols take the same actions."""

    @abstractmethod
    def close(self) -> None:
        """Close it."""

    @abstractmethod
    def evaluate(self, expression: str) -> str:
        """Return the text that an expression of JavaScript is."""

    def run(self, function: str, *arguments: Any) -> Any:
        """Return what a function of JavaScript makes of its arguments."""
        return json.loads(self.evaluate(f"JSON.stringify(({function})(...{json.dumps(arguments)}) ?? null)"))

    def until(self, function: str, *arguments: Any) -> Any:
        """Return the first answer of a function that is true; a page that is being left gives none."""

        def answer() -> Any:
            try:
                return self.run(function, *arguments)
            except PageLeftError:
                return None

        return until(answer, seconds=PATIENCE, what=f"{function} of {arguments}")

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the mouse to a place, and press its button there."""
        steps: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")] * click
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps})

    def press(self, keys: str) -> None:
        """Press keys, one after another."""
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keys", "actions": steps})


Opening = Callable[[], AbstractContextManager[Window]]


def program(name: str) -> str:
    """Return where a program is; a machine without it fails the test."""
    found = shutil.which(name)
    return found or pytest.fail(f"{name} is missing: apt-get install {PACKAGES[name]}")


@contextmanager
def started(*command: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program, and end it."""
    with subprocess.Popen(command, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | options) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def said(output: IO[bytes] | None, pattern: str) -> str:
    """Return what a program says where its output matches, read line by line until it does."""
    assert output is not None
    for line in output:
        if found := re.search(pattern, line.decode(errors="replace")):
            return found[1]
    pytest.fail(f"the program ended and never said {pattern}")


class Bidi:
    """A connection to Firefox by WebDriver BiDi: commands, and what the console says meanwhile."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers = socket, count()
        self.said: list[str] = []

    def __call__(self, method: str, **parameters: Any) -> Any:
        """Send a command, and return its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("method") == "log.entryAdded":
                self.said.append(str(message["params"]["text"]))
            elif message.get("id") == number:
                assert message["type"] == "success", f"{method}: {message}"
                return message["result"]


class Tab(Window):
    """A window of Firefox, with cookies of its own."""

    def __init__(self, ask: Bidi) -> None:
        user = ask("browser.createUserContext")["userContext"]
        self._console, self._before = ask.said, len(ask.said)
        self._browser, self._tab = ask, ask("browsingContext.create", type="tab", userContext=user)["context"]

    def _ask(self, method: str, **parameters: Any) -> Any:
        return self._browser(method, context=self._tab, **parameters)

    def open(self, address: str) -> None:
        self._ask("browsingContext.navigate", url=address, wait="none")
        self.until("(address) => location.href.startsWith(address)", address)

    def back(self) -> None:
        self._ask("browsingContext.traverseHistory", delta=-1)

    def resize(self, width: int, height: int) -> None:
        self._ask("browsingContext.setViewport", viewport={"width": width, "height": height})

    def offences(self) -> list[str]:
        self.run("() => 0")  # what was logged before its answer has come
        return [text for text in self._console[self._before :] if text.startswith("Content-Security-Policy")]

    def act(self, actions: dict[str, Any]) -> None:
        self._ask("input.performActions", actions=[actions])

    def evaluate(self, expression: str) -> str:
        target = {"context": self._tab}
        answer = self._browser("script.evaluate", target=target, expression=expression, awaitPromise=False)
        assert answer["type"] == "success", answer
        return str(answer["result"]["value"])

    def close(self) -> None:
        self._ask("browsingContext.close")


@contextmanager
def firefox() -> Iterator[Opening]:
    """Start Firefox without a screen; return a way to open a window."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ("--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0")
        with started(program("firefox-esr"), *flags, stderr=subprocess.PIPE) as process:
            address = said(process.stderr, r"WebDriver BiDi listening on (\S+)")
            with connect(f"{address}/session", max_size=None) as socket:
                ask = Bidi(socket)
                ask("session.new", capabilities={})
                ask("session.subscribe", events=["log.entryAdded"])
                yield lambda: closing(Tab(ask))


def command(
    address: str, body: dict[str, Any] | None = None, *, method: str | None = None, seconds: float = PATIENCE
) -> Any:
    """Return what a driver answers to a command of WebDriver."""
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(address, data, method=method), timeout=seconds) as answer:
            return json.load(answer)["value"]
    except HTTPError as error:
        refusal = error.read().decode()
        if "before the unload event" in refusal:
            raise PageLeftError(refusal) from None
        pytest.fail(f"{address.rpartition('/')[2]} {body}: {refusal}")


class MiniBrowser(Window):
    """The window of WebKit's small browser."""

    def __init__(self, driver: str) -> None:
        wanted = {"pageLoadStrategy": "none"}
        made = command(f"{driver}/session", {"capabilities": {"alwaysMatch": wanted}}, seconds=OPENS)
        self._session = f"{driver}/session/{made['sessionId']}"

    def _ask(self, what: str, body: dict[str, Any] | None = None) -> Any:
        return command(f"{self._session}/{what}", body)

    def open(self, address: str) -> None:
        self.run("() => { window.left = true; }")
        self._ask("url", {"url": address})
        self.until("(address) => !window.left && location.href.startsWith(address)", address)
        self.run(OFFENDED)

    def back(self) -> None:
        self._ask("back", {})

    def resize(self, width: int, height: int) -> None:
        frame, inside = self._ask("window/rect"), self.run("() => [innerWidth, innerHeight]")
        rest = frame["width"] - inside[0], frame["height"] - inside[1]
        self._ask("window/rect", {"width": width + rest[0], "height": height + rest[1]})
        self.until("(...size) => innerWidth === size[0] && innerHeight === size[1]", width, height)

    def offences(self) -> list[str]:
        return list(self.run("() => window.offences ?? []"))

    def act(self, actions: dict[str, Any]) -> None:
        self._ask("actions", {"actions": [actions]})

    def evaluate(self, expression: str) -> str:
        return str(self._ask("execute/sync", {"script": f"return {expression}", "args": []}))

    def close(self) -> None:
        command(self._session, method="DELETE")


@contextmanager
def webkit() -> Iterator[Opening]:
    """Start a screen that nobody sees; return a way to open a window on it, each with a driver of its own."""
    with started(program("Xvfb"), "-displayfd", "1", "-screen", "0", "1600x1200x24", stdout=subprocess.PIPE) as screen:
        shown = os.environ | {"DISPLAY": f":{said(screen.stdout, '([0-9]+)')}", "GDK_BACKEND": "x11"}
        yield lambda: driven(shown)


@contextmanager
def driven(shown: dict[str, str]) -> Iterator[Window]:
    """Open WebKit's small browser with a driver; one now and then never answers, and another is started."""
    for _attempt in range(6):
        driver = f"http://127.0.0.1:{(port := free_port())}"
        with started(program("WebKitWebDriver"), f"--port={port}", env=shown) as process:
            until(lambda: process.poll() is not None or answers(driver), seconds=PATIENCE)  # noqa: B023 - called at once
            try:
                window = MiniBrowser(driver)
            except TimeoutError:
                continue
            with closing(window):
                yield window
            return
    pytest.fail("WebKit opens no window")


def answers(driver: str) -> bool:
    """Return whether a driver listens."""
    try:
        return bool(command(f"{driver}/status"))
    except OSError:
        return False


ENGINES: dict[str, Callable[[], AbstractContextManager[Opening]]] = {"firefox": firefox, "webkit": webkit}
