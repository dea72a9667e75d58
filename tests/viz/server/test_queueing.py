"""One model is opened at a time, a panic settles as any error does, and nobody waits for what does not come."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from models.errors import InputError
from tests.support.waiting import until
from viz.server import hub, opening
from viz.server.hub import hub_settings
from viz.server.opening import ModelUnavailableError
from viz.server.queueing import Turns, settle, wait_for
from viz.server.runtime import Host
from viz.shell import script_run

PATIENCE = 20


class Panic(BaseException):
    """What a panic of Rust is to Python: no Exception."""


def model(key: str) -> Any:
    return SimpleNamespace(key=key, title=key, sha256="", attend=lambda *_, **__: None)


def test_a_panic_settles_and_can_be_tried_again() -> None:
    """Threads that wait for the model end, and none is left behind."""
    tries: list[str] = []

    def load(key: str, _progress: Any) -> Any:
        tries.append(key)
        if len(tries) == 1:
            message = "called `Option::unwrap()` on a `None` value"
            raise Panic(message)
        return model(key)

    host, before = Host(load), threading.active_count()
    for _visit in range(8):
        with pytest.raises(ModelUnavailableError, match=r"hf:a/b: Panic: called `Option::unwrap"):
            host.model("hf:a/b")
    assert host.is_settled("hf:a/b")
    assert len(tries) == 1
    until(lambda: threading.active_count() <= before)
    host.forget("hf:a/b")
    assert host.model("hf:a/b").key == "hf:a/b"


def test_a_panic_in_a_text_is_a_message() -> None:
    def attend(*_: Any, **__: Any) -> Any:
        message = "index out of bounds"
        raise Panic(message)

    host = Host(lambda key, _progress: SimpleNamespace(key=key, title="Owner's", sha256="", attend=attend))  # type: ignore[arg-type,return-value]
    with pytest.raises(InputError, match=r"Owner's cannot read this text \(index out of bounds\)"):
        host.attend("hf:a/b", "text")


def test_what_takes_too_long_is_given_up_and_the_next_has_its_turn() -> None:
    never = Event()

    def load(key: str, _progress: Any) -> Any:
        if key == "hf:slow/one":
            never.wait(PATIENCE)
        return model(key)

    host = Host(load, seconds=0.5)
    with pytest.raises(ModelUnavailableError, match=r"hf:slow/one did not open within \d seconds?"):
        host.model("hf:slow/one")
    assert host.is_settled("hf:slow/one")
    assert host.model("hf:quick/one").key == "hf:quick/one"
    host.forget("hf:slow/one")
    assert not host.is_begun("hf:slow/one")
    never.set()


def test_models_of_strangers_are_opened_one_at_a_time_and_so_many_wait() -> None:
    inside: list[int] = []
    most: list[int] = []
    go_on = Event()

    def load(key: str, _progress: Any) -> Any:
        inside.append(1)
        most.append(len(inside))
        go_on.wait(PATIENCE)
        inside.pop()
        return model(key)

    host = Host(load, most_pretrained=50)
    keys = [f"hf:a/{number}" for number in range(40)]
    threads = [host.warm_up((key,)) for key in keys]
    refused = 40 - 1 - opening.MOST_WAITING
    until(lambda: sum(map(host.is_settled, keys)) >= refused)
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    failed = []
    for key in keys:
        try:
            host.model(key)
        except ModelUnavailableError as error:
            failed.append(str(error))
    assert max(most) == 1
    assert failed == ["Too many models are being opened at once. Try again in a minute."] * refused


def test_our_own_models_wait_for_no_stranger() -> None:
    go_on = Event()

    def load(key: str, _progress: Any) -> Any:
        if key == "hf:a/b":
            go_on.wait(PATIENCE)
        return model(key)

    host = Host(load)
    host.warm_up(("hf:a/b",))
    assert host.model("bahdanau-en-fr").key == "bahdanau-en-fr"
    go_on.set()


def test_who_leaves_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    class LeftError(BaseException):
        """What Streamlit ends a run with."""

    left = Event()

    def check() -> None:
        if left.is_set():
            raise LeftError

    monkeypatch.setattr(script_run, "get_script_run_ctx", lambda **_: SimpleNamespace(yield_check=check))
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            wait_for(Future(), lambda: None)
        except BaseException as error:
            ended.append(error)

    thread = Thread(target=wait, daemon=True)
    thread.start()
    thread.join(0.5)
    assert thread.is_alive()
    left.set()
    thread.join(PATIENCE)
    assert [type(each) for each in ended] == [LeftError]


def test_a_future_that_was_settled_stays_as_it_is() -> None:
    future: Future[int] = Future()
    future.set_result(1)
    settle(future, lambda: 2)
    assert future.result() == 1


def test_a_turn_that_fails_is_over() -> None:
    turns = Turns(1, PATIENCE)
    with pytest.raises(ZeroDivisionError), turns.turn("one"):
        _ = 1 / 0
    with turns.turn("two"):
        turns.check("one")
        turns.check("two")


@pytest.mark.parametrize(
    ("address", "switch", "limited", "enabled", "said"),
    [
        ("localhost", None, True, True, None),
        ("127.0.0.1", None, True, True, None),
        (None, None, True, False, "Hub models are off, because this server is open to"),
        ("0.0.0.0", None, True, False, "ATTENTION_BENCH_HUB=on"),
        ("0.0.0.0", "on", True, True, None),
        ("0.0.0.0", "a/b", True, True, None),
        ("localhost", "off", True, False, None),
        ("localhost", "on", False, False, "Hub models are off, because this server cannot limit"),
        ("localhost", None, False, False, "ATTENTION_BENCH_MODELS"),
    ],
)
def test_the_hub_is_on_where_nobody_else_reaches_the_server_and_memory_is_limited(
    address: str | None,
    switch: str | None,
    limited: bool,
    enabled: bool,
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "can_limit", lambda: limited)
    monkeypatch.setattr(st, "get_option", lambda _name: address)
    monkeypatch.delenv("ATTENTION_BENCH_HUB", raising=False)
    if switch is not None:
        monkeypatch.setenv("ATTENTION_BENCH_HUB", switch)
    settings = hub_settings()
    assert settings.enabled is enabled
    assert (said or "") in str(settings.why_off or "")
    assert bool(settings.why_off) is bool(said)
