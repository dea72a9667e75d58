"""Models in a process of their own: the same records bit for bit, the same errors, and nothing lost with it."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import Pipe
from threading import Event, Thread, current_thread
from time import monotonic
from typing import Any

import numpy as np
import psutil
import pytest
from streamlit.runtime.scriptrunner import StopException

import models
from models.edits import scale_scores, zero_head
from models.error_codec import error_of
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from models.translation import batching
from models.translation.batching import BatchItem, attend_together
from tests.support.waiting import until
from viz.server import queueing
from viz.server.cores import load_for_serving
from viz.server.queueing import telling, wait_while
from viz.server.run_request import RunRequest
from viz.server.runtime import Host
from viz.server.translations import own_translations
from viz.server.worker import MOST_STARTS, RunAnswer, Worker, WorkerLostError
from viz.server.worker_pool import WorkerPool, possible_workers
from viz.server.worker_process import HEAD, WorkerLoop

KEYS = ("bahdanau-en-fr", "luong-local-p-en-fr", "transformer-en-fr")
TEXTS = ("The cat sleeps.", "A small doctor hears the guitar near the garden.", "We were tired!", "\U0001f600 x")

pytestmark = pytest.mark.skipif(not possible_workers(1), reason="needs two cores and a POSIX system")


@pytest.fixture(scope="module")
def crew() -> Iterator[WorkerPool]:
    crew = WorkerPool(2)
    crew.warm_up(()).join(60)
    yield crew
    crew.stop()


@pytest.fixture(scope="module")
def beside(crew: WorkerPool) -> Host:
    return Host(load_for_serving, crew=crew)


@pytest.fixture(scope="module")
def here() -> Host:
    return Host(load_for_serving)


def bits(trace: AttentionTrace) -> Any:
    maps = [(each.site, each.weights.tobytes(), *(v.tobytes() for v in each.companions.values())) for each in trace]
    return maps, trace.steps, trace.source, trace.target, trace.output_text, trace.provenance


def test_what_the_worker_runs_is_the_same_bit_for_bit_and_within_1e_5_in_company(beside: Host, here: Host) -> None:
    alone = {text: own_translations(here, KEYS, text) for text in TEXTS}
    with ThreadPoolExecutor(8) as visitors:
        found = list(visitors.map(lambda text: (text, own_translations(beside, KEYS, text)), TEXTS * 4))
    for text, traces in found:
        for key, trace in traces.items():
            expected = alone[text][key]
            if not trace.provenance.is_approximate:
                assert bits(trace) == bits(expected)
            assert bits(beside.alone(trace)) == bits(expected)
            assert (trace.source, trace.target, trace.output_text) == (
                expected.source,
                expected.target,
                expected.output_text,
            )
            for each in trace:
                np.testing.assert_allclose(each.weights, expected[each.site].weights, rtol=0, atol=1e-5)


def test_what_is_saved_of_a_run_in_company_is_that_of_a_run_alone(here: Host) -> None:
    model = models.load(KEYS[2])
    together, _other = attend_together(model, [BatchItem("THE CAT SLEEPS."), BatchItem("We rest.")])
    assert together is not None
    alone = model.attend("THE CAT SLEEPS.")
    assert bits(together) != bits(alone)
    assert to_bytes(here.alone(together)) == to_bytes(alone) == to_bytes(here.alone(alone))


def test_a_sentence_that_is_typed_is_drafted_and_saved_as_in_steps(beside: Host, here: Host) -> None:
    key, text, edits = KEYS[2], "The old man reads a book near the river.", (zero_head("decoder.0.cross", 0),)
    typed = [beside.attend(key, text[:end]) for end in range(20, len(text) + 1)]
    assert any(trace.provenance.drafted for trace in typed)
    for trace in typed:
        alone = here.attend(key, trace.source_text)
        assert trace.target == alone.target
        assert to_bytes(here.alone(trace)) == to_bytes(alone)
    for options in ({"target": "Le vieux lit."}, {"edits": edits}):
        assert bits(beside.attend(key, text, **options)) == bits(here.attend(key, text, **options))
    assert not any(beside.attend(KEYS[0], text[:end]).provenance.drafted for end in (20, 21, 22))


def told(answer: bytes) -> tuple[int, AttentionTrace | Exception]:
    """Return the number of an answer, and what it says."""
    number, _milliseconds, is_record = HEAD.unpack_from(answer)
    data = answer[HEAD.size :]
    return number, AttentionTrace.load(io.BytesIO(data)) if is_record else error_of(json.loads(data))


def test_what_waits_for_one_model_runs_together_but_who_left_what_is_wrong_and_what_is_edited() -> None:
    ours, theirs = Pipe()
    texts = ("The cat sleeps.", "A dog runs.", " ", "The tall man reads books.", "We were tired!")
    edits = (zero_head("decoder.0.cross", 0),)
    for number, text in enumerate(texts):
        for key in KEYS[:2]:
            question = RunRequest(key, text, None, edits if number == 4 else (), ("*.weights",)).asked()
            ours.send_bytes(json.dumps(question | {"number": 10 * KEYS.index(key) + number}).encode())
    ours.send_bytes(json.dumps({"drop": 1}).encode())
    working = Thread(target=WorkerLoop(theirs).work)
    working.start()
    found = [told(ours.recv_bytes()) for _ in range(9)]
    ours.close()
    working.join(20)
    assert [number for number, _said in found] == [0, 2, 3, 10, 11, 12, 13, 4, 14]
    for number, said in found:
        place = number % 10
        if place == 2:
            assert isinstance(said, models.InputError)
            continue
        assert isinstance(said, AttentionTrace)
        assert said.source_text == texts[place]
        assert said.provenance.batched == (place != 4)
        if place == 4:
            assert bits(said) == bits(models.load(KEYS[number // 10]).attend(texts[place], edits=edits))


def test_a_pass_that_nobody_waits_for_any_more_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """All three of a pass are taken back while it runs: it ends, none is answered, and what comes next is."""
    ours, theirs = Pipe()
    desk = WorkerLoop(theirs)
    steps = iter(range(1000))

    def take(question: str) -> None:
        ours.send_bytes(asked(next(numbers), question))

    numbers = iter(range(1000))
    greedy = batching.greedy

    def leaving(*given: Any, **options: Any) -> Iterator[Any]:
        for each in greedy(*given, **options):
            if next(steps) == 1:
                for number in range(3):
                    ours.send_bytes(json.dumps({"drop": number}).encode())
                take("We rest.")
            yield each

    monkeypatch.setattr(batching, "greedy", leaving)
    monkeypatch.setattr(desk, "_model", lambda _key: models.load(KEYS[0]))
    for text in TEXTS[:3]:
        take(text)
    working = Thread(target=desk.work)
    working.start()
    number, said = told(ours.recv_bytes())
    ours.close()
    working.join(20)
    assert (number, isinstance(said, AttentionTrace) and said.source_text) == (3, "We rest.")
    assert next(steps) == 2


def test_edits_and_forced_translations_cross(beside: Host, here: Host) -> None:
    edits = (zero_head("decoder.1.cross", 2), scale_scores("decoder.0.cross", 0.5))
    runs = [
        host.attend("transformer-en-fr", "The cat sleeps.", "Le chat dort.", edits=edits) for host in (beside, here)
    ]
    assert bits(runs[0]) == bits(runs[1])


def test_what_is_wrong_is_said_in_the_words_of_the_model(beside: Host) -> None:
    with pytest.raises(models.InputError) as caught:
        beside.attend(KEYS[0], " ")
    with pytest.raises(models.InputError) as expected:
        models.load(KEYS[0]).attend(" ")
    assert caught.value.args == expected.value.args
    with pytest.raises(models.InputError):
        beside.attend(KEYS[0], "The cat.", pair="a second text")


def test_how_long_a_run_took_does_not_count_the_wait(beside: Host) -> None:
    beside.attend(KEYS[0], "A queue is long.")
    took = beside.traces.milliseconds(beside.identify(KEYS[0], "A queue is long."))
    assert took is not None
    assert 0 < took < 60_000


def test_a_worker_that_ended_is_started_again_and_nothing_is_lost() -> None:
    crew = WorkerPool(1)
    (worker,) = crew.workers
    host = Host(load_for_serving, crew=crew)
    try:
        for number in range(MOST_STARTS + 2):
            assert host.attend(KEYS[0], f"It is day {number}.").output_text
            if worker._process is not None and worker._process.poll() is None:
                os.kill(worker._process.pid, signal.SIGKILL)
                worker._process.wait()
                until(lambda: worker._connection is None)
        with pytest.raises(WorkerLostError):
            crew.ask([RunRequest(KEYS[0], "It is day.", None, (), ("*.weights",))])
    finally:
        crew.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_the_second_process_is_a_copy_that_answers_alike_outlives_the_first_and_begins_again() -> None:
    crew = WorkerPool(2)
    first, second = crew.workers

    def answered(worker: Worker, text: str) -> AttentionTrace:
        return worker.ask([RunRequest(KEYS[0], text, None, (), ("*.weights",))])[0].wait()[0]

    try:
        crew.warm_up(KEYS).join(60)
        assert first._process is not None
        (copy,) = psutil.Process(first._process.pid).children()
        assert copy.memory_full_info().uss < copy.memory_info().rss / 4
        assert bits(answered(first, "The cat sleeps.")) == bits(answered(second, "The cat sleeps."))
        first._process.kill()
        until(lambda: first._connection is None)
        assert answered(second, "We rest.").output_text
        assert second._process is None  # by the copy
        copy.kill()
        until(lambda: second._connection is None)
        assert answered(second, "We rest.").output_text
        assert second._process is not None
    finally:
        crew.stop()
    until(lambda: not psutil.pid_exists(copy.pid) or copy.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_a_copy_ends_with_its_line() -> None:
    crew = WorkerPool(2)
    crew.warm_up(()).join(60)
    process = crew.workers[0]._process
    assert process is not None
    (copy,) = psutil.Process(process.pid).children()
    crew.stop()
    until(lambda: not psutil.pid_exists(copy.pid) or copy.status() == psutil.STATUS_ZOMBIE)


def asked(number: int, source: str) -> bytes:
    return json.dumps(RunRequest("m", source, None, (), ("*.weights",)).asked() | {"number": number}).encode()


def test_an_answer_that_nobody_waits_for_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three questions one is taken back while it runs, one before it began."""
    from models.waiting import go_on

    ours, theirs = Pipe()
    begun: list[str] = []
    trace = models.load(KEYS[0]).attend("The cat sleeps.")

    class Model:
        title = "a model"

        def attend(self, source: str, target: str | None, **_options: Any) -> AttentionTrace:
            begun.append(source)
            if source == "first":
                ours.send_bytes(json.dumps({"drop": 1}).encode())
                give_up = monotonic() + 20
                while monotonic() < give_up:
                    go_on()
            return trace

    desk = WorkerLoop(theirs)
    monkeypatch.setattr(desk, "_model", lambda key: Model())
    for number, source in enumerate(("first", "second", "third"), start=1):
        ours.send_bytes(asked(number, source))
    ours.send_bytes(json.dumps({"drop": 2}).encode())
    working = Thread(target=desk.work)
    working.start()
    number, _milliseconds, is_record = HEAD.unpack_from(ours.recv_bytes())
    ours.close()
    working.join(20)
    assert (number, is_record, begun) == (3, True, ["first", "third"])


