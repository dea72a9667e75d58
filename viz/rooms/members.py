"""Members of a room: join, follow, leave."""

from __future__ import annotations

from collections.abc import Callable

from models.messages import Message
from viz.rooms import room as bounds
from viz.rooms.codes import hash_of, new_secret
from viz.rooms.room import LockedError, RoomError
from viz.rooms.rooms import Rooms


class Members(Rooms):
    """The rooms of a server, with those who have joined them."""

    def join(self, code: str, secret: str | None = None, is_there: Callable[[str], bool] = lambda _member: True) -> str:
        """Join a room, and return the secret by which the member is known from then on; members come back freely."""
        with self._changing():
            room = self.room(code)
            if secret and self._follows(code, secret) is not None:
                return secret
            if room.is_locked:
                raise LockedError(code)
            if room.joined >= bounds.MOST_MEMBERS:
                self._drop_idle(code, is_there)
            secret = new_secret()
            self._file.do("INSERT INTO members (code, member) VALUES (?, ?)", code, hash_of(secret))
            self._count(code, "members")
            return secret

    def _drop_idle(self, code: str, is_there: Callable[[str], bool]) -> None:
        """Forget one member who is not there, first of those who have answered nothing."""
        members = self._file.all(
            "SELECT member FROM members WHERE code = ? ORDER BY member IN (SELECT member FROM answers WHERE code = ?)",
            code,
            code,
        )
        idle = next((member for (member,) in members if not is_there(member)), None)
        if idle is None:
            raise RoomError(Message("The room {code} is full.", code=code))
        self._file.do("DELETE FROM members WHERE code = ? AND member = ?", code, idle)

    def is_member(self, code: str, secret: str) -> bool:
        """Return whether somebody has joined a room."""
        return self._follows(code, secret) is not None

    def follows(self, code: str, secret: str) -> bool:
        """Return whether a member follows the teacher."""
        return bool(self._follows(code, secret))

    def _follows(self, code: str, secret: str) -> int | None:
        found = self._file.one("SELECT follows FROM members WHERE code = ? AND member = ?", code, hash_of(secret))
        return int(found[0]) if found else None

    def follow(self, code: str, secret: str, follows: bool) -> None:
        """Let a member follow the teacher, or no more."""
        with self._changing():
            self._file.do(
                "UPDATE members SET follows = ? WHERE code = ? AND member = ?", follows, code, hash_of(secret)
            )

    def leave(self, code: str, secret: str) -> None:
        """Forget a member, and what they have sent."""
        with self._changing():
            self._file.do("DELETE FROM members WHERE code = ? AND member = ?", code, hash_of(secret))
            self._count(code, "members")

    def knows(self, channel: str, member: str) -> bool:
        """Return whether somebody is a member or the teacher of the room of a channel."""
        found = self._file.one(
            "SELECT 1 FROM rooms WHERE channel = ? AND (key_hash = ? OR EXISTS"
            " (SELECT 1 FROM members WHERE members.code = rooms.code AND member = ?))",
            channel,
            member,
            member,
        )
        return bool(found)
