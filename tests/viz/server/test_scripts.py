"""The scripts of the canvases are served once, under an address that names what they hold, and kept by the browser."""

from __future__ import annotations

import re
from threading import Event

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from viz.canvas.parts import parts_of
from viz.server import scripts

NAMES = ("overview", "comparison", "alignment", "prediction", "aligner", "walk")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(scripts, "_served", Event())
    return TestClient(Starlette(routes=scripts.script_routes()))


def address_in(script: str) -> str:
    found = re.search(r'ADDRESS = "([^"]+)"', script)
    assert found, script
    return found[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_component_is_told_where_its_script_is_and_finds_it_there(served: TestClient, name: str) -> None:
    told = scripts.script_of(name)
    assert len(told) < 1000
    reply = served.get(address_in(told))
    assert reply.text == parts_of(name).script
    assert reply.headers["content-type"].startswith("text/javascript")  # or the browser runs no module
    assert "immutable" in reply.headers["cache-control"]


def test_a_base_path_stands_before_the_address(served: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts.st, "get_option", {"server.baseUrlPath": "/class/"}.get)
    assert address_in(scripts.script_of("walk")).startswith("/class/attention-bench/canvas/walk/")


@pytest.mark.parametrize("path", ["walk/0000000000000000.js", "nothing/0.js", "../parts.py", "walk/%2e%2e%2fparts.js"])
def test_nothing_else_is_served(served: TestClient, path: str) -> None:
    assert served.get(f"/{scripts.ROUTE}/{path}").status_code == 404


def test_where_no_server_serves_them_a_component_holds_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "_served", Event())
    assert scripts.script_of("walk") == parts_of("walk").script
