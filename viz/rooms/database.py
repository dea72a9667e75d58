"""SQLite database of rooms: one connection that threads share in turn, each change committed at once.

The write-ahead log lets whoever reads the file from outside go on meanwhile; a server that is killed loses nothing that
a page had been told is done. What is cleared is overwritten, in the file and in its log.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from models.messages import Message
from viz.rooms import room as bounds
from viz.rooms.room import RoomError

_TABLES = """
CREATE TABLE IF NOT EXISTS rooms (
    code TEXT PRIMARY KEY, channel TEXT NOT NULL UNIQUE, key_hash TEXT NOT NULL, made REAL NOT NULL,
    lead TEXT NOT NULL DEFAULT '', asked TEXT NOT NULL DEFAULT '',
    lead_count INTEGER NOT NULL DEFAULT 0, shown_count INTEGER NOT NULL DEFAULT 0,
    members_count INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lessons (
    code TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE, name TEXT NOT NULL, file BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS locked (code TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, member TEXT NOT NULL, follows INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (code, member)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, question TEXT NOT NULL, number INTEGER NOT NULL,
    about TEXT NOT NULL, revealed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (code, question)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    code TEXT NOT NULL, question TEXT NOT NULL, member TEXT NOT NULL, given TEXT NOT NULL,
    PRIMARY KEY (code, question, member),
    FOREIGN KEY (code, question) REFERENCES questions ON DELETE CASCADE,
    FOREIGN KEY (code, member) REFERENCES members ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sentences (
    number INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL, member TEXT NOT NULL, pair TEXT NOT NULL,
    text TEXT NOT NULL, found TEXT NOT NULL DEFAULT '', UNIQUE (code, member),
    FOREIGN KEY (code, member) REFERENCES members ON DELETE CASCADE
);
"""
_OF_THE_DISK = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_AUTH,
}
_LOG = logging.getLogger(__name__)
_PRAGMAS = (
    "auto_vacuum=INCREMENTAL",
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
    "busy_timeout=5000",
)
_PAGE = 4096  # bytes, as SQLite makes them


class Database:
    """A file whose tables are those of the rooms."""

    def __init__(self, path: Path) -> None:
        self._lock, self._is_changing = RLock(), False
        with _saying():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
            try:
                self._connection = _opened(path)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not _is_damage(error, path):
                    raise
                _LOG.warning("%s is damaged (%s): set aside as %s, new rooms begin", path, error, _set_aside(path))
                self._connection = _opened(path)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def one(self, statement: str, *values: Any) -> Any:
        """Return the first row that a statement gives; None if there is none."""
        with self._lock, _saying():
            return self._connection.execute(statement, values).fetchone()

    def all(self, statement: str, *values: Any) -> list[Any]:
        """Return the rows that a statement gives."""
        with self._lock, _saying():
            return self._connection.execute(statement, values).fetchall()

    def do(self, statement: str, *values: Any) -> int:
        """Return how many rows a statement has changed."""
        with self._lock, _saying():
            return self._connection.execute(statement, values).rowcount

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change the file as a whole or not at all; on disk when the block is left."""
        with self._lock, _saying():
            if self._is_changing:
                yield
                return
            if self._connection.in_transaction:  # left open by a disk that failed: nothing may be written in it
                self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            self._is_changing = True
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._is_changing = False

    def wipe(self) -> None:
        """Give back what was cleared, and let nothing of it stay in the log."""
        with self._lock, _saying():
            if not self._connection.in_transaction:
                # as a script: else one page alone is given back
                self._connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection to a file whose tables are whole; raises what SQLite raises where they are not."""
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        for each in (*_PRAGMAS, f"max_page_count={bounds.MOST_FILE_BYTES // _PAGE}"):
            connection.execute(f"PRAGMA {each}")
        connection.executescript(_TABLES)
        for name, shape in _shapes().items():
            if not shape <= _shape(connection, name):
                message = f"the table {name} is another"
                raise sqlite3.DatabaseError(message)
            for _row in connection.execute(f"SELECT * FROM {name}"):  # each text is decoded
                pass
        if (found := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)
    except BaseException:
        connection.close()
        raise
    return connection


def _shapes() -> dict[str, set[tuple[str, ...]]]:
    """Return the tables that there must be, each with its columns and what they refer to."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(_TABLES)
        names = empty.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {name: _shape(empty, name) for (name,) in names}


def _shape(connection: sqlite3.Connection, name: str) -> set[tuple[str, ...]]:
    columns = {(row[1],) for row in connection.execute(f"PRAGMA table_info({name})")}
    return columns | {row[2:4] for row in connection.execute(f"PRAGMA foreign_key_list({name})")}


def _is_damage(error: Exception, path: Path) -> bool:
    """Return whether the file is ours and broken: a disk that is full or may not be written says nothing about it."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    return b"CREATE TABLE" in path.read_bytes() if code == sqlite3.SQLITE_NOTADB else code not in _OF_THE_DISK


def _set_aside(path: Path) -> str:
    """Move a file and its log out of the way, over one that was set aside earlier; return its new name."""
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).replace(path.with_name(f"{path.name}.damaged{ending}"))
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    return f"{path.name}.damaged"


@contextmanager
def _saying() -> Iterator[None]:
    """Turn what the disk refuses into a message."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        message = Message("This server cannot save rooms ({reason}).", reason=str(error))
        raise RoomError(message) from error
