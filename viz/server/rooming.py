"""Room service of this server: database, routes and change notifications.

A browser listens at a route of its own, outside the script of the pages: a websocket over which the numbers of
`Counters` come whenever one of them has changed. Nothing is asked for on a timer, and no page runs for nothing. A room
lives on one server, whose letter its code may begin with (`ATTENTION_BENCH_REPLICA`), so that who changes it and who
listens share this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from time import sleep

import streamlit as st

from models.messages import Message
from viz.rooms import room as bounds
from viz.rooms.allowance import Allowance, Burst, OpenCount
from viz.rooms.broadcaster import Broadcaster
from viz.rooms.codes import hash_of
from viz.rooms.pictures import LedPictures
from viz.rooms.presence import Presence
from viz.rooms.room import Counters, LockedError, NoRoomError, Room, RoomError
from viz.rooms.store import Store
from viz.server.configuration import ConfigurationError, configuration

FILE = "rooms.sqlite"
HOME = ".attention-bench"
LOOK_FOR_OLD = 600.0
"""Seconds between two looks for rooms whose day is over."""


class Rooming:
    """The rooms of a server, with the bounds of what one visitor may do."""

    def __init__(self, store: Store, *, replica: str = "") -> None:
        self.store, self.bell, self._replica = store, Broadcaster(), replica
        self._missed_in, self._missed_from = Allowance(each=10, together=600), Allowance(each=60, together=600)
        self._opened_in, self._opened_from = Allowance(each=6, together=600), Allowance(each=30, together=600)
        self._opened: dict[str, str] = {}  # from where each room was opened
        self._joined_in, self._joined_from = Burst(10, a_minute=10), Burst(60, a_minute=30)
        self._sent, self._sent_in = Allowance(each=30, together=60_000), Allowance(each=1500, together=60_000)
        self._sentences = Allowance(each=6, together=300)
        self.presence, self.sockets, self.pictures = Presence(), OpenCount(), LedPictures()
        self._order = Lock()

    def open_room(self, visitor: str, session: str = "") -> tuple[str, str]:
        """Open a room, and return its code and the teacher's key; raises RoomError as `Store.open_room`."""
        opened = ((self._opened_in, session or visitor), (self._opened_from, visitor))
        if not all(each.is_left(who) for each, who in opened):
            raise RoomError(Message("Too many rooms were opened from here: try again in a minute."))
        for each, who in opened:
            each.count(who)
        codes = self.store.codes()
        self._opened = {code: where for code, where in self._opened.items() if code in codes}
        of_visitor = {code for code, where in self._opened.items() if where == visitor}
        if len(of_visitor) >= bounds.MOST_ROOMS_OF_ADDRESS:
            self._tell_over([self.store.drop_unjoined(of_visitor)])
        code, key = self.store.open_room()
        self._opened[code] = visitor
        return code, key

    def find(self, code: str, visitor: str, session: str = "") -> Room:
        """Return the room of a code that somebody brings, who may be guessing; a right code is never refused."""
        try:
            return self.store.room(code)
        except NoRoomError:
            self._miss(visitor, session)
            raise

    def join(self, code: str, visitor: str, session: str = "", secret: str = "") -> str:
        """Join a room, and return the secret by which the member is known; whoever is a member comes back."""
        room = self.find(code, visitor, session)
        if not self.store.is_member(code, secret):
            if room.is_locked:
                raise LockedError(code)
            is_left = not session or self._joined_in.take(f"{code} {session}")
            if not (is_left and self._joined_from.take(f"{code} {visitor}")):
                raise RoomError(Message("Too many people joined from here at once. Wait a moment, then join again."))
        with self.telling(room) as store:
            secret = store.join(code, secret, self.presence.is_there)
        self.presence.see(hash_of(secret))
        return secret

    def take_key(self, code: str, key: str, visitor: str, session: str = "") -> None:
        """Take the teacher's key that somebody brings, who may be guessing; the right one is never refused."""
        if not self.store.is_teacher(code, key):
            self._miss(visitor, session)
            raise RoomError(Message("This is not the key of the room {code}.", code=code))

    def _miss(self, visitor: str, session: str) -> None:
        """Count a wrong code or key; raises RoomError if it is one too many of its session, or of its address."""
        missed = ((self._missed_in, session or visitor), (self._missed_from, visitor))
        if not all(each.is_left(who) for each, who in missed):
            raise RoomError(Message("Too many wrong codes were tried: check the letters, or ask your teacher."))
        for each, who in missed:
            each.count(who)

    def lives_elsewhere(self, code: str) -> bool:
        """Return whether a code is that of a room on another server."""
        return bool(self._replica) and not code.startswith(self._replica)

    def check_sending(self, member: str, code: str = "") -> None:
        """Count something that a member sends; raises RoomError if they, or all in the room, send too much a minute."""
        if not (self._sent.is_left(member) and self._sent_in.is_left(code)):
            raise RoomError(Message("Too many messages in a minute. Wait a moment, then send again."))
        self._sent.count(member)
        if code:
            self._sent_in.count(code)

    def check_sentence(self, member: str, code: str) -> None:
        """Count a sentence that a member sends, which models are run on; raises RoomError as `check_sending`."""
        if not self._sentences.is_left(member):
            raise RoomError(Message("Too many messages in a minute. Wait a moment, then send again."))
        self.check_sending(member, code)
        self._sentences.count(member)

    @contextmanager
    def telling(self, room: Room) -> Iterator[Store]:
        """Tell those who listen to a room what the block has changed in it, or that it is over."""
        yield self.store
        with self._order:
            self.bell.ring(room.channel, self.store.counters_of(room.channel))

    def tell_newcomer(self, channel: str, tell: Callable[[Counters | None], None]) -> None:
        """Tell one listener of a channel how its room is: no older numbers come after newer ones."""
        with self._order:
            tell(self.store.counters_of(channel))

    def clear_old(self) -> None:
        """Clear the rooms whose day is over, and tell those who still listen."""
        self._tell_over(self.store.clear_old())

    def _tell_over(self, channels: Iterable[str]) -> None:
        for each in channels:
            self.bell.ring(each, None)


