"""How the service on Ray Serve grows and shrinks: ``python -m benchmarks.scaling``.

Visitors ask one sentence after another, more at once than one replica should have, until a second has answered for a
while; then one asks now and then, until one replica is left. Every answer names the process that gave it. ``--delay``
is how long Ray waits before it ends a replica that is no longer needed: five minutes in the service, less here.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from threading import Event
from typing import Annotated, Any

import typer

from benchmarks.measure import Json, report
from benchmarks.served import sentences
from benchmarks.serving import free_port
from models.command import run
from scale.client.pool import ConnectionPool
from scale.serve import wire
from scale.serve.on_ray import BUSY_AT, replicas, start, stop
from scale.serve.settings import ServiceSettings

KEY = "bahdanau-en-fr"
AT_ONCE = 3 * BUSY_AT
LOADED = 15.0
"""Seconds of load that are counted, before a second replica answers and after."""

PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    at: float  # when, and how long after it was asked for
    milliseconds: float  # when, and how long after it was asked for
    by: str  # the process that gave it


class Load:
    """Visitors who ask one sentence after another."""

    def __init__(self, port: int, visitors: int, pause: float = 0.0) -> None:
        self._ways, self._pause, self._ended = ConnectionPool(f"http://127.0.0.1:{port}", 60), pause, Event()
        self.answers: list[Answer] = []
        self._pool = ThreadPoolExecutor(visitors)
        self._visitors = [self._pool.submit(self._visit, number) for number in range(visitors)]

    def _visit(self, number: int) -> None:
        texts = sentences()
        for place in count():
            text = f"{place} {number} {next(texts)}"
            asked = wire.Request("attend", KEY, text).to_bytes().decode("ascii")
            begun = time.monotonic()
            line = self._ways.take(named=self._ways.is_time_to_look())
            headers = {wire.SENT: asked, "serve_multiplexed_model_id": KEY}
            line.connection.request("POST", "/v1/attend", headers=headers)
            reply = line.connection.getresponse()
            reply.read()
            self._ways.give(line)
            if reply.status != 200:
                message = f"the service answered {reply.status}"
                raise RuntimeError(message)
            self._ways.learn(reply.headers.get(wire.PORT), reply.headers[wire.OURS])
            now = time.monotonic()
            self.answers.append(Answer(now, 1000 * (now - begun), reply.headers[wire.OURS]))
            if self._ended.wait(self._pause):
                return

    def processes(self) -> int:
        """Return how many processes have answered."""
        return len({each.by for each in self.answers})

    def row(self, named: str, since: float) -> dict[str, Any]:
        """Return what was answered `since` a moment, as a row called `named`."""
        counted = [each for each in self.answers if each.at >= since]
        seconds = time.monotonic() - since
        return {
            "while": named,
            "at once": len(self._visitors),
            "answers a second": round(len(counted) / seconds, 1),
            "median, ms": round(statistics.median(each.milliseconds for each in counted)),
            "processes that answered": len({each.by for each in counted}),
        }

    def end(self) -> None:
        """Stop; raises what went wrong with a visitor."""
        self._ended.set()
        self._pool.shutdown()
        for each in self._visitors:
            each.result()


def seconds_until(is_so: Callable[[], bool], since: float) -> float:
    """Return how many seconds after `since` it `is_so`; TimeoutError if it never is."""
    while not is_so():
        if time.monotonic() - since > PATIENCE:
            message = "the service neither grew nor shrank"
            raise TimeoutError(message)
        time.sleep(0.1)
    return time.monotonic() - since


def measure(port: int, delay: float) -> tuple[list[dict[str, Any]], str]:
    """Load a service that has just started, and leave it alone again; return rows, and seconds in words."""
    few = Load(port, 1, 0.2)
    seconds_until(lambda: len(few.answers) > 5, time.monotonic())
    few.end()
    began = time.monotonic()
    many = Load(port, AT_ONCE)
    started = seconds_until(lambda: replicas() > 1, began)
    rows = [many.row("one replica, until a second is started", began)]
    answered = seconds_until(lambda: many.processes() > 1, began)
    settled = time.monotonic()
    time.sleep(LOADED)
    rows.append(many.row("two replicas", settled))
    many.end()
    left = time.monotonic()
    few = Load(port, 1, 0.2)
    alone = seconds_until(lambda: replicas() < 2, left)
    rows.append(few.row("two replicas, until one is left", left))
    few.end()
    said = (
        f"A second replica was started {started:.1f} s after the load began and answered after {answered:.1f} s; one "
        f"was left {alone:.1f} s after it ended (wait of Ray: {delay:.0f} s)."
    )
    return rows, said


def main(
    *,
    delay: Annotated[float, typer.Option(help="Seconds for which Ray keeps a replica without need.")] = 20.0,
    json: Json = False,
) -> None:
    """Measure and write a table."""
    port = free_port()
    start(ServiceSettings(port=port, workers=2), "local", delay)
    try:
        rows, said = measure(port, delay)
    finally:
        stop()
    report("How the service grows and shrinks", rows, as_json=json)
    typer.echo(said)


if __name__ == "__main__":
    run(main)
