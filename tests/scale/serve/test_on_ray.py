"""The service on Ray Serve: the same records, nobody else reaches Ray, and a replica that is killed costs nothing."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest
import torch

import models
from models.trace.codec import to_bytes
from scale.client import RemoteModels
from scale.client.service import Service
from scale.on_ray import open_sockets, start_ray
from scale.serve import on_ray
from scale.serve.settings import ServiceSettings
from tests.support.serving import free_port
from viz.server.queueing import watch
from viz.server.runtime import Host, served_host

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own settings

KEYS = ("bahdanau-en-fr", "transformer-en-fr")
SENTENCE = "The tall man hears the guitar."
TOKEN = "a-token-for-these-tests"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    port = free_port()
    on_ray.start(ServiceSettings(port=port, token=TOKEN, workers=1, most_models=2, batched=False), "local")
    yield Service(f"http://127.0.0.1:{port}", TOKEN)
    on_ray.stop()
    watch(lambda: False)


@pytest.fixture(scope="module")
def there(service: Service) -> Host:
    return served_host(RemoteModels(service))


def replicas() -> list[int]:
    """Return the processes of the replicas, which Ray names."""
    ours = psutil.Process().children(recursive=True)
    return [each.pid for each in ours if any("ServeReplica" in part for part in each.cmdline())]


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Run on one thread of torch, as a replica does: with two, a product is added up in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_replicas_give_the_same_and_let_models_go(there: Host, one_thread: None) -> None:
    for key in (*KEYS, "luong-dot-en-fr", KEYS[0]):
        assert to_bytes(there.attend(key, SENTENCE)) == to_bytes(models.load(key).attend(SENTENCE))
    with pytest.raises(models.InputError, match="empty"):
        there.attend(KEYS[0], " ")


def test_a_replica_that_is_killed_while_it_answers_costs_the_visitor_nothing(there: Host) -> None:
    long = "The tall man hears the guitar near the old house, and the small doctor reads. " * 10
    there.model(KEYS[1])
    with ThreadPoolExecutor(4) as visitors:
        asked = [visitors.submit(there.attend, KEYS[1], f"{number} {long}") for number in range(4)]
        (pid,) = replicas()
        os.kill(pid, signal.SIGKILL)
        assert {each.result(120).source_text[0] for each in asked} == set("0123")
    assert pid not in replicas()


def test_nobody_else_reaches_what_ray_opens(service: Service) -> None:
    ours = psutil.Process().children(recursive=True)
    listening = [line for each in ours for line in each.net_connections("inet") if line.status == psutil.CONN_LISTEN]
    assert len(listening) > 10
    assert list(open_sockets()) == []
    with socket.create_server(("0.0.0.0", 0)) as opened:
        port = opened.getsockname()[1]
        assert list(open_sockets()) == [f"0.0.0.0 port {port}"]
        assert list(open_sockets({port})) == []


def test_ray_lets_nobody_in_without_its_token(service: Service) -> None:
    """Of all that listens, no port starts a job for somebody without the token; one, the agent's, refuses in words."""
    answers = set()
    for process in psutil.Process().children(recursive=True):
        for line in process.net_connections("inet"):
            if line.status == psutil.CONN_LISTEN:
                answers.add(status_of("POST", line.laddr.port, "/api/job_agent/jobs/", b'{"entrypoint": "true"}'))
    assert 401 in answers
    assert not answers & set(range(200, 300))


def status_of(method: str, port: int, path: str, data: bytes = b"") -> int:
    """Return with which status a port answers; 0 where it does not speak HTTP."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request(method, path, data, {"Content-Type": "application/json"})
        return connection.getresponse().status
    except (HTTPException, OSError):
        return 0
    finally:
        connection.close()


def test_a_half_sent_request_is_closed_by_proxy_and_replica(there: Host, service: Service) -> None:
    there.attend(KEYS[1], SENTENCE)
    lines = [
        socket.create_connection(("127.0.0.1", port), 60) for port in (service_port(service), *service._ways.straight)
    ]
    for line in lines:
        line.sendall(b"POST /v1/attend HTTP/1.1\r\nX-a: ")
    assert len(lines) == 2
    for line in lines:
        assert line.recv(1) == b""
        line.close()


def service_port(service: Service) -> int:
    return service._ways._parts.port or 0


def test_replicas_are_asked_without_the_proxy_and_ask_for_the_token_there_too(there: Host, service: Service) -> None:
    there.attend(KEYS[1], SENTENCE)
    (port,) = service._ways.straight
    with pytest.raises(HTTPError) as refused:
        urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=20)
    assert refused.value.code == 401
    refused.value.close()


def test_ray_is_not_started_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    for address in ("local", "auto"):
        with pytest.raises(models.InputError, match="without its token"):
            start_ray(address, 1, {})
