"""Lessons are found in folders: those that come along, and those of a school, which may take their place."""

from __future__ import annotations

import os
from pathlib import Path

from viz.lessons.library import library_of

PAGES = {"bench": ("sentence",)}
LESSON = "title: {title}\nlanguage: en\nnumber: {number}\nsteps:\n  - text: Look.\n    page: bench\n"


def write(path: Path, title: str, number: int = 1) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(LESSON.format(title=title, number=number), encoding="utf8")


def titles(*folders: Path) -> dict[str, str]:
    return {name: each.title for name, each in library_of(folders, PAGES).lessons.items()}


def test_lessons_stand_in_their_order_and_a_later_folder_goes_first(tmp_path: Path) -> None:
    write(tmp_path / "a" / "one.yaml", "One", 2)
    write(tmp_path / "a" / "two.yml", "Two", 1)
    write(tmp_path / "b" / "one.yaml", "Ours", 3)
    (tmp_path / "a" / "notes.txt").write_text("no lesson", encoding="utf8")
    assert list(titles(tmp_path / "a").items()) == [("two", "Two"), ("one", "One")]
    assert titles(tmp_path / "a", tmp_path / "b") == {"two": "Two", "one": "Ours"}
    assert titles(tmp_path / "nowhere") == {}


def test_a_broken_file_is_named_and_the_others_stay(tmp_path: Path) -> None:
    write(tmp_path / "a" / "good.yaml", "Good")
    (tmp_path / "a" / "bad.yaml").write_text("title: Bad\nsteps: none\n", encoding="utf8")
    write(tmp_path / "a" / "bad name.yaml", "Bad name")
    library = library_of((tmp_path / "a",), PAGES)
    assert list(library.lessons) == ["good"]
    assert str(library.errors["bad"]) == "bad.yaml, line 1: the key “language” is missing"
    assert "letters, digits and hyphens" in str(library.errors["bad name"])


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "one.yaml"
    write(path, "Before")
    assert titles(tmp_path / "a") == {"one": "Before"}
    write(path, "After!")
    os.utime(path, ns=(1, 1))
    assert titles(tmp_path / "a") == {"one": "After!"}
