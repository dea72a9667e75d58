"""The file of the rooms on a disk that fails, or damaged: a server starts, and no fault takes more than one change."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from viz.rooms.codes import hash_of
from viz.rooms.database import Database
from viz.rooms.room import RoomError
from viz.rooms.store import Store


def filled(path: Path) -> bytes:
    """Return the bytes of a file in which there are rooms, members and answers."""
    store = Store(path)
    for _ in range(3):
        code, _key = store.open_room()
        for _member in range(20):
            store.join(code)
    store.close()
    return path.read_bytes()


def starts(path: Path) -> Store:
    """Return the rooms of a server that is started on a file, after all that a class does was done there."""
    store = Store(path)
    code, key = store.open_room()
    store.join(code)
    assert store.is_teacher(code, key)
    assert store.room(code).code == code
    return store


def flip(at: Callable[[bytes], int]) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        place = at(data)
        return data[:place] + b"\xff" + data[place + 1 :]

    return changed


PAGE = 4096
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "schema": flip(lambda data: data.find(b"CREATE TABLE rooms") + 7),
    "name of a table": lambda data: data.replace(b"members", b"membexs", 1),
    "name of a column": lambda data: data.replace(b"key_hash", b"key_hush"),
    "header": flip(lambda _data: 3),
    "size of pages": flip(lambda _data: 17),
    "truncated": lambda data: data[: len(data) // 2],
    "half a page": lambda data: data[:1000],
    "texts": lambda data: data.replace(b"TEXT PRIMARY KEY", b"TEXT PRIMARY KE\xff"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_set_aside_and_said_and_a_new_one_begun(
    damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rooms.sqlite"
    data = DAMAGE[damage](filled(path))
    path.write_bytes(data)
    with caplog.at_level(logging.WARNING):
        starts(path).close()
    aside = (tmp_path / "rooms.sqlite.damaged").read_bytes()
    assert aside[PAGE : len(data)] == data[PAGE:]  # the first page counts how often it was opened
    assert "rooms.sqlite is damaged" in caplog.text
    assert path.stat().st_mode & 0o777 == 0o600
    caplog.clear()
    Store(path).close()
    assert not caplog.text


def test_bytes_at_random_stop_no_server(tmp_path: Path) -> None:
    path = tmp_path / "rooms.sqlite"
    whole, draw = filled(path), Random(4)
    for _ in range(150):
        data = bytearray(whole)
        for _number in range(draw.choice((1, 1, 8, 64))):
            data[draw.randrange(len(data) if draw.random() < 0.5 else 4096)] = draw.randrange(256)
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        path.write_bytes(bytes(data))
        starts(path).close()


def test_a_whole_file_is_kept(tmp_path: Path) -> None:
    store = starts(tmp_path / "rooms.sqlite")
    code, key = store.open_room()
    store.close()
    with closing(Store(tmp_path / "rooms.sqlite")) as again:
        assert again.is_teacher(code, key)
    assert not list(tmp_path.glob("*.damaged"))


class Failing:
    """A connection whose disk fails at one kind of statement; in the middle of a transaction, which it leaves open."""

    def __init__(self, connection: sqlite3.Connection, begins: str) -> None:
        self._connection, self._begins, self.failing = connection, begins, True

    def execute(self, statement: str, *values: Any) -> Any:
        if self.failing and statement.startswith(self._begins):
            message = "disk I/O error"
            raise sqlite3.OperationalError(message)
        return self._connection.execute(statement, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize("begins", ["BEGIN", "INSERT", "UPDATE", "COMMIT", "ROLLBACK"])
def test_a_fault_in_a_lesson_takes_what_could_not_be_written_and_no_more(begins: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "rooms.sqlite")
    code, key = store.open_room()
    member = store.join(code)
    database = store._file
    disk = Failing(database._connection, begins)
    database._connection = disk  # type: ignore[assignment]
    with suppress(RoomError):
        store.join(code)
    with suppress(RoomError):  # what was left open by the first is not what the second is written in
        store.open_room()
    disk.failing = False
    other = store.join(code)
    store.close()
    count = "SELECT COUNT(*) FROM members WHERE member IN (?, ?)"
    with closing(Store(tmp_path / "rooms.sqlite")) as again:
        assert again._file.one(count, hash_of(member), hash_of(other))[0] == 2
        assert again.is_teacher(code, key)


def fill(store: Store) -> None:
    for _ in range(200):
        store.open_room()


@pytest.mark.parametrize(
    ("fault", "cure"), [("max_page_count=1", "max_page_count=100000"), ("query_only=ON", "query_only=OFF")]
)
def test_a_full_or_read_only_disk_is_said_and_all_that_was_there_is_still_read(
    fault: str, cure: str, tmp_path: Path
) -> None:
    store = Store(tmp_path / "rooms.sqlite")
    code, key = store.open_room()
    store._file.one(f"PRAGMA {fault}")
    with pytest.raises(RoomError, match="This server cannot save rooms"):
        fill(store)
    assert store.is_teacher(code, key)
    store._file.one(f"PRAGMA {cure}")
    store.join(code)
    store.close()
    with closing(Store(tmp_path / "rooms.sqlite")) as again:
        assert again.is_teacher(code, key)


def test_a_disk_that_fails_at_the_start_sets_nothing_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rooms.sqlite"
    data = filled(path)
    for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR | 2 << 8, sqlite3.SQLITE_BUSY):
        error = sqlite3.OperationalError("the disk")
        error.sqlite_errorcode = code

        def fail(*_given: object, error: Exception = error, **_more: object) -> None:
            raise error

        monkeypatch.setattr(sqlite3, "connect", fail)
        with pytest.raises(RoomError, match="the disk"):
            Database(path)
        monkeypatch.undo()
    assert path.read_bytes() == data
    assert not list(tmp_path.glob("*.damaged"))