def shared_rooming() -> Rooming:
    """Return the rooms of this server; raises RoomError where there are none, or they cannot be kept."""
    said = configuration().rooms
    if said is False:
        raise RoomError(Message("Rooms are switched off on this server."))
    return _opened(_folder(said) / FILE, configuration().replica)


def open_earlier() -> None:
    """Open the rooms of an earlier run of the server, if there are any, so that they are cleared in time."""
    with suppress(RoomError, ConfigurationError):  # said where the server starts, or a room is opened
        if rooms_are_on() and (_folder(configuration().rooms) / FILE).exists():
            shared_rooming()


def rooms_are_on() -> bool:
    """Return whether teachers may open rooms on this server."""
    return configuration().rooms is not False


def _folder(said: Path | bool) -> Path:
    try:
        return said if isinstance(said, Path) else Path("~").expanduser() / HOME
    except RuntimeError as error:  # a user who has no home
        message = Message("This server has no folder for rooms. Its owner can name one in ATTENTION_BENCH_ROOMS.")
        raise RoomError(message) from error


@st.cache_resource(show_spinner=False)
def _opened(path: Path, replica: str) -> Rooming:
    made = Rooming(Store(path, replica=replica), replica=replica)
    Thread(target=_clear_in_time, args=(made,), name="rooms", daemon=True).start()
    return made


def _clear_in_time(rooming: Rooming) -> None:
    """Clear each room within minutes after its day is over, whether anybody comes or not."""
    while True:
        with suppress(RoomError):  # the next look may find the disk as it should be
            rooming.clear_old()
        sleep(LOOK_FOR_OLD)
