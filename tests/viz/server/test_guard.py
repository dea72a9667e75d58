"""What the server lets a browser do: headers on every reply, and nothing told to those who should not ask."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from viz.server.guard import HEADERS, guards, policy
from viz.shell.html_injection import FIRST_PAGE, inline_scripts

ROOT = Path(__file__).parents[3]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Callable[..., TestClient]:
    """Return a browser of an app behind the guard, whose owner has set some variables."""

    def made(at: str = "127.0.0.1", **said: str) -> TestClient:
        for name, text in said.items():
            monkeypatch.setenv(f"ATTENTION_BENCH_{name}", text)
        paths = ("/", "/_stcore/metrics", "/school/_stcore/metrics", "/_stcore/health")
        routes = [Route(path, lambda _request: PlainTextResponse("told")) for path in paths]
        routes.append(
            Route(
                "/page",
                lambda _request: HTMLResponse("<html><head><b></head>\N{HEAVY CHECK MARK}", headers={"etag": "1"}),
            )
        )
        return TestClient(Starlette(routes=routes, middleware=guards(["one();"], first="zero();")), client=(at, 5000))

    return made


def test_every_reply_carries_the_headers_a_missing_page_too(client: Callable[..., TestClient]) -> None:
    for path, status in (("/", 200), ("/absent", 404), ("/_stcore/metrics", 404)):
        answer = client().get(path)
        assert answer.status_code == status
        assert HEADERS.items() <= {name.title(): value for name, value in answer.headers.items()}.items()
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_policy_has_no_wildcard_and_allows_text_as_script_by_its_hash_alone() -> None:
    said = policy(["one();"], ["https://school.example"])
    assert "*" not in said
    scripts = said.partition("script-src")[2].partition(";")[0]
    assert scripts.split() == [
        "'self'",
        "blob:",
        "'wasm-unsafe-eval'",
        "'sha256-0+WO/BLOFX4yaxuOgr4enhLoCeodx+iRke4LxGBVui8='",
    ]
    assert said.endswith("frame-ancestors 'self' https://school.example")


def test_scripts_of_streamlits_own_page_are_found() -> None:
    assert inline_scripts(FIRST_PAGE.read_text(encoding="utf8"))
    assert inline_scripts("<script>\na()</script><script src='b'></script><script>c()</script>") == ["\na()", "c()"]


def test_a_page_begins_with_the_script_that_hears_first(client: Callable[..., TestClient]) -> None:
    answer = client().get("/page")
    assert answer.text == "<html><head><script>zero();</script><b></head>\N{HEAVY CHECK MARK}"
    assert "etag" not in answer.headers
    assert len(inline_scripts(FIRST_PAGE.read_text(encoding="utf8").replace("<head>", "<head><script>a</script>"))) == 2
    assert client().get("/").text == "told"


def test_schools_that_are_named_may_frame_the_app(client: Callable[..., TestClient]) -> None:
    answer = client(FRAMED_BY="https://a.example, http://b.example:8080").get("/")
    assert answer.headers["Content-Security-Policy"].endswith("'self' https://a.example http://b.example:8080")


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/school/_stcore/metrics", "/_stcore/metrics/"])
def test_figures_of_the_server_are_told_to_nobody(path: str, client: Callable[..., TestClient]) -> None:
    assert client().get(path).status_code == 404
    assert client().get("/_stcore/health").text == "told"


def test_its_owner_may_let_this_machine_ask_for_figures(client: Callable[..., TestClient]) -> None:
    assert client(METRICS="on").get("/_stcore/metrics").text == "told"
    passed_on = client(METRICS="on").get("/_stcore/metrics", headers={"X-Forwarded-For": "10.0.0.9"})
    assert passed_on.status_code == 404
    assert client("10.0.0.9", METRICS="on").get("/_stcore/metrics").status_code == 404


@pytest.mark.parametrize(
    "sites", ["school.example", "https://*.example", "https://a.example/x", "https://a.example;script-src", "*"]
)
def test_what_is_no_site_cannot_get_into_the_policy(sites: str, client: Callable[..., TestClient]) -> None:
    with pytest.raises(SystemExit, match="ATTENTION_BENCH_FRAMED_BY is sites such as"):
        client(FRAMED_BY=sites)


def test_a_server_that_is_set_up_wrongly_does_not_start_and_says_why() -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
    environment = os.environ | {"ATTENTION_BENCH_HUB_MEGABYTES": "1 GB", "ATTENTION_BENCH_LINK": "off"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode
    assert "ATTENTION_BENCH_HUB_MEGABYTES is a whole number of megabytes" in ended.stderr
    assert "There is no ATTENTION_BENCH_LINK; is ATTENTION_BENCH_LINKS meant?" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_server_listens_on_this_machine_alone() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf8"))
    assert config["server"]["address"] == "localhost"
