"""What the benchmarks share: timing that is fair on a busy machine, and tables."""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

Json = Annotated[bool, typer.Option("--json", help="Write JSON in place of a table.")]
Keys = Annotated[list[str] | None, typer.Argument(help="Models to measure; all that are installed if none is named.")]
Rounds = Annotated[int, typer.Option(help="How often each is measured.", min=1)]
App = Annotated[Path, typer.Option(help="The app that is measured.", exists=True, dir_okay=False)]


def interleaved(
    functions: Mapping[str, Callable[[], object]], *, rounds: int, warm_up: int = 5
) -> dict[str, list[float]]:
    """Time `functions` in turn, so that what the machine does meanwhile meets all of them alike."""
    names = list(functions)
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(min(warm_up, rounds)):
        for function in functions.values():
            function()
    gc.collect()
    gc.disable()
    try:
        for number in tqdm(range(rounds), desc="rounds", disable=None):
            first = number % len(names)
            for name in (*names[first:], *names[:first]):
                start = time.perf_counter()
                functions[name]()
                times[name].append(1000 * (time.perf_counter() - start))
    finally:
        gc.enable()
    return times


def summary(times: Sequence[float]) -> dict[str, float]:
    """Return median, quartiles and the number of `times`, in their unit."""
    low, middle, high = statistics.quantiles(times, n=4)
    return {
        "median": round(middle, 3),
        "lower quartile": round(low, 3),
        "upper quartile": round(high, 3),
        "n": len(times),
    }


def ratio(times: Sequence[float], base: Sequence[float]) -> float:
    """Return the median over rounds of `times` divided by `base` of the same round."""
    return round(statistics.median(mine / its for mine, its in zip(times, base, strict=True)), 4)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write `rows`, which all have the keys of the first, as a Markdown table."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([row[name] for name in head] for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def machine() -> str:
    """Say on what the figures were measured: cores, system, Python and torch."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python {platform.python_version()}, "
        f"torch {version('torch')}, streamlit {version('streamlit')}, load {load} at the start"
    )


def report(title: str, rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Write the results to standard output, as Markdown or as JSON."""
    if as_json:
        sys.stdout.write(json.dumps({"title": title, "machine": machine(), "rows": list(rows)}, indent=2) + "\n")
    else:
        sys.stdout.write(f"### {title}\n\n{machine()}\n\n{table(rows)}\n")
