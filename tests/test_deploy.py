"""What a container may do: only the proxy is reached from outside, nothing writes to its root, nobody is root."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener, urlopen

import pytest
import yaml
from starlette.requests import Request as WebRequest
from starlette.responses import PlainTextResponse

from tests.support.browsing import free_port, wait_until_it_answers
from tests.support.serving import served
from viz.rooms.codes import ALPHABET

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
CADDY = shutil.which("caddy")
LARGEST = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]["maxUploadSize"] * 2**20
TLS = yaml.safe_load((ROOT / "deploy" / "compose.tls.yaml").read_text())
SERVERS = {name: each for name, each in COMPOSE["services"].items() if each.get("image") == "attention-bench"}


def test_the_proxy_alone_is_reached_from_outside() -> None:
    services = COMPOSE["services"]
    assert {name for name, each in services.items() if "ports" in each} == {"proxy"}
    assert len(SERVERS) == 2
    proxied = re.findall(r"reverse_proxy (.*) {", CADDYFILE)
    assert len(proxied) == len(SERVERS) + 1  # each first once, and all alike for those who ask for no room
    assert all(sorted(each.split()) == sorted(f"{name}:8501" for name in SERVERS) for each in proxied)
    assert "lb_policy cookie" in CADDYFILE


def test_the_letter_of_a_room_is_that_of_its_server() -> None:
    letters = {name: each["environment"]["ATTENTION_BENCH_REPLICA"] for name, each in SERVERS.items()}
    assert len(set(letters.values())) == len(letters)
    assert set(letters.values()) <= set(ALPHABET)
    for name, letter in letters.items():
        assert re.search(rf"~\(\?i\)\^{letter.lower()} {letter}$", CADDYFILE, re.MULTILINE)
        block = CADDYFILE.split(f"@on_{letter.lower()} vars {{replica}} {letter}\n")[1]
        assert f"attention-bench-replica={letter};" in block.split("}")[0]
        proxied = re.search(r"reverse_proxy (\S+) .*{\n\s*lb_policy first", block)
        assert proxied is not None
        assert proxied[1] == f"{name}:8501"


class _Named(BaseHTTPRequestHandler):
    """A server that says which one it is."""

    server: ThreadingHTTPServer

    def do_GET(self) -> None:
        said = b"ok" if self.path == "/_stcore/health" else str(self.server.server_port).encode()
        said = self.headers["X-Forwarded-For"].encode() if self.path == "/visitor" else said
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def do_POST(self) -> None:
        left = int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 2**16))):
            left -= len(part)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _sent(port: int, size: int) -> int:
    """Return with which status so many bytes are taken, or refused while they come."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    with suppress(ConnectionError):
        connection.request("POST", "/_stcore/upload_file/x", b"0" * size)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed")
