"""Rooms of the database: opening, joining, leading."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time

from models.messages import Message
from viz.rooms import room as bounds
from viz.rooms.codes import hash_of, is_secret, new_code, new_secret
from viz.rooms.database import Database
from viz.rooms.room import DAY, HOUR, Counters, Lead, NoRoomError, Room, RoomError

_COUNT = {each: f"UPDATE rooms SET {each}_count = {each}_count + 1 WHERE code = ?" for each in ("shown", "members")}


class Rooms:
    """The rooms of a server."""

    def __init__(self, path: Path, *, replica: str = "", clock: Callable[[], float] = time) -> None:
        self._file, self._replica, self._clock = Database(path), replica, clock

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def open_room(self) -> tuple[str, str]:
        """Open a room, and return its code and the teacher's key, of which a hash alone is kept."""
        with self._changing():
            self.clear_old()
            if len(codes := self.codes()) >= bounds.MOST_ROOMS:
                self.drop_unjoined(codes)
            key = new_secret()
            while self._file.one("SELECT 1 FROM rooms WHERE code = ?", code := new_code(self._replica)):
                continue
            self._file.do(
                "INSERT INTO rooms (code, channel, key_hash, made) VALUES (?, ?, ?, ?)",
                code,
                new_secret(),
                hash_of(key),
                self._clock(),
            )
            return code, key

    def codes(self) -> set[str]:
        """Return the codes of all rooms."""
        return {code for (code,) in self._file.all("SELECT code FROM rooms")}

    def drop_unjoined(self, codes: Container[str]) -> str:
        """Clear the oldest of some rooms that nobody has joined within an hour, and return its channel."""
        with self._changing():
            unjoined = self._file.all(
                "SELECT code, channel FROM rooms WHERE members_count = 0 AND made <= ? ORDER BY made",
                self._clock() - HOUR,
            )
            for code, channel in unjoined:
                if code in codes:
                    self._file.do("DELETE FROM rooms WHERE code = ?", code)
                    return str(channel)
        raise RoomError(Message("This server has reached its limit of rooms. Try again later."))

    def room(self, code: str) -> Room:
        """Return a room."""
        found = self._file.one(
            "SELECT channel, lead, asked, lead_count, shown_count, members_count,"
            " (SELECT COUNT(*) FROM members WHERE members.code = rooms.code),"
            " (SELECT COUNT(*) FROM answers WHERE answers.code = rooms.code AND question = asked),"
            " COALESCE((SELECT name FROM lessons WHERE lessons.code = rooms.code), ''),"
            " EXISTS (SELECT 1 FROM locked WHERE locked.code = rooms.code),"
            " (SELECT COUNT(*) FROM sentences WHERE sentences.code = rooms.code AND text != ''),"
            " (SELECT COUNT(*) FROM sentences WHERE sentences.code = rooms.code AND text != '' AND found != '')"
            " FROM rooms WHERE code = ? AND made > ?",
            code,
            self._clock() - DAY,
        )
        if not found:
            raise NoRoomError(code)
        channel, lead, asked, *numbers, joined, answered, lesson, is_locked, sent, run = found
        where = Lead(**json.loads(lead)) if lead else None
        counters = Counters(*numbers)
        return Room(code, channel, where, asked, counters, joined, answered, lesson, bool(is_locked), sent, run)

    def counters_of(self, channel: str) -> Counters | None:
        """Return how often something has changed in the room of a channel; None if there is none."""
        found = self._file.one(
            "SELECT lead_count, shown_count, members_count FROM rooms WHERE channel = ? AND made > ?",
            channel,
            self._clock() - DAY,
        )
        return Counters(*found) if found else None

    def is_teacher(self, code: str, key: str) -> bool:
        """Return whether `key` is the teacher's of a room."""
        found = self._file.one("SELECT key_hash FROM rooms WHERE code = ?", code)
        return is_secret(key, found[0] if found else hash_of(new_secret()))

    def lock(self, code: str, key: str, is_locked: bool) -> None:
        """Let nobody else join a room, or let them again; members stay, and come back."""
        with self._changing(code, key):
            if is_locked:
                self._file.do("INSERT OR IGNORE INTO locked (code) VALUES (?)", code)
            else:
                self._file.do("DELETE FROM locked WHERE code = ?", code)

    def lead(self, code: str, key: str, lead: Lead) -> None:
        """Note where the teacher stands; nothing changes if that is where they stood."""
        text = json.dumps({"page": lead.page, "link": dict(lead.link)}, ensure_ascii=False, sort_keys=True)
        if len(text) > bounds.LONGEST_LEAD:
            raise RoomError(Message("This page's link is too long to send to the class."))
        with self._changing(code, key):
            self._file.do(
                "UPDATE rooms SET lead = ?, lead_count = lead_count + 1 WHERE code = ? AND lead != ?", text, code, text
            )

    def close_room(self, code: str, key: str) -> None:
        """Clear a room, with all that was sent in it."""
        with self._changing(code, key):
            self._file.do("DELETE FROM rooms WHERE code = ?", code)
        self._file.wipe()

    def clear_old(self) -> list[str]:
        """Clear the rooms whose day is over, and return their channels."""
        with self._changing():
            before = self._clock() - DAY
            old = self._file.all("SELECT channel FROM rooms WHERE made <= ?", before)
            self._file.do("DELETE FROM rooms WHERE made <= ?", before)
        if old:
            self._file.wipe()
        return [channel for (channel,) in old]

    def _count(self, code: str, what: str) -> None:
        self._file.do(_COUNT[what], code)

    @contextmanager
    def _changing(self, code: str | None = None, key: str | None = None) -> Iterator[None]:
        """Change the file as a whole or not at all; with a code for the holder of the teacher's key alone."""
        with self._file.changing():
            if code is not None:
                self._check_key(code, key or "")
            yield

    def _check_key(self, code: str, key: str) -> None:
        self.room(code)
        if not self.is_teacher(code, key):
            raise RoomError(Message("Only the teacher of this room can do this. This is not the teacher's key."))
