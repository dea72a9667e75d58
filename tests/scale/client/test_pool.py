"""Requests go straight to the processes that name a port of their own, and back by the address when those end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from scale.client import RemoteModels, pool
from scale.client.pool import AwayError, ConnectionPool
from scale.client.service import Service
from scale.serve import wire
from scale.serve.handler import RequestHandler
from scale.serve.model_cache import ModelCache
from scale.serve.on_ray import PORTS, OwnPort, ports_after
from scale.serve.web import THIS, make_app
from tests.support.serving import CutLine, free_port, served
from tests.support.waiting import until
from viz.server.queueing import watch
from viz.server.runtime import served_host

KEY = "luong-dot-en-fr"
TOKEN = "a-token-for-these-tests"


@pytest.fixture(scope="module")
def desk() -> RequestHandler:
    return RequestHandler(ModelCache(), batched=False)


@pytest.fixture(autouse=True)
def _nobody_waits() -> Iterator[None]:
    yield
    watch(lambda: False)


def replica(desk: RequestHandler) -> tuple[Any, int]:
    """Return an application that names the port at which it is to be served, and that port."""
    port = free_port()
    return make_app(desk, TOKEN, port=lambda: port), port


def test_after_the_first_answer_requests_leave_the_named_address_out(desk: RequestHandler) -> None:
    app, port = replica(desk)
    with served(app, port) as address:
        named = CutLine(address, 0)  # stands for Ray's proxy: what passes through it is counted
        service = Service(named.address, TOKEN)
        host = served_host(RemoteModels(service))
        sentences = [f"The cat sees {count} dogs." for count in ("two", "three", "four", "five")]
        assert [host.attend(KEY, each).source_text for each in sentences] == sentences
        assert (named.came, service._ways.straight) == (1, (port,))
        named.close()


def test_where_a_replica_ends_its_requests_go_by_the_address_again(desk: RequestHandler) -> None:
    (one, first), (other, second) = replica(desk), replica(desk)
    with ExitStack() as up, served(other, second) as there:
        up.enter_context(served(one, first))
        service = Service(there, TOKEN)
        host = served_host(RemoteModels(service))
        service._ways.learn(str(first), THIS)
        assert host.attend(KEY, "The cat sleeps.").source_text == "The cat sleeps."
        assert service._ways.straight == (first,)
        up.close()
        assert host.attend(KEY, "The dog sleeps.").source_text == "The dog sleeps."
        assert service._ways.straight == (second,)


def test_the_address_is_asked_who_else_is_there(desk: RequestHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    (one, first), (other, second) = replica(desk), replica(desk)
    with served(one, first), served(other, second) as there:
        service = Service(there, TOKEN)
        service._ways.learn(str(first), THIS)
        monkeypatch.setattr(pool, "LOOK_AROUND", 0.0)
        served_host(RemoteModels(service)).attend(KEY, "The cat sleeps.")
        until(lambda: set(service._ways.straight) == {first, second})


def test_the_replica_with_the_fewest_requests_under_way_gets_the_next(desk: RequestHandler) -> None:
    (one, first), (other, second) = replica(desk), replica(desk)
    with served(one, first), served(other, second) as address:
        paths = ConnectionPool(address, 5)
        for port in (first, second):
            paths.learn(str(port), THIS)
        lines = [paths.take() for _ in range(4)]
        assert sorted(each.way.port or 0 for each in lines) == sorted([first, second] * 2)
        paths.give(lines[1])
        assert paths.take().connection is lines[1].connection
        for each in lines:
            each.connection.close()


@pytest.mark.parametrize("port", [None, "", "0", "65536", "-1", "80a", "٣", "9" * 5000])
def test_what_is_no_port_is_not_learnt(port: str | None) -> None:
    paths = ConnectionPool("http://127.0.0.1:9", 1)
    paths.learn(port, THIS)
    assert paths.straight == ()


def test_over_tls_nothing_is_learnt_and_who_is_not_there_is_away() -> None:
    paths = ConnectionPool(f"https://127.0.0.1:{free_port()}/models/", 1)
    paths.learn("8601", THIS)
    assert (paths.straight, paths.path) == ((), "/models")
    with pytest.raises(AwayError):
        paths.take()


def test_a_process_finds_the_port_at_which_it_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert OwnPort(range(port, port + 1))() == port
    assert OwnPort(range(port, port + 1))() is None
    assert OwnPort(range(0))() is None


@pytest.mark.parametrize("port", [1, 8600, 65535 - PORTS, 65536 - PORTS, 65535])
def test_ports_of_replicas_are_ports_and_not_that_of_the_service(port: int) -> None:
    ports = ports_after(port)
    assert len(ports) == PORTS
    assert port not in ports
    assert 0 < ports.start < ports[-1] < 2**16


def test_only_who_has_the_token_is_told_the_port(desk: RequestHandler) -> None:
    app, port = replica(desk)
    known = {"Authorization": f"Bearer {TOKEN}"}
    assert TestClient(app).get("/health", headers=known).headers[wire.PORT] == str(port)
    refused = TestClient(app).get("/health")
    assert refused.status_code == 401
    assert wire.PORT not in refused.headers
    assert wire.PORT not in TestClient(make_app(desk)).get("/health").headers


async def _stranger(_scope: Any, _receive: Any, send: Any) -> None:
    heard.append(dict(_scope["headers"]))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


heard: list[dict[bytes, bytes]] = []
"""What came to the stranger."""


def test_somebody_else_at_the_port_is_told_nothing_and_left_alone(desk: RequestHandler) -> None:
    app, port = replica(desk)
    with served(_stranger, port), served(app) as address:
        service = Service(address, TOKEN)
        host = served_host(RemoteModels(service))
        for text in ("The cat sleeps.", "The dog sleeps.", "The bird sleeps."):
            assert host.attend(KEY, text).source_text == text
        assert len(heard) == 1
        assert b"authorization" not in heard[0]
        assert service._ways.straight == ()


def test_another_process_at_the_port_of_one_that_ended_is_asked_for_its_name_first(desk: RequestHandler) -> None:
    app, port = replica(desk)
    with served(app, port):
        paths = ConnectionPool(f"http://127.0.0.1:{port}", 5)
        paths.learn(str(port), "one-before")
        line = paths.take()
        assert (line.way.port, line.way.who, paths.straight) == (port, "", ())
        paths.learn(str(port), THIS)
        assert paths.straight == (port,)
        line.connection.close()
