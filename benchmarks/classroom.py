"""A class at one server: sessions that edit their own sentences at once. `python -m benchmarks.classroom bench 40 90`.

The server is started here, and visitors speak to it as browsers do (`benchmarks.visitor`), from a process of their own.
`room` instead of a page: so many follow one teacher; from the teacher's step sent to each student's picture.
`split`: each sends a sentence of their own to the room; from all sent at once to each run on the three models.
First one visitor alone, for a quarter of the time; then all at once. A reply runs from the edit sent to the end of the
run whose picture shows the new word: what a browser adds to paint it stands in `benchmarks.page`.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from tqdm import tqdm

from benchmarks.follower import follow_teacher
from benchmarks.measure import App, Json, report
from benchmarks.serving import ROOT, free_port, memory_of, serving, wait_for_port
from benchmarks.splitting import send_all
from benchmarks.visitor import Visitor
from models.command import check_known, run
from models.registry import catalog, describe

PAIR = "en-fr"
PAUSE = 5.0
"""Mean seconds between a reply and the next edit: somebody who looks at what came."""

SPREAD = 0.4  # of a pause, up and down

ROOM, SPLIT = "room", "split"
MOST_VISITORS, LONGEST = 200, 3600
ALONE = 20.0  # seconds of editing of the visitor alone, at least, where the others edit as long
LOOKS = 8  # times that memory is looked at


@dataclass(frozen=True, slots=True)
class Target:
    """A page that a class looks at."""

    name: str
    page: str = ""
    query: str = ""


def targets() -> dict[str, Target]:
    """Return the pages that can be measured, by the name that the command takes."""
    keys = "+".join(entry.mechanism.key for entry in map(describe, catalog()) if entry.pair == PAIR)
    return {
        "bench": Target("Bench, 3 mechanisms"),
        "bench-all": Target(f"Bench, {keys.count('+') + 1} mechanisms", query=f"mechanisms={keys}"),
        "heads": Target("Heads", "heads"),
        "steps": Target("Steps", "steps"),
        "surgery": Target("Surgery", "surgery"),
        "why": Target("Why", "why"),
    }


@dataclass(slots=True)
class Lesson:
    """What a number of visitors met."""

    visitors: list[Visitor]
    let_in: float  # seconds until the last of them had the page, all having come at once
    seconds: float  # of editing
    memory: list[float]  # MB, at equal distances from the moment when all were let in to the end
    cpu: tuple[float, float]  # cores that the process of the pages and those of the models were busy with, mean


async def hold(
    target: Target, count: int, seconds: float, port: int, server: psutil.Process, first: int, pause: float
) -> Lesson:
    """Let `count` visitors in at once, whose sentences begin with that of number `first`, and edit for `seconds`."""
    pauses = around(pause)
    visitors = [Visitor(first + number, port, target.page, target.query) for number in range(count)]
    begin = asyncio.Event()
    start = time.monotonic()
    tasks = [asyncio.create_task(each.visit(begin, seconds, pauses)) for each in visitors]
    while not all(each.opened or each.errors for each in visitors):
        await asyncio.sleep(0.02)
    let_in = time.monotonic() - start
    before = _cpu_seconds(server)
    begin.set()
    memory = [memory_of(server)]
    for _ in tqdm(range(LOOKS - 1), disable=None):
        await asyncio.sleep(seconds / (LOOKS - 1))
        memory.append(memory_of(server))
    pages, models = ((now - then) / seconds for now, then in zip(_cpu_seconds(server), before, strict=True))
    await asyncio.gather(*tasks)
    return Lesson(visitors, let_in, seconds, memory, (pages, models))


def alone(seconds: float) -> float:
    """Return how long one visitor edits alone where others edit for `seconds`."""
    return min(seconds, max(ALONE, seconds / 4))


def around(pause: float) -> tuple[float, float]:
    """Return the shortest and the longest pause of a mean one."""
    return (1 - SPREAD) * pause, (1 + SPREAD) * pause


def _cpu_seconds(server: psutil.Process) -> tuple[float, float]:
    """Return the processor's seconds of the process of the pages, and those of the models' processes."""
    own, *others = (each.cpu_times() for each in (server, *server.children(recursive=True)))
    return own.user + own.system, sum(each.user + each.system for each in others)


def row_of(target: Target, lesson: Lesson) -> dict[str, Any]:
    """Return a row of the table."""
    replies = [reply for each in lesson.visitors for reply in each.replies]
    waits = sorted(reply.milliseconds for reply in replies)
    return {
        "page": target.name,
        "sessions": len(lesson.visitors),
        "edits": f"{len(replies)} ({len(replies) / lesson.seconds:.1f} a second)",
        **_waits(waits),
        "errors": sum(len(each.errors) for each in lesson.visitors),
        "KB a reply": round(statistics.mean(reply.bytes for reply in replies) / 1000, 1) if replies else 0,
        "all let in, s": f"{lesson.let_in:.1f}",
        "cores, pages + models": " + ".join(f"{each:.2f}" for each in lesson.cpu),
        "server, MB": " ".join(f"{each:.0f}" for each in lesson.memory),
    }


def _waits(waits: Sequence[float]) -> dict[str, Any]:
    times = (statistics.median(waits), quantile(waits, 0.95), waits[-1]) if waits else ()
    return dict(zip_longest(("median ms", "p95 ms", "worst ms"), map(round, times), fillvalue="none"))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest of sorted `values` that at least `share` of them do not exceed."""
    return values[min(len(values) - 1, int(share * len(values)))]


