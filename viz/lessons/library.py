"""Library of lessons: those of this repository and of the server's folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from models.messages import Message
from viz.lessons.document import LARGEST
from viz.lessons.lesson import Lesson, LessonError
from viz.lessons.reading import Pages, is_name, read_lesson

SHIPPED = Path(__file__).parent / "shipped"
MOST_FILES = 300
"""Files of a folder that are read at most."""

_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Library:
    """What was found."""

    lessons: dict[str, Lesson] = field(default_factory=dict)  # by their names, in the order of the list
    # what is wrong with a file that is no lesson, by the name that the lesson would have
    errors: dict[str, LessonError] = field(default_factory=dict)


def library_of(folders: Sequence[Path], pages: Pages) -> Library:
    """Return the lessons in `folders`; a file is read again once it has changed."""
    lessons: dict[str, Lesson] = {}
    errors: dict[str, LessonError] = {}
    for folder in folders:
        for path in sorted(each for each in folder.rglob("*") if each.suffix in _ENDINGS)[:MOST_FILES]:
            read = _read(path, _age(path), tuple(pages.items()))
            lessons.pop(path.stem, None)
            errors.pop(path.stem, None)
            if isinstance(read, Lesson):
                lessons[path.stem] = read
            else:
                errors[path.stem] = read
    ordered = sorted(lessons.values(), key=lambda each: (each.kind != "lesson", each.number, each.title))
    return Library({each.name: each for each in ordered}, errors)


def _age(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=2 * MOST_FILES)
def _read(
    path: Path, _changed: tuple[int, int], pages: tuple[tuple[str, tuple[str, ...]], ...]
) -> Lesson | LessonError:
    try:
        if not is_name(path.stem):
            reason = Message("a lesson's file name may contain only letters, digits and hyphens")
            raise LessonError(path.name, 1, "", reason)
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        return read_lesson(data, file=path.name, name=path.stem, pages=dict(pages))
    except OSError as error:
        return LessonError(path.name, 1, "", Message("the file cannot be read ({reason})", reason=error.strerror))
    except LessonError as error:
        return error
