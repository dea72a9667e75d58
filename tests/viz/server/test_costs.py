"""What runs cost is learnt, and by it the longest is dealt first, to whoever has least to do."""

from __future__ import annotations

import json

import pytest

from viz.server.costs import Costs
from viz.server.run_request import RunRequest
from viz.server.worker import Worker
from viz.server.worker_pool import WorkerPool

USUAL = ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")


def asked(key: str, source: str = "123456789") -> RunRequest:
    return RunRequest(key, source, None, (), ())


def test_a_model_costs_what_its_runs_took_by_length_and_a_new_one_what_the_others_do() -> None:
    costs = Costs()
    costs.learn(asked("a"), 20.0)
    costs.learn(asked("b"), 40.0)
    costs.learn(asked("a"), 0.0)  # a question that was refused
    assert costs.of(asked("a", "1234567890123456789")) == pytest.approx(40.0)
    assert costs.of(asked("new")) == pytest.approx(30.0)
    for _time in range(40):
        costs.learn(asked("a"), 90.0)
    assert costs.of(asked("a")) == pytest.approx(90.0, rel=0.01)


def ready_pool(monkeypatch: pytest.MonkeyPatch) -> WorkerPool:
    """Return two processes that take questions and answer none."""

    def send(worker: Worker, data: bytes) -> None:
        told = json.loads(data)
        if "warm" in told:
            worker._waiting.pop(told["number"]).future.set_result(b"")

    monkeypatch.setattr(Worker, "_send", send)
    crew = WorkerPool(2)
    crew.warm_up(()).join(20)
    return crew


def test_the_longest_run_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = ready_pool(monkeypatch)
    for key, milliseconds in zip(USUAL, (18.0, 17.0, 37.0), strict=True):
        crew._costs.learn(asked(key), milliseconds)
    crew.ask([asked(key) for key in USUAL])
    dealt = [[each.question.key for each in worker._waiting.values() if each.question] for worker in crew.workers]
    assert dealt == [[USUAL[2]], [USUAL[0], USUAL[1]]]
    crew.ask([asked(USUAL[0])])
    assert [round(worker.load) for worker in crew.workers] == [37, 53]


def test_a_question_goes_where_another_of_its_model_waits_if_that_is_soonest(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run together: it adds less there than it would take alone elsewhere."""
    crew = ready_pool(monkeypatch)
    for key, milliseconds in (("a", 30.0), ("b", 28.0)):
        crew._costs.learn(asked(key), milliseconds)
    crew.ask([asked("a"), asked("b")])
    crew.ask([asked("a")])  # 30 wait there, 28 at the other
    assert [[each.question.key for each in worker._waiting.values() if each.question] for worker in crew.workers] == [
        ["a", "a"],
        ["b"],
    ]