async def measure(target: Target, count: int, seconds: float, app: Path, pause: float) -> list[dict[str, Any]]:
    """Start the server and measure one visitor, then `count`; return a row for each."""
    port = free_port()
    with serving(app, port) as server:
        wait_for_port(port)
        lessons = [await hold(target, 1, alone(seconds), port, server, first=0, pause=pause)]
        if count > 1:
            lessons.append(await hold(target, count, seconds, port, server, first=1, pause=pause))
    for lesson in lessons:
        for each in lesson.visitors:
            for error in each.errors:
                sys.stderr.write(f"{error}\n")
    return [row_of(target, lesson) for lesson in lessons]


async def measure_room(count: int, seconds: float, app: Path, pause: float) -> list[dict[str, Any]]:
    """Start the server and let first one student, then `count` follow a teacher; return a row for each."""
    port, rows = free_port(), []
    with tempfile.TemporaryDirectory() as folder, serving(app, port, ATTENTION_BENCH_ROOMS=folder) as server:
        wait_for_port(port)
        for students, lasting in ((1, alone(seconds)), (count, seconds)):
            waits, errors, steps = await follow_teacher(students, lasting, port, Path(folder), around(pause))
            rows.append(
                {
                    "students": students,
                    "teacher's steps": steps,
                    "seen": f"{len(waits)} of {steps * students}",
                    **_waits(waits),
                    "errors": len(errors),
                    "server, MB": f"{memory_of(server):.0f}",
                }
            )
            sys.stderr.writelines(f"{error}\n" for error in errors)
    return rows


async def measure_split(count: int, seconds: float, app: Path) -> list[dict[str, Any]]:
    """Start the server and let first one student, then `count` send a sentence each; return a row for each."""
    port, rows = free_port(), []
    with tempfile.TemporaryDirectory() as folder, serving(app, port, ATTENTION_BENCH_ROOMS=folder) as server:
        wait_for_port(port)
        await send_all(0, 1, LONGEST, port, Path(folder))  # until the models are loaded
        for students in (1, count):
            waits, errors = await send_all(1 + students, students, seconds, port, Path(folder))
            rows.append(
                {
                    "students": students,
                    "sentences run": f"{len(waits)} of {students}",
                    **_waits(waits),
                    "errors": len(errors),
                    "server, MB": f"{memory_of(server):.0f}",
                }
            )
            sys.stderr.writelines(f"{error}\n" for error in errors)
    return rows


def main(
    page: Annotated[str, typer.Argument(help="A page, a room that follows its teacher, or split: their sentences.")],
    visitors: Annotated[int, typer.Argument(help="How many, at once.", min=1, max=MOST_VISITORS)] = 40,
    seconds: Annotated[float, typer.Argument(help="How long they edit, or may wait.", min=1, max=LONGEST)] = 60,
    *,
    pause: Annotated[
        float, typer.Option(help="Mean seconds between a reply and the next edit, or two steps of a teacher.", min=0)
    ] = PAUSE,
    app: App = ROOT / "app.py",
    json: Json = False,
) -> None:
    """Measure and write a table."""
    known = targets()
    check_known([page], (*known, ROOM, SPLIT))
    if page == SPLIT:
        rows = asyncio.run(measure_split(visitors, seconds, app))
        report("A class that sends a sentence each", rows, as_json=json)
        return
    if page == ROOM:
        rows = asyncio.run(measure_room(visitors, seconds, app, pause))
        report("A class that follows its teacher", rows, as_json=json)
        return
    rows = asyncio.run(measure(known[page], visitors, seconds, app, pause))
    report("A class at one server", rows, as_json=json)


if __name__ == "__main__":
    run(main)
