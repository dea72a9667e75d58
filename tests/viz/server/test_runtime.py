"""What visitors share: models loaded once, traces bounded by bytes, one computation for many askers."""

import gc
import platform
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread, current_thread
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.scriptrunner import StopException

from models.trace import AttentionTrace
from models.waiting import go_on
from tests.support.figure_samples import translation
from tests.support.waiting import until
from viz.server import caching, opening, queueing, runs, runtime
from viz.server.cores import WORTH_EVERY_CORE
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.server.traces import TraceCache

PATIENCE = 20  # seconds


def sample(words: int = 4) -> AttentionTrace:
    texts = [*(f"w{number}" for number in range(words)), "</s>"]
    return translation(texts, texts)


class Model:
    """Stands in for a loaded model: counts its runs."""

    sha256 = "of its weights"

    def __init__(self, key: str = "model") -> None:
        self.key = key
        self.runs: list[str] = []

    def attend(self, source: str, target: str | None = None, **choices: Any) -> AttentionTrace:
        self.runs.append(source)
        if not source:
            message = "Type a sentence."
            raise ValueError(message)
        return sample(len(source.split()))


def test_the_size_of_a_trace_counts_its_arrays() -> None:
    small, large = sample(4).nbytes, sample(400).nbytes
    assert small > 5 * 5 * 4
    assert large > 401 * 401 * 4


def test_a_kept_trace_is_given_again() -> None:
    cache, trace = TraceCache(), sample()
    assert cache.get("a", lambda: trace) is trace
    assert cache.get("a", sample) is trace


def test_the_trace_that_was_not_asked_for_longest_leaves_first() -> None:
    traces = {name: sample(20) for name in "abc"}
    cache = TraceCache(2 * traces["a"].nbytes)
    for name in "abac":
        cache.get(name, lambda name=name: traces[name])
    assert cache.get("a", sample) is traces["a"]
    assert cache.get("b", sample) is not traces["b"]


def test_no_more_traces_are_kept_than_are_allowed_however_short_they_are() -> None:
    cache = TraceCache(most=3)
    for number in range(10):
        cache.get(number, sample)
    assert len(cache) == 3
    assert [cache.knows(number) for number in (6, 7, 8, 9)] == [False, True, True, True]


def test_a_trace_larger_than_the_cache_is_given_but_not_kept() -> None:
    cache = TraceCache(10)
    assert len(cache.get("a", sample).source) == 5
    assert (len(cache), cache.size) == (0, 0)


def test_a_trace_that_fills_most_of_the_cache_makes_way_before_another_is_computed() -> None:
    large = sample(60)
    cache, kept = TraceCache(large.nbytes + 1), []
    cache.get("large", lambda: large)
    assert cache.get("large", sample) is large
    cache.get("small", lambda: kept.append(len(cache)) or sample(2))
    assert kept == [0]
    assert 0 < cache.size <= sample(2).nbytes


def test_memory_is_given_back_when_a_large_trace_has_made_way_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[int] = []
    large = sample(60)
    cache = TraceCache(large.nbytes + 1)
    monkeypatch.setattr(caching, "give_back_memory", lambda: given_back.append(cache.size))
    cache.get("small", lambda: sample(2))
    cache.get("large", lambda: large)
    assert given_back == []
    cache.get("other", lambda: sample(2))
    assert given_back == [0]


