"""Models that run in a service: what the hop costs, and what a server of pages takes without them.

``python -m benchmarks.served hop``: the same sentences of twelve words in this process, in a process beside it (as the
app runs them) and through the service, in turn. ``python -m benchmarks.served memory``: the app with
``ATTENTION_BENCH_SERVE``, every page opened once. The service runs without Ray; ``--ray`` runs it on Ray Serve.
``ATTENTION_BENCH_SERVE=http://... python -m benchmarks.classroom`` measures a class.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Annotated, Any, Literal
from urllib.request import urlopen

import psutil
import typer

from benchmarks.measure import Json, Rounds, interleaved, ratio, report
from benchmarks.serving import ROOT, free_port, memory_of, serving, wait_for_port
from benchmarks.visitor import ADJECTIVES, PEOPLE, PLACES, THINGS, VERBS, Visitor
from models.command import run
from scale.client import RemoteModels
from scale.client.service import Service
from viz.server.cores import load_for_serving
from viz.server.runtime import Host, served_host
from viz.server.worker_pool import WorkerPool

KEYS = ("bahdanau-en-fr", "transformer-en-fr", "hf:minilm")
PAGES = ("", "heads", "steps", "steps?show=lab", "surgery", "why", "lessons")
LIBRARIES = ("libtorch_cpu", "tokenizers", "sentencepiece")


@contextmanager
def service(*, on_ray: bool) -> Iterator[tuple[str, psutil.Process]]:
    """Run the service while the block runs; give its address and its process."""
    port = free_port()
    command = [sys.executable, "-m", "scale.serve", f"--port={port}", *([] if on_ray else ["--plain"])]
    silent, variables = subprocess.DEVNULL, os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=silent, stderr=silent) as process:
        try:
            wait_for_port(port)
            _wait_until_idle(psutil.Process(process.pid))
            yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
        finally:
            process.terminate()


def _wait_until_idle(process: psutil.Process, patience: float = 120.0) -> None:
    """Wait until the models that the service loads beforehand are loaded: its processes do nothing any more."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        before = _seconds(process)
        time.sleep(2)
        if _seconds(process) - before < 0.2:
            return


def _seconds(process: psutil.Process) -> float:
    """Return the processor time of a process and of all below it."""
    used = 0.0
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            used += sum(each.cpu_times()[:2])
    return used


def sentences() -> Iterator[str]:
    """Return sentences of twelve words with the full stop, each another."""
    chance = random.Random(0)
    words = itertools.product(ADJECTIVES, PEOPLE, VERBS, ADJECTIVES, THINGS, PLACES)
    every = list(itertools.islice(words, 0, None, 97))
    chance.shuffle(every)
    for one, person, verb, other, thing, place in every:
        yield f"The {one} {person} {verb} the {other} {thing} near the old {place}."


def measure_hop(rounds: int, *, on_ray: bool) -> list[dict[str, Any]]:
    """Time runs here, beside, and through the service; return a row for each model."""
    crew = WorkerPool(1)
    try:
        with service(on_ray=on_ray) as (address, _process):
            hosts = {
                "here": Host(load_for_serving),
                "beside": Host(load_for_serving, crew=crew),
                "served": served_host(RemoteModels(Service(address))),
            }
            return [_row(key, hosts, rounds) for key in KEYS]
    finally:
        crew.stop()


def _row(key: str, hosts: dict[str, Host], rounds: int) -> dict[str, Any]:
    texts = {name: sentences() for name in hosts}
    times = interleaved(
        {
            name: partial(lambda host, text: host.attend(key, next(text)), host, texts[name])
            for name, host in hosts.items()
        },
        rounds=rounds,
    )
    added = [mine - its for mine, its in zip(times["served"], times["here"], strict=True)]
    medians = {f"{name}, ms": round(statistics.median(each), 2) for name, each in times.items()}
    return {
        "model": key,
        **medians,
        "added by the hop, ms": round(statistics.median(added), 2),
        "served / here": ratio(times["served"], times["here"]),
        "rounds": rounds,
    }


def _run(host: Host, key: str, texts: Iterator[str]) -> None:
    host.attend(key, next(texts))


def measure_memory(*, on_ray: bool) -> list[dict[str, Any]]:
    """Open every page of a server without models, one after another; return a row for each."""
    port, rows = free_port(), []
    with (
        service(on_ray=on_ray) as (address, _process),
        serving(ROOT / "app.py", port, ATTENTION_BENCH_SERVE=address) as server,
    ):
        wait_for_port(port)
        with urlopen(f"http://127.0.0.1:{port}/") as first:  # the first page imports what is imported
            first.read()
        rows.append({"page": "none yet", "MB": round(memory_of(server)), "libraries": _libraries(server), "errors": 0})
        for number, page in enumerate(PAGES):
            errors = asyncio.run(_visit(number, port, page))
            row = {"page": page or "bench", "MB": round(memory_of(server)), "libraries": _libraries(server)}
            rows.append(row | {"errors": len(errors)})
            sys.stderr.writelines(f"{error}\n" for error in errors)
    return rows


async def _visit(number: int, port: int, page: str) -> list[str]:
    visitor, begin = Visitor(number, port, *page.split("?")), asyncio.Event()
    begin.set()
    await visitor.visit(begin, 0, (1, 1))
    return visitor.errors


def _libraries(server: psutil.Process) -> str:
    paths = [each.path for each in server.memory_maps()]
    return ", ".join(name for name in LIBRARIES if any(name in path for path in paths)) or "none"


def main(
    what: Annotated[Literal["hop", "memory"], typer.Argument(help="What is measured.")],
    *,
    rounds: Rounds = 60,
    ray: Annotated[bool, typer.Option("--ray", help="The service on Ray Serve.")] = False,
    json: Json = False,
) -> None:
    """Measure and write a table."""
    if what == "hop":
        report("What the hop costs", measure_hop(rounds, on_ray=ray), as_json=json)
    else:
        report("A server of pages without models", measure_memory(on_ray=ray), as_json=json)


if __name__ == "__main__":
    run(main)
