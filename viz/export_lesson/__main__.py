"""Write a lesson as one HTML file. `python -m viz.export_lesson many-heads --language zh --out many-heads.html`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated

import typer

from models.command import CommandError, run
from viz import pages as page_folders
from viz.export_lesson.document import lesson_html
from viz.lessons.lesson import Lesson
from viz.lessons.library import SHIPPED, library_of
from viz.server.configuration import configuration
from viz.shell.headless import say_errors_alone
from viz.widgets.frame import known_pages


def find_lesson(name: str, language: str = "") -> Lesson:
    """Return a lesson of this repository or of the owner's folders."""
    folders = [each.name for each in iter_modules(page_folders.__path__)]
    pages = known_pages(import_module(f"viz.pages.{each}.page").PAGE for each in folders)
    library = library_of((SHIPPED, *configuration().lessons), pages)
    for wanted in (f"{name}-{language}", name):
        if wanted in library.errors:
            raise library.errors[wanted]
        lesson = library.lessons.get(wanted)
        if lesson is not None and language in ("", lesson.language, lesson.language.split("-")[0]):
            return lesson
    raise KeyError(", ".join(library.lessons))


def main(
    name: Annotated[str, typer.Argument(help="A lesson that comes along, or of ATTENTION_BENCH_LESSONS.")],
    *,
    language: Annotated[str, typer.Option(help="Such as zh; the first that the lesson has if left out.")] = "",
    out: Annotated[Path | None, typer.Option(help="The file; NAME.html if left out.")] = None,
) -> None:
    """Write the file, and say where it is and how large."""
    say_errors_alone()
    try:
        lesson = find_lesson(name, language)
    except KeyError as error:
        message = f"There is no lesson “{name}” in that language. There are: {error.args[0]}"
        raise CommandError(message) from error
    out = out or Path(f"{lesson.name}.html")
    out.write_text(lesson_html(lesson), encoding="utf8")
    typer.echo(f"{out}: {len(lesson.steps)} steps, {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(main)