FREED_BY_A_THREAD = """
import psutil
from threading import Thread

from viz.server.heap import give_back_memory


def work():
    blocks = [bytearray(100_000) for _ in range(1000)]
    kept.append(blocks[-1])
    del blocks


kept, process = [], psutil.Process()
thread = Thread(target=work)
thread.start()
thread.join()
before = process.memory_info().rss
assert give_back_memory()
print(before - process.memory_info().rss)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc holds back what is freed")
def test_memory_that_a_thread_freed_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", FREED_BY_A_THREAD], capture_output=True, check=True)
    assert int(done.stdout) > 50e6


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 30)), max_size=20), st.integers(0, 60_000))
def test_the_cache_never_takes_more_bytes_than_it_may(requests: list[tuple[int, int]], limit: int) -> None:
    cache = TraceCache(limit)
    for request in requests:
        cache.get(request, lambda words=request[1]: sample(words))
        assert 0 <= cache.size <= limit
    assert (cache.size == 0) == (len(cache) == 0)


def test_a_failure_is_raised_and_not_kept() -> None:
    cache = TraceCache()

    def fail() -> AttentionTrace:
        message = "no"
        raise ValueError(message)

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            cache.get("a", fail)
    assert len(cache.get("a", sample).source) == 5


def test_what_many_ask_for_at_once_is_computed_once() -> None:
    cache, begun, go_on = TraceCache(), Event(), Event()
    runs = []

    def compute() -> AttentionTrace:
        runs.append(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return sample()

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(cache.get, "a", compute)
        assert begun.wait(PATIENCE)
        others = [pool.submit(cache.get, "a", compute) for _ in range(7)]
        go_on.set()
        results = {id(each.result(PATIENCE)) for each in (first, *others)}
    assert (len(runs), len(results)) == (1, 1)


def test_many_threads_leave_the_cache_in_order() -> None:
    cache, start = TraceCache(5 * sample().nbytes), Barrier(8)

    def visit(number: int) -> None:
        start.wait(PATIENCE)
        for step in range(60):
            words = (number + step) % 9
            assert len(cache.get(words, lambda: sample(words)).source) == words + 1  # noqa: B023

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(visit, number) for number in range(8)]:
            done.result(PATIENCE)
    assert 0 < cache.size <= 5 * sample().nbytes


def test_a_model_is_loaded_once_for_all_threads() -> None:
    loads, start = [], Barrier(6)

    def load(key: str, progress: Any) -> Any:
        loads.append(key)
        return Model(key)

    host = Host(load)

    def visit() -> Any:
        start.wait(PATIENCE)
        return host.model("a")

    with ThreadPoolExecutor(6) as pool:
        models = {id(each.result(PATIENCE)) for each in [pool.submit(visit) for _ in range(6)]}
    assert (loads, len(models)) == (["a"], 1)


def test_warming_up_loads_in_the_background_and_in_order() -> None:
    loads, go_on = [], Event()

    def load(key: str, progress: Any) -> Any:
        assert go_on.wait(PATIENCE)
        loads.append(key)
        return Model(key)

    host = Host(load)
    thread = host.warm_up(("a", "b"))
    assert not host.is_settled("a")
    assert not host.is_settled("b")
    go_on.set()
    thread.join(PATIENCE)
    assert loads == ["a", "b"]
    assert host.is_settled("a")
    assert host.is_settled("b")


def test_whoever_warmed_up_models_is_let_go_with_them() -> None:
    host = Host(lambda key, _progress: Model(key))
    host.warm_up(("a",)).join(PATIENCE)
    gone = weakref.ref(host)
    del host
    gc.collect()
    assert gone() is None


WARMING = {
    "the app": """
from viz.server.runtime import Host
Host(load).warm_up(("first", "second"))
""",
    "the app with models of strangers": """
from viz.server.runtime import Host
Host(lambda key, *_: load(key[5:])).warm_up(("hf:a/first", "hf:a/second"))
""",
    "the service": """
from threading import Thread
from scale.serve.model_cache import ModelCache
cache = ModelCache()
cache.keys = lambda: ("first", "second")
cache._load = load
Thread(target=cache.warm_up, daemon=True).start()
""",
}


@pytest.mark.parametrize("who", WARMING)
def test_a_process_that_ends_while_models_are_loaded_is_not_aborted(who: str) -> None:
    program = f"""
from threading import Event
from types import SimpleNamespace
import torch
begun = Event()

def load(key, *_):
    begun.set()
    for _ in range(20):
        torch.ones(1000, 1000) @ torch.ones(1000, 1000)
    print(key, flush=True)
    return SimpleNamespace(key=key)
{WARMING[who]}
begun.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "first\n", "")


