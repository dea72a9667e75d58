"""Lessons from outside the server: uploaded by the reader, or carried by the room."""

from __future__ import annotations

from hashlib import sha256

from viz.lessons.lesson import Lesson
from viz.lessons.reading import Pages, read_lesson
from viz.widgets import session

_PREFIX = "uploaded-"
_DIGITS = 10
_OWN, _FILE, _CARRIED = "lesson-upload", "lesson-upload-file", "lesson-carried"


def read_uploaded(data: bytes, file: str, pages: Pages) -> Lesson:
    """Return the lesson of a file, named by what it holds; raises LessonError as `viz.lessons.reading.read_lesson`."""
    name = f"{_PREFIX}{sha256(data).hexdigest()[:_DIGITS]}"
    return read_lesson(data, file=file, name=name, pages=pages)


def is_uploaded(name: str) -> bool:
    """Return whether a lesson is no file of this server."""
    return name.startswith(_PREFIX)


def keep_own(lesson: Lesson, data: bytes) -> None:
    """Keep a lesson that the reader has uploaded, and its file, for this visit."""
    session.keep(_OWN, lesson)
    session.keep(_FILE, data)


def own_file(name: str) -> bytes | None:
    """Return the file of the lesson that the reader has uploaded; None if that is another one."""
    own: Lesson | None = session.recall(_OWN)
    data: bytes | None = session.recall(_FILE)
    return data if own and own.name == name else None


def carry(lesson: Lesson | None) -> None:
    """Keep the lesson that the reader's room carries; None for no more."""
    session.keep(_CARRIED, lesson)


def uploaded() -> dict[str, Lesson]:
    """Return these lessons by their names."""
    found: list[Lesson | None] = [session.recall(_CARRIED), session.recall(_OWN)]
    return {each.name: each for each in found if each}
