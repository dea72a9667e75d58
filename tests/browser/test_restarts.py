"""A server in odd places, stopped in the middle of its work: it stops at once, and whoever was on a page goes on."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from tests.support.browsing import ROOT, free_port, says, settle, wait_until_it_answers
from tests.support.waiting import until
from viz.server import shutdown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SECONDS = 3.0
ESTABLISHED = "01"  # in the kernel's table of connections
FIRST, SECOND = (
    "The old man reads a book.",
    "A red bird sings at night while the moon is bright.",
)
ALONE = """
import socket, sys
connect = socket.socket.connect
def alone(self, to):
    if self.family in (socket.AF_INET, socket.AF_INET6) and to[0] not in ("127.0.0.1", "::1", "localhost"):
        sys.stderr.write(f"ASKED {to}\\n")
        raise OSError("no network")
    return connect(self, to)
socket.socket.connect = alone
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return a copy of the app in a folder with spaces, and beside it what tells of attempts to reach the network."""
    copy = tmp_path / "a folder with späces" / "attention bench"
    copy.mkdir(parents=True)
    for name in ("app.py",):
        shutil.copy(ROOT / name, copy)
    for name in ("viz", "static", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "models", copy / "models", ignore=shutil.ignore_patterns("__pycache__", "weights"))
    (copy / "models" / "weights").symlink_to(ROOT / "models" / "weights")
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "sitecustomize.py").write_text(ALONE, encoding="utf8")
    return copy


def start(app: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the app in a C locale, without a home or a network, from another folder; it can write to no file."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "LANG", "PYTHONUTF8")}
    environment |= {"LC_ALL": "C", "PYTHONPATH": str(app.parents[1] / "alone")}
    return subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(app / "app.py"), "--server.port", str(port)],
        cwd="/",
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )


def stop(server: subprocess.Popen[bytes]) -> tuple[float, str]:
    """Ask the server to end; return after how many seconds it has, and what it and its processes said on their way."""
    began = monotonic()
    server.send_signal(signal.SIGTERM)
    server.wait(timeout=60)
    seconds = monotonic() - began
    _out, said = server.communicate(timeout=120)  # the processes of the models end when they see that it has
    return seconds, said.decode(errors="replace")


def ask_and_not_read(port: int) -> socket.socket:
    """Ask for the page so often that the answers wait for a reader, who does not come."""
    client = socket.create_connection(("127.0.0.1", port))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2000)
    return client


def unread(port: int) -> list[str]:
    """Return what waits to be sent and to be read on each connection of a server, in bytes, as the kernel says."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[4] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == ESTABLISHED]


def is_stuck(server: subprocess.Popen[bytes], port: int) -> bool:
    """Return whether two clients have left so much unread that a server which answers others writes them no more."""
    before = unread(port)
    wait_until_it_answers(server, f"http://localhost:{port}")
    waiting = [each for each in unread(port) if int(each.partition(":")[0], 16) > 0]
    return len(waiting) == 2 and set(waiting) <= set(before)


def test_a_server_that_is_stopped_in_mid_request_and_started_again_loses_nothing(
    elsewhere: Path, open_page: Callable[..., Page]
) -> None:
    from playwright.sync_api import expect

    address, edits = f"http://localhost:{(port := free_port())}", "scale_scores(decoder.*.cross,0.5)"
    server, said = start(elsewhere, port), ""
    try:
        wait_until_it_answers(server, address)
        page = open_page(f"{address}/surgery", sentence=FIRST, edits=edits, check="heads")
        page.locator(".surgery-text").first.wait_for()  # the sweep begins
        page.get_by_role("textbox").first.fill(SECOND)
        page.wait_for_function("() => location.search.includes('moon')")
        seconds, said = stop(server)
        assert seconds < SECONDS
        server = start(elsewhere, port)
        wait_until_it_answers(server, address)
        expect(page.get_by_role("textbox").first).to_have_value(SECOND)
        translation = page.locator(".surgery-text").first
        expect(translation).not_to_be_empty()
        expect(translation).not_to_contain_text("homme")  # of the sentence before
        says(page, sentence=SECOND)
        says(page, edits=edits)
    finally:
        said += stop(server)[1]
    assert "ASKED" not in said
    assert "Traceback" not in said


UNANSWERED = {
    "": ".alignment .translation:has-text('homme')",
    "training": ".alignment .translation:has-text('homme')",
    "surgery": ".surgery-text:has-text('homme')",
}


def test_what_was_asked_of_a_server_that_never_read_it_is_answered_by_the_next(open_page: Callable[..., Page]) -> None:
    from playwright.sync_api import expect

    address = f"http://localhost:{(port := free_port())}"
    server = start(ROOT, port)
    try:
        wait_until_it_answers(server, address)
        pages = {place: open_page(f"{address}/{place}", sentence=FIRST) for place in UNANSWERED}
        for place, page in pages.items():
            page.locator(UNANSWERED[place]).first.wait_for()
            settle(page)
        server.send_signal(signal.SIGSTOP)
        for page in pages.values():
            page.get_by_role("textbox").first.fill(SECOND)
            page.wait_for_function("() => location.search.includes('moon')")
        server.kill()
        server.communicate()
        server = start(ROOT, port)
        wait_until_it_answers(server, address)
        for place, page in pages.items():
            expect(page.locator(UNANSWERED[place]), place).to_have_count(0)
    finally:
        stop(server)


def test_a_server_ends_although_somebody_does_not_read_its_answer(elsewhere: Path) -> None:
    server = start(elsewhere, port := free_port())
    try:
        wait_until_it_answers(server, f"http://localhost:{port}")
        with ask_and_not_read(port), ask_and_not_read(port):
            until(lambda: is_stuck(server, port))
            seconds, said = stop(server)
    finally:
        server.kill()
    assert shutdown.SECONDS - 1 < seconds < shutdown.SECONDS + 10  # less, and nobody was in the way
    assert "Traceback" not in said


def test_a_picture_whose_script_does_not_come_asks_for_it_again(browser: Browser, address: str) -> None:
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) <= 2:
            route.abort()
        else:
            route.continue_()

    page = browser.new_page()
    page.route("**/attention-bench/canvas/alignment/**", answer)
    page.goto(address)
    page.locator(".alignment .panel").first.wait_for(timeout=120_000)  # the server loads its models first
    assert len(asked) == 3
    page.close()
