"""What a container may do: only the proxy is reached from outside, nothing writes to its root, nobody is root."""

import re
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
import yaml

from tests.support.browsing import free_port, wait_until_it_answers
from viz.rooms.codes import ALPHABET

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
CADDY = shutil.which("caddy")
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
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed")
def test_the_proxy_sends_whoever_asks_for_a_room_to_its_server(tmp_path: Path) -> None:
    servers = {name: ThreadingHTTPServer(("127.0.0.1", 0), _Named) for name in SERVERS}
    port, text = free_port(), CADDYFILE
    for name, server in servers.items():
        Thread(target=server.serve_forever, daemon=True).start()
        text = text.replace(f"{name}:8501", f"127.0.0.1:{server.server_port}")
    (tmp_path / "Caddyfile").write_text(text.replace(":80 {", f"http://127.0.0.1:{port} {{"))
    command = [str(CADDY), "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    with subprocess.Popen(command, env={"HOME": str(tmp_path)}, stderr=subprocess.DEVNULL) as proxy:
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
