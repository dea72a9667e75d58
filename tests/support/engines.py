"""Firefox and WebKit, driven by the two protocols of the W3C: WebDriver BiDi and WebDriver. No package brings a driver."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import connect

from tests.support.browsing import free_port

FIREFOX, WEBKIT = "firefox-esr", "WebKitWebDriver"
PACKAGES = {FIREFOX: "firefox-esr", WEBKIT: "webkit2gtk-driver", "Xvfb": "xvfb"}
PATIENCE = 60.0  # seconds
ALOUD = "--enable-write-console-messages-to-stdout=true"


def program(name: str) -> str:
    """Return where a program is; a test fails on a machine without it."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: apt-get install {PACKAGES[name]}")
    return found


def line_of(output: IO[bytes], pattern: str) -> str:
    """Return what a program's output says where it matches, read line by line until it does."""
    for line in iter(output.readline, b""):
        if found := re.search(pattern, line.decode(errors="replace")):
            return found[1]
    pytest.fail(f"the program ended before it said {pattern}")


class Window:
    """A page of an engine: opened, asked, typed into and pointed at as a person would."""

    def send(self, actions: list[dict[str, Any]]) -> None:
        raise NotImplementedError

    def evaluate(self, expression: str) -> Any:
        raise NotImplementedError

    def run(self, function: str, *arguments: Any) -> Any:
        """Return what a JavaScript function returns of arguments that JSON can say."""
        call = f"({function})(...{json.dumps(arguments)})"
        answer = self.evaluate(f"JSON.stringify({call} ?? null)")
        return json.loads(answer)

    def until(self, function: str, *arguments: Any, seconds: float = PATIENCE) -> Any:
        """Return the first answer of a function that is true; it is asked again until then."""
        end = monotonic() + seconds
        while not (answer := self.run(function, *arguments)):
            assert monotonic() < end, f"not so after {seconds} s: {function} {arguments}"
            sleep(0.05)
        return answer

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the mouse to a place, and press its button there."""
        moves: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.send([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}])

    def press(self, keys: str) -> None:
        """Press keys one after another."""
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.send([{"type": "key", "id": "keys", "actions": presses}])


class BidiWindow(Window):
    """A tab of Firefox."""

    def __init__(self, ask: Callable[..., Any], tab: str, said: list[str]) -> None:
        self._ask, self._tab, self.said = ask, tab, said

    def open(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=address, wait="interactive")

    def back(self) -> None:
        self._ask("browsingContext.traverseHistory", context=self._tab, delta=-1)

    def resize(self, width: int, height: int) -> None:
        self._ask("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})

    def picture(self) -> bytes:
        return b64decode(self._ask("browsingContext.captureScreenshot", context=self._tab)["data"])

    def send(self, actions: list[dict[str, Any]]) -> None:
        self._ask("input.performActions", context=self._tab, actions=actions)

    def evaluate(self, expression: str) -> Any:
        answer = self._ask(
            "script.evaluate", target={"context": self._tab}, expression=expression, awaitPromise=True
        )
        assert answer["type"] == "success", answer
        return answer["result"]["value"]


class Bidi:
    """A connection to Firefox: commands are answered in turn, what the console says is kept."""

    def __init__(self, address: str) -> None:
        self._socket = connect(address, max_size=None)
        self._numbers = count()
        self.said: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])

    def ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("method") == "log.entryAdded":
                self.said.append(str(message["params"]["text"]))
            elif message.get("id") == number:
                assert message["type"] == "success", f"{method}: {message}"
                return message["result"]

    def close(self) -> None:
        self._socket.close()


@contextmanager
def firefox() -> Iterator[Bidi]:
    """Start Firefox without a screen, with a profile of its own."""
    with ExitStack() as stack:
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        command = [program(FIREFOX), "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL))
        stack.callback(process.wait, 30)
        stack.callback(process.terminate)
        assert process.stderr is not None
        bidi = Bidi(line_of(process.stderr, r"WebDriver BiDi listening on (\S+)") + "/session")
        stack.callback(bidi.close)
        yield bidi


class ClassicWindow(Window):
    """The window of a browser that speaks WebDriver."""

    def __init__(self, session: str, said: Path) -> None:
        self._session, self._said = session, said
        self._frame = (0, 0)

    def _ask(self, command: str, body: dict[str, Any] | None = None, *, method: str = "") -> Any:
        return ask(f"{self._session}/{command}", body, method=method)

    @property
    def said(self) -> list[str]:
        return self._said.read_text(errors="replace").splitlines()

    def open(self, address: str) -> None:
        self._ask("url", {"url": address})

    def back(self) -> None:
        self._ask("back", {})

    def resize(self, width: int, height: int) -> None:
        outer = self._ask("window/rect")
        inner = self.run("() => [innerWidth, innerHeight]")
        self._ask("window/rect", {"width": width + outer["width"] - inner[0], "height": height + outer["height"] - inner[1]})
        self.until("(width, height) => innerWidth === width && innerHeight === height", width, height)

    def picture(self) -> bytes:
        return b64decode(self._ask("screenshot"))

    def send(self, actions: list[dict[str, Any]]) -> None:
        self._ask("actions", {"actions": actions})

    def evaluate(self, expression: str) -> Any:
        return self._ask("execute/sync", {"script": f"return {expression}", "args": []})


def ask(address: str, body: dict[str, Any] | None = None, *, method: str = "") -> Any:
    """Return a driver's answer to a command."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, {"Content-Type": "application/json"}, method=method or None)
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]
    except HTTPError as error:
        pytest.fail(f"{address.rpartition('/')[2]}: {error.read().decode()}")


@contextmanager
def webkit() -> Iterator[ClassicWindow]:
    """Start WebKit's small browser on a screen that nobody sees."""
    with ExitStack() as stack:
        said = Path(stack.enter_context(tempfile.NamedTemporaryFile()).name)
        screen = stack.enter_context(started(program("Xvfb"), "-displayfd", "1", "-screen", "0", "1500x1200x24", stdout=subprocess.PIPE))
        display = line_of(screen.stdout, r"(\d+)")
        port = free_port()
        stack.enter_context(started(program(WEBKIT), f"--port={port}", stdout=said.open("wb"), env=os.environ | {"DISPLAY": f":{display}", "GDK_BACKEND": "x11"}))
        wait(port)
        options = {"binary": "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "args": ["--automation", ALOUD]}
        opened = ask(f"http://127.0.0.1:{port}/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        session = f"http://127.0.0.1:{port}/session/{opened['sessionId']}"
        stack.callback(ask, session, method="DELETE")
        yield ClassicWindow(session, said)

def wait(port):
    end = monotonic()+10
    while monotonic()<end:
        try:
            return ask(f"http://127.0.0.1:{port}/status")
        except OSError:
            sleep(0.05)

@contextmanager
def started(*command: str, **options: Any):
    with subprocess.Popen(command, **({"stderr": subprocess.STDOUT} | options)) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)
