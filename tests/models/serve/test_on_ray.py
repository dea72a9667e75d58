"""The service on Ray Serve: the same records, and a replica that is killed while it answers costs the visitor nothing.

Skipped where Ray Serve is not installed: it is an extra, `requirements-scale.txt`, which the tests do without.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest
import torch

import models
from models.serve import on_ray
from models.serve.settings import Settings
from models.trace.codec import to_bytes
from tests.support.serving import free_port
from viz.server.queueing import watch
from viz.server.runtime import Host, served_host
from viz.server.service import Service

pytest.importorskip("ray.serve", reason="Ray is an extra: pip install -r requirements-scale.txt")

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own settings

KEYS = ("bahdanau-en-fr", "transformer-en-fr")
SENTENCE = "The tall man hears the guitar."
TOKEN = "a-token-for-these-tests"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    port = free_port()
    on_ray.start(Settings(port=port, token=TOKEN, workers=1, most_models=2, batched=False), "local")
    yield Service(f"http://127.0.0.1:{port}", TOKEN)
    on_ray.stop()
    watch(lambda: False)


@pytest.fixture(scope="module")
def there(service: Service) -> Host:
    return served_host(service)


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
        assert bytes(to_bytes(there.attend(key, SENTENCE))) == bytes(to_bytes(models.load(key).attend(SENTENCE)))
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


def test_replicas_are_asked_without_the_proxy_and_ask_for_the_token_there_too(there: Host, service: Service) -> None:
    there.attend(KEYS[1], SENTENCE)
    (port,) = service._ways.straight
    with pytest.raises(HTTPError) as refused:
        urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=20)
    assert refused.value.code == 401
    refused.value.close()
