"""How large each lesson in one file is, and how long it takes: `python -m benchmarks.lesson_files --out DIR`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from models.command import run
from viz.export_lesson.__main__ import find_lesson
from viz.export_lesson.document import lesson_html
from viz.lessons.library import SHIPPED
from viz.shell.headless import say_errors_alone

MOST = 10.0
"""MB that a file may have."""


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Lessons; all of them if none is named.")] = None,
    *,
    out: Annotated[Path, typer.Option(help="A folder for the files.")],
) -> None:
    """Write shipped lessons, in each language, and say how large they are."""
    out.mkdir(parents=True, exist_ok=True)
    say_errors_alone()
    too_large = []
    for path in sorted(each for each in SHIPPED.rglob("*.yaml") if not names or each.stem in names):
        start = time.perf_counter()
        written = lesson_html(find_lesson(path.stem)).encode()
        seconds = time.perf_counter() - start
        (out / f"{path.stem}.html").write_bytes(written)
        megabytes = len(written) / 1e6
        too_large += [path.stem] if megabytes > MOST else []
        typer.echo(f"{path.stem}: {megabytes:.1f} MB in {seconds:.0f} s")
    raise typer.Exit(bool(too_large))


if __name__ == "__main__":
    run(main)
