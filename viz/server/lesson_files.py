"""Export of lessons for visitors, by one process at a time, with a cache.

One is written at a time, and ended when nobody waits for it any more; what was written is kept, so that a class that
asks for one lesson has it written once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic

import streamlit as st

from models.errors import InputError
from models.messages import Message
from viz.lessons.lesson import Lesson
from viz.server.caching import BoundedCache
from viz.server.queueing import LOOK
from viz.shell.script_run import leave_if_asked

LONGEST = 600.0
"""Seconds that the writing of a lesson may take."""

KEPT_BYTES = 48 * 2**20
_ROOT = Path(__file__).parents[str(__package__).count(".") + 1]
_POLITE = 10  # how much others come first, as `nice` counts


class LessonFiles:
    """The files of lessons that were asked for."""

    def __init__(self, write: Callable[[str], bytes] | None = None) -> None:
        self._write = write or write_apart
        self._one = Lock()
        self._kept: BoundedCache[bytes] = BoundedCache(KEPT_BYTES)

    def file_of(self, lesson: Lesson) -> bytes:
        """Return the file of a lesson; it may take a minute to be written."""
        return self._kept.get(sha256(repr(lesson).encode()).digest(), lambda: self._written(lesson.name))

    def _written(self, name: str) -> bytes:
        if not self._one.acquire(blocking=False):
            raise InputError(Message("Another lesson is being saved as a file. Try again in a minute."))
        try:
            return self._write(name)
        finally:
            self._one.release()


def write_apart(name: str) -> bytes:
    """Return the file of a lesson that a process of its own writes, as long as somebody waits for it."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "lesson.html"
        command = [sys.executable, "-m", "viz.export_lesson", name, "--out", str(out)]
        silent = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=_ROOT, stdin=silent, stdout=silent, stderr=silent) as process:
            with suppress(AttributeError, OSError):  # where there is no such thing, it has ended, or may not be asked
                os.setpriority(os.PRIO_PROCESS, process.pid, _POLITE)
            try:
                _wait(process)
            finally:
                process.kill()
        if not out.exists():
            raise InputError(Message("The lesson could not be saved as a file."))
        return out.read_bytes()


def _wait(process: subprocess.Popen[bytes]) -> None:
    late = monotonic() + LONGEST
    while monotonic() < late:
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK)
            return
        leave_if_asked()


@st.cache_resource(show_spinner=False)
def shared_lesson_files() -> LessonFiles:
    """Return the files of lessons that visitors of this server have asked for."""
    return LessonFiles()