def test_a_process_ends_though_a_model_never_comes() -> None:
    program = """
from threading import Event
from models import ending
from viz.server.runtime import Host
ending.LONGEST = 0.1
begun = Event()
Host(lambda *_: begun.set() or Event().wait()).warm_up(("first",))
begun.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_where_models_run_elsewhere_one_is_opened_here_and_the_others_when_they_are_loaded_there() -> None:
    loaded = Event()
    opened: list[tuple[str, bool]] = []

    class Crew:
        has_all = False

        def warm_up(self, keys: Any) -> Thread:
            thread = Thread(target=loaded.wait, args=(PATIENCE,), daemon=True)
            thread.start()
            return thread

    def load(key: str, progress: Any) -> Any:
        opened.append((key, loaded.is_set()))
        return Model(key)

    warming = Host(load, crew=Crew()).warm_up(("a", "b"))  # type: ignore[arg-type]
    until(lambda: opened)
    loaded.set()
    warming.join(PATIENCE)
    assert opened == [("a", False), ("b", True)]


def test_a_model_that_cannot_be_loaded_is_named_and_leaves_the_others_alone() -> None:
    def load(key: str, progress: Any) -> Any:
        if key == "bad":
            message = "weights/bad: no such file"
            raise FileNotFoundError(message)
        return Model(key)

    host = Host(load)
    host.warm_up(("bad", "good")).join(PATIENCE)
    assert host.is_settled("bad")
    with pytest.raises(ModelUnavailableError, match="bad: weights/bad: no such file"):
        host.model("bad")
    assert host.model("good").key == "good"


@pytest.fixture
def known_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime.models, "describe", lambda key: SimpleNamespace(sha256=f"hash of {key}"), raising=False)


@pytest.mark.usefixtures("known_entry")
def test_a_sentence_is_run_once_and_shared() -> None:
    model = Model()
    host = Host(lambda key, progress: model)  # type: ignore[arg-type,return-value]
    assert host.attend("a", "two words") is host.attend("a", "two words")
    host.attend("a", "two words", "deux mots")
    host.attend("a", "two words", sites=("*.scores",))
    host.attend("b", "two words")
    assert model.runs == ["two words"] * 4


@pytest.mark.usefixtures("known_entry")
def test_bad_input_is_reported_as_the_model_says_it() -> None:
    host = Host(lambda key, progress: Model())  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="Type a sentence"):
        host.attend("a", "")


def test_a_model_for_serving_runs_on_one_thread_and_is_out_of_the_collectors_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    before, model = torch.get_num_threads(), Model()
    monkeypatch.setattr(runtime.models, "load_translator", lambda key, at_rest: model, raising=False)
    frozen = gc.get_freeze_count()
    try:
        assert runtime.load_for_serving("a") is model
        assert torch.get_num_threads() == 1
        assert gc.get_freeze_count() > frozen
        seen = []
        thread = Thread(target=lambda: seen.append(torch.get_num_threads()))
        thread.start()
        thread.join(PATIENCE)
        assert seen == [1]
        assert len(model.runs) == 1  # its first run, the slow one, is behind it
        assert runtime.load_for_serving("a", at_rest=True) is model
        assert len(model.runs) == 1
    finally:
        torch.set_num_threads(before)
        gc.unfreeze()


def pretrained(key: str) -> Any:
    return SimpleNamespace(key=key, sha256=f"hash of {key}", attend=lambda *given, **choices: sample())


def test_a_pretrained_model_is_known_by_its_own_hash_and_reads_pairs() -> None:
    given = []

    class Reader(Model):
        sha256 = "of its weights"

        def attend(self, source: str, target: str | None = None, **choices: Any) -> AttentionTrace:
            given.append(choices.get("pair"))
            return super().attend(source, target)

    model = Reader()
    host = Host(lambda key, progress: model)  # type: ignore[arg-type,return-value]
    alone, paired = host.attend("hf:a", "one text"), host.attend("hf:a", "one text", pair="another")
    assert alone is host.attend("hf:a", "one text")
    assert alone is not paired
    assert given == [None, "another"]
    assert "of its weights" in host.identify("hf:a", "one text")  # type: ignore[operator]


def test_a_failed_load_is_remembered_until_it_is_forgotten() -> None:
    tries: list[str] = []

    def load(key: str, progress: Any) -> Any:
        tries.append(key)
        if len(tries) == 1:
            message = "no connection"
            raise runtime.models.InputError(message)
        return pretrained(key)

    host = Host(load)
    for _ in range(3):
        with pytest.raises(ModelUnavailableError, match=r"^no connection$"):
            host.model("hf:a/b")
    assert tries == ["hf:a/b"]
    host.forget("hf:a/b")
    assert not host.is_begun("hf:a/b")
    assert host.model("hf:a/b").key == "hf:a/b"
    host.forget("hf:a/b")
    assert host.is_settled("hf:a/b")  # what has been loaded is not forgotten


def test_the_pretrained_models_used_least_recently_go_and_ours_stay() -> None:
    loads: list[str] = []

    def load(key: str, progress: Any) -> Any:
        loads.append(key)
        return pretrained(key)

    host = Host(load, most_pretrained=2)
    try:
        for key in ("ours", "hf:a", "hf:b", "hf:a", "hf:c"):
            host.model(key)
        assert [host.is_settled(key) for key in ("ours", "hf:a", "hf:b", "hf:c")] == [True, True, False, True]
        host.model("hf:b")
        assert loads == ["ours", "hf:a", "hf:b", "hf:c", "hf:b"]
        assert not host.is_settled("hf:a")
    finally:
        gc.unfreeze()


def test_failures_are_not_remembered_without_end() -> None:
    def load(key: str, progress: Any) -> Any:
        message = "no"
        raise runtime.models.InputError(message)

    host = Host(load)
    for number in range(3 * opening.MOST_FAILURES):
        with pytest.raises(ModelUnavailableError):
            host.model(f"hf:a/{number}")
    assert sum(host.is_begun(f"hf:a/{number}") for number in range(3 * opening.MOST_FAILURES)) == opening.MOST_FAILURES


def test_how_far_a_download_is_can_be_asked_while_it_runs() -> None:
    begun, go_on = Event(), Event()

    def load(key: str, progress: Any) -> Any:
        progress(3, 10)
        begun.set()
        assert go_on.wait(PATIENCE)
        return pretrained(key)

    host = Host(load)
    thread = host.warm_up(("hf:a/b",))
    assert begun.wait(PATIENCE)
    assert host.progress("hf:a/b") == (3, 10)
    assert host.is_begun("hf:a/b")
    assert not host.is_settled("hf:a/b")
    go_on.set()
    thread.join(PATIENCE)
    assert host.progress("hf:a/b") is None


def test_a_long_text_has_every_core_and_gives_them_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.server.cores.os.cpu_count", lambda: 3)
    usual, seen = torch.get_num_threads(), []

    class Watching(Model):
        def attend(self, source: str, target: str | None = None, **choices: Any) -> AttentionTrace:
            seen.append(torch.get_num_threads())
            if source.startswith("bad"):
                message = "bad"
                raise ValueError(message)
            return super().attend("a word", target, **choices)

    host = Host(lambda _key, _progress: Watching())
    torch.set_num_threads(1)
    try:
        host.attend("hf:one", "short")
        host.attend("hf:one", "long " * WORTH_EVERY_CORE)
        with pytest.raises(ValueError, match="bad"):
            host.attend("hf:one", "bad " * WORTH_EVERY_CORE)
        assert seen == [1, 3, 3]
        host.attend("bahdanau-en-fr", "long " * WORTH_EVERY_CORE)  # a token a step: cores would wait for each other
        assert seen == [1, 3, 3, 1]
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(usual)


def test_who_leaves_ends_the_run_and_whoever_else_waits_gets_it_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two visitors ask for one trace; the first, who computes it, leaves."""
    begun, left, waits, calls = Event(), Event(), Event(), []
    leaver = Thread(target=lambda: None)

    def ask() -> None:
        if current_thread() is not leaver:
            waits.set()
        elif left.is_set():
            raise StopException

    class Slow(Model):
        def attend(self, source: str, target: str | None = None, **choices: Any) -> AttentionTrace:
            calls.append(current_thread())
            begun.set()
            while current_thread() is leaver:
                go_on()
                assert left.wait(PATIENCE)
            return super().attend(source, target, **choices)

    for each in (runs, queueing):
        monkeypatch.setattr(each, "leave_if_asked", ask)
    host = Host(lambda _key, _progress: Slow())
    ended: list[BaseException] = []

    def leave() -> None:
        try:
            host.attend("hf:a/b", "a word")
        except BaseException as error:
            ended.append(error)

    leaver = Thread(target=leave, daemon=True)
    leaver.start()
    assert begun.wait(PATIENCE)
    with ThreadPoolExecutor() as pool:
        other = pool.submit(host.attend, "hf:a/b", "a word")
        assert waits.wait(PATIENCE)
        assert not other.done()
        left.set()
        assert other.result(PATIENCE) is host.attend("hf:a/b", "a word")
    leaver.join(PATIENCE)
    assert [type(each) for each in ended] == [StopException]
    assert len(calls) == 2
