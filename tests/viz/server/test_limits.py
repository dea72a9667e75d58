"""What one visitor may ask for: a change over the bound waits and is not lost, sweeps go side by side up to a bound."""

from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from models.errors import InputError
from viz.server import limits
from viz.server.limits import BURST_SECONDS, Pace, Places, check_length, keep_pace, sweeping

PATIENCE = 20.0


@given(st.lists(st.floats(0, 5), max_size=120), st.integers(1, 50))
def test_no_more_changes_are_counted_than_the_bound_says(gaps: list[float], rate: int) -> None:
    pace, now, taken = Pace(0.0), 0.0, []
    for gap in gaps:
        now += gap
        if not pace.wait(now, rate=rate):
            taken.append(now)
    for first in range(len(taken)):
        for last in range(first, len(taken)):
            assert last - first + 1 <= rate * (taken[last] - taken[first] + BURST_SECONDS) + 1e-6


@given(st.floats(0, 1e7), st.integers(1, 50))
def test_whoever_waits_as_long_as_they_are_told_is_answered(start: float, rate: int) -> None:
    pace = Pace(start)
    waits = [pace.wait(start, rate=rate) for _change in range(int(BURST_SECONDS * rate) + 1)]
    assert waits[:-1] == [0.0] * (len(waits) - 1)
    assert 0 < waits[-1] <= 1 / rate + 1e-6
    assert not pace.wait(start + waits[-1] + 1e-6, rate=rate)


def test_what_is_over_the_bound_is_told_once_and_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_EDITS_A_SECOND", "4")
    pace, told, began = Pace(monotonic()), [], monotonic()
    for _change in range(10):
        keep_pace(pace, lambda: told.append("wait"))
    assert 0.3 < monotonic() - began < PATIENCE
    assert 1 <= len(told) <= 2


def test_a_text_that_is_too_long_for_this_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_CHARACTERS", "20")
    check_length("x" * 10, None, "y" * 10)
    with pytest.raises(InputError, match="has 21 characters; the limit is 20"):
        check_length("x" * 11, None, "y" * 10)


def test_no_more_sweeps_run_at_once_than_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_SWEEPS", "2")
    monkeypatch.setattr(limits, "LOOK", 0.01)
    inside, most, told, lock, pair = set(), [], [], threading.Lock(), threading.Barrier(2)

    def sweep(number: int) -> None:
        with sweeping(lambda: told.append(number)):
            with lock:
                inside.add(number)
                most.append(len(inside))
            pair.wait(PATIENCE)
            with lock:
                inside.discard(number)

    threads = [threading.Thread(target=sweep, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    assert len(most) == 8
    assert max(most) == 2
    assert len(told) == len(set(told))


def test_a_place_is_free_again_after_a_failure_and_after_somebody_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOOK", 0.01)
    places = Places()
    with pytest.raises(ZeroDivisionError), places.place(1, lambda: None):
        _ = 1 / 0

    def leave() -> None:
        raise KeyboardInterrupt

    with places.place(1, lambda: None):
        monkeypatch.setattr(limits, "leave_if_asked", leave)
        with suppress(KeyboardInterrupt), places.place(1, lambda: None):
            pytest.fail("two were inside")
    with places.place(1, lambda: pytest.fail("waited")):
        pass


def script() -> None:
    from viz.pages.bench.page import PAGE

    PAGE.show()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("ATTENTION_BENCH_CHARACTERS", "30")
    return AppTest.from_function(script, default_timeout=120).run()


def test_a_page_says_that_a_text_is_too_long_and_keeps_it(app: AppTest) -> None:
    long = "The cat sleeps on the mat and the dog sleeps too."
    app.text_input(key="sentence").set_value(long).run()
    assert not app.exception
    assert any("the limit is 30" in each.value.replace("\\", "") for each in app.error)
    assert app.text_input(key="sentence").value == long
