"""How often something may be done: a burst at once, then so many a minute, of each by themselves."""

from __future__ import annotations

from viz.rooms.allowance import MINUTE, Burst


def test_a_burst_is_given_back_minute_by_minute_and_is_everybodys_own() -> None:
    seconds = [0.0]
    burst = Burst(60, a_minute=30, clock=lambda: seconds[0])
    assert [burst.take("one") for _each in range(61)] == [True] * 60 + [False]
    assert burst.take("another")
    for _minute in range(3):
        seconds[0] += MINUTE
        assert [burst.take("one") for _each in range(31)] == [True] * 30 + [False]
    seconds[0] += 10 * MINUTE
    assert [burst.take("one") for _each in range(61)] == [True] * 60 + [False]