def test_the_proxy_sends_whoever_asks_for_a_room_to_its_server(tmp_path: Path) -> None:
    servers = {name: ThreadingHTTPServer(("127.0.0.1", 0), _Named) for name in SERVERS}
    port, text = free_port(), CADDYFILE
    for name, server in servers.items():
        Thread(target=server.serve_forever, daemon=True).start()
        text = text.replace(f"{name}:8501", f"127.0.0.1:{server.server_port}")
    (tmp_path / "Caddyfile").write_text(text)
    command = [str(CADDY), "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    environment = {"HOME": str(tmp_path), "SITE": f"http://127.0.0.1:{port}"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as proxy:
        try:
            wait_until_it_answers(proxy, f"http://127.0.0.1:{port}")
            one, two = (str(each.server_port) for each in servers.values())

            def met(visitor: OpenerDirector, address: str) -> str:
                return str(visitor.open(f"http://127.0.0.1:{port}/{address}", timeout=30).read().decode())

            visitor = build_opener(HTTPCookieProcessor())
            assert met(visitor, "?room=BKXQMP") == two
            assert {met(visitor, each) for each in ("_stcore/stream", "attention-bench/rooms/x", "lessons")} == {two}
            assert {met(visitor, each) for each in ("steps?room=akxqmp", "_stcore/stream")} == {one}
            stays = build_opener(HTTPCookieProcessor())
            first = met(stays, "")
            assert {met(stays, each) for each in ("_stcore/stream", "?room=", "?room=ZKXQMP", "heads")} == {first}
            assert _sent(port, LARGEST) == 200
            assert _sent(port, 2 * LARGEST) in (413, 502)  # an older Caddy says the second
            with urlopen(Request(f"http://127.0.0.1:{port}/visitor", headers={"X-Forwarded-For": "9.9.9.9"})) as told:
                assert told.read() == b"127.0.0.1"  # whom the proxy sees, whatever the visitor says
            servers["bench-2"].shutdown()
            servers["bench-2"].server_close()
            assert met(build_opener(HTTPCookieProcessor()), "?room=BKXQMP") == one
        finally:
            proxy.terminate()
            proxy.wait(30)
            for server in servers.values():
                server.shutdown()
                server.server_close()


def test_no_container_writes_to_its_root_or_has_rights() -> None:
    for each in COMPOSE["services"].values():
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert re.findall(r"^VOLUME (.*)$", DOCKERFILE, re.MULTILINE) == ["/data"]
    assert "HEALTHCHECK" in DOCKERFILE


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    """`.dockerignore` names what comes along: all that the Dockerfile copies, and nothing of the tests."""
    taken = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name.removeprefix("./")
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert copied == taken
    assert all((ROOT / name).exists() for name in copied)


def test_images_are_named_by_what_they_hold() -> None:
    images = [each["image"] for each in COMPOSE["services"].values() if "build" not in each]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(images) == 3
    assert all(re.fullmatch(r"[\w.:-]+@sha256:[0-9a-f]{64}", each) for each in images)


def test_no_container_has_processes_or_memory_without_bound() -> None:
    for each in COMPOSE["services"].values():
        assert 0 < each["pids_limit"] <= 1024
        assert each["mem_limit"]


def test_a_server_takes_the_address_of_a_visitor_from_the_proxy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As uvicorn reads the variable of the compose file, with peers that are not this machine's first address."""
    (proxy,) = COMPOSE["services"]["proxy"]["networks"].values()
    (trusted,) = {each["environment"]["FORWARDED_ALLOW_IPS"] for each in SERVERS.values()}
    assert trusted == proxy["ipv4_address"]

    async def app(scope: dict[str, str], receive: object, send: object) -> None:
        if scope["type"] == "http":
            await PlainTextResponse(str(WebRequest(scope).client.host))(scope, receive, send)

    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.2")
    with served(app) as address:
        assert _seen_from("127.0.0.2", address) == "203.0.113.9"
        assert _seen_from("127.0.0.3", address) == "127.0.0.3"
        assert _seen_from("127.0.0.1", address) == "127.0.0.1"


def _seen_from(source: str, address: str) -> str:
    """Return whom a server sees when somebody at `source` passes on what another asked."""
    host, port = address.removeprefix("http://").split(":")
    connection = HTTPConnection(host, int(port), timeout=20, source_address=(source, 0))
    connection.request("GET", "/", headers={"X-Forwarded-For": "203.0.113.9"})
    said = connection.getresponse().read().decode()
    connection.close()
    return said


def _listening(**environment: str) -> set[str]:
    """Return where the proxy listens, as it reads its file."""
    command = [str(CADDY), "adapt", "--adapter", "caddyfile", "--config", str(ROOT / "deploy" / "Caddyfile")]
    adapted = subprocess.run(
        command, env={"PATH": os.environ["PATH"]} | environment, capture_output=True, check=True, timeout=30
    )
    servers = json.loads(adapted.stdout)["apps"]["http"]["servers"].values()
    return {listening for each in servers for listening in each["listen"]}


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed")
def test_with_a_name_the_proxy_speaks_tls_and_without_one_http_alone() -> None:
    assert _listening() == {":80"}
    assert _listening(SITE="bench.school.example") == {":443"}
    assert set(TLS["services"]) == {"proxy"}
    assert TLS["services"]["proxy"]["ports"] == ["0.0.0.0:443:443"]
    assert TLS["services"]["proxy"]["environment"]["SITE"].startswith("${SITE:?")
    assert "certificates:/data" in COMPOSE["services"]["proxy"]["volumes"]
    assert "plain HTTP" in (ROOT / "deploy" / "compose.yaml").read_text()
