"""The file of the rooms: SQLite, one connection that all threads take in turn, each change on disk at once.

The write-ahead log lets whoever reads the file from outside go on meanwhile; a server that is killed loses nothing that
a page had been told is done. What is cleared is overwritten, in the file and in its log.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from models.messages import Message
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
"""
_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=5000")


class Database:
    """A file whose tables are those of the rooms.

    Parameters
    ----------
    path : Path
        It is made, for its owner alone, if it is not there.

    Raises
    ------
    RoomError
        If it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self._lock = RLock()
        with _saying():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            for each in _PRAGMAS:
                self._connection.execute(f"PRAGMA {each}")
            self._connection.executescript(_TABLES)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def one(self, statement: str, *values: Any) -> Any:
        """Return the first row that a statement gives; None if there is none.

        Parameters
        ----------
        statement : str
            Prepared once, and kept by SQLite.
        *values : object
            What stands for its question marks.
        """
        with self._lock, _saying():
            return self._connection.execute(statement, values).fetchone()

    def all(self, statement: str, *values: Any) -> list[Any]:
        """Return the rows that a statement gives.

        Parameters
        ----------
        statement : str
        *values : object
        """
        with self._lock, _saying():
            return self._connection.execute(statement, values).fetchall()

    def do(self, statement: str, *values: Any) -> int:
        """Return how many rows a statement has changed.

        Parameters
        ----------
        statement : str
        *values : object
        """
        with self._lock, _saying():
            return self._connection.execute(statement, values).rowcount

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change the file as a whole or not at all; on disk when the block is left."""
        with self._lock, _saying():
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def wipe(self) -> None:
        """Let nothing of what was cleared stay in the log."""
        with self._lock, _saying():
            if not self._connection.in_transaction:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _saying() -> Iterator[None]:
    """Turn what the disk refuses into a message."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        message = Message("Rooms cannot be kept on this server ({reason}).", reason=str(error))
        raise RoomError(message) from error
