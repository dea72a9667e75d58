"""Write a lesson as one HTML file. `python -m viz.export_lesson many-heads --language zh --out many-heads.html`."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from models.errors import InputError
from viz import pages as page_folders
from viz.export_lesson.document import lesson_html
from viz.lessons.lesson import Lesson
from viz.lessons.library import SHIPPED, library_of
from viz.server.configuration import configuration
from viz.shell.headless import say_errors_alone
from viz.text.language import say
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


def main(arguments: list[str] | None = None) -> None:
    """Write the file, and say where it is and how large."""
    parser = argparse.ArgumentParser(prog="python -m viz.export_lesson", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--language", default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    say_errors_alone()
    try:
        lesson = find_lesson(given.name, given.language)
        page = lesson_html(lesson)
    except KeyError as error:
        parser.exit(1, f"There is no lesson “{given.name}” in that language. There are: {error.args[0]}\n")
    except InputError as error:
        parser.exit(1, f"{say(error)}\n")
    out: Path = given.out or Path(f"{lesson.name}.html")
    out.write_text(page, encoding="utf8")
    parser.exit(0, f"{out}: {len(lesson.steps)} steps, {out.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