def test_whoever_leaves_takes_the_question_back(
    beside: Host, crew: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave() -> None:
        raise StopException

    monkeypatch.setattr(queueing, "leave_if_asked", leave)
    monkeypatch.setattr(queueing, "LOOK", 0.001)
    with pytest.raises(StopException):
        beside.attend("transformer-en-fr", "and so on " * 40)
    assert not any(each.waiting for each in crew.workers)
    monkeypatch.undo()
    assert beside.attend(KEYS[0], "Still there.").output_text


def test_past_the_bound_a_visitor_is_told_and_gets_the_answer_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str | None] = []
    looks = iter((True, True, False))
    monkeypatch.setattr(queueing, "LOOK", 0.001)
    with telling(told.append):
        wait_while(lambda: next(looks))
        assert told == ["busy", None]
        wait_while(lambda: False)
    assert told == ["busy", None]


def questions(text: str, count: int) -> list[RunRequest]:
    return [RunRequest(f"m{number}", text, None, (), ()) for number in range(count)]


def leave_all(answers: list[RunAnswer]) -> None:
    for answer in answers:
        answer.leave()


def test_past_the_bound_whoever_came_first_is_let_in_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each asks two questions where two may wait; one of those who wait leaves, and holds up nobody."""
    monkeypatch.setattr(queueing, "LOOK", 0.001)
    monkeypatch.setattr(Worker, "_send", lambda _worker, _data: None)
    crew, came, entered = WorkerPool(1, most_waiting=2), Event(), []

    def leave() -> None:
        if current_thread().name == "3":
            raise StopException

    monkeypatch.setattr(queueing, "leave_if_asked", leave)

    def visit(who: int) -> None:
        with telling(lambda _why: came.set()), suppress(StopException):
            answers = crew.ask(questions(str(who), 2))
            entered.append(who)
            leave_all(answers)

    first = crew.ask(questions("0", 2))
    visitors = [Thread(target=visit, args=(who,), name=str(who)) for who in range(1, 7)]
    for visitor in visitors:
        came.clear()
        visitor.start()
        assert came.wait(20)
    leave_all(first)
    for visitor in visitors:
        visitor.join(20)
    assert entered == [1, 2, 4, 5, 6]
    assert not crew._line


def test_questions_go_where_least_waits_and_to_the_other_where_one_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[Worker] = []

    def send(worker: Worker, data: bytes) -> None:
        if worker in lost:
            raise WorkerLostError
        asked = json.loads(data)
        if "warm" in asked:
            worker._waiting.pop(asked["number"]).future.set_result(b"")

    monkeypatch.setattr(Worker, "_send", send)
    crew = WorkerPool(2)
    crew.warm_up(()).join(20)
    one, other = crew.workers
    crew.ask(questions("a", 1))
    crew.ask(questions("b", 4))
    assert sorted((one.waiting, other.waiting)) == [2, 3]
    lost.append(one)
    assert len(crew.ask(questions("c", 3))) == 3
    assert one.waiting + other.waiting == 8
    lost.append(other)
    with pytest.raises(WorkerLostError):
        crew.ask(questions("d", 1))
