"""Lessons as files: one is written at a time, and once for all who ask for it."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from models.errors import InputError
from tests.support.lesson_pages import PAGES
from viz.lessons.reading import read_lesson
from viz.server.lesson_files import LessonFiles, write_apart

OWN = "title: {title}\nlanguage: en\nsteps:\n  - {{text: Look here., page: lessons}}\n"


def text_of(title: str) -> str:
    return OWN.format(title=title)


def test_a_lesson_is_written_once_and_no_other_one_meanwhile() -> None:
    one, other, changed = (
        read_lesson(text_of(title).encode(), file="own.yaml", name=name, pages=PAGES)
        for name, title in (("one", "One"), ("other", "Other"), ("one", "One, changed"))
    )
    written, begun, go_on = [], Event(), Event()

    def write(name: str) -> bytes:
        begun.set()
        assert go_on.wait(20)
        written.append(name)
        return name.encode()

    files, got = LessonFiles(write), list[bytes]()
    asking = [Thread(target=lambda: got.append(files.file_of(one))) for _visitor in range(3)]
    for each in asking:
        each.start()
    assert begun.wait(20)
    with pytest.raises(InputError, match="Another lesson is being saved as a file"):
        files.file_of(other)
    go_on.set()
    for each in asking:
        each.join(20)
    assert got == [b"one"] * 3
    assert [files.file_of(each) for each in (other, one, changed)] == [b"other", b"one", b"one"]
    assert written == ["one", "other", "one"]


def test_a_process_of_its_own_writes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ours.yaml").write_text(text_of("Our very own"), encoding="utf8")
    monkeypatch.setenv("ATTENTION_BENCH_LESSONS", str(tmp_path))
    assert b"Our very own" in write_apart("ours")
    with pytest.raises(InputError, match="The lesson could not be saved as a file"):
        write_apart("nobodys")
