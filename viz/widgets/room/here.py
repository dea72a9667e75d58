"""Current room and role of the visitor: in the link, the session, and a cookie for a day.

``?room=CODE`` joins a room as a student; the cookie of whoever opened it holds the teacher's key, so that a page
that is loaded again, or a server that is started again, finds both as they were. A teacher's link is that of a student.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from models.errors import InputError
from models.messages import Message
from viz.lessons.lesson import LessonError
from viz.lessons.reading import Pages
from viz.rooms.codes import hash_of, read_code
from viz.rooms.room import Lead, NoRoomError, Room, RoomError
from viz.server.rooming import shared_rooming
from viz.shell.script_run import session_id
from viz.text.language import say
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.widgets import session
from viz.widgets.lesson import place as lesson_place
from viz.widgets.lesson.place import LESSON
from viz.widgets.lesson.uploaded import carry, read_uploaded, uploaded
from viz.widgets.room.who import Here, come, visitor
from viz.widgets.settings import TextSetting, address, link

ROOM = TextSetting("room", travels=True, boxed=False)
"""The code of the room, as the link of every page calls it."""

LED = "room-led"
"""Under which the session keeps where the teacher stood last; None before that is known."""

_HERE, _ROOM, _SAID, _ELSEWHERE = "room-here", "room-now", "room-said", "room-elsewhere"
_SEEN, _LEFT, _GOES = "room-seen", "room-left", "room-goes"
_NAMED = 20  # columns of a code that there is not


def here() -> Here | None:
    """Return who the visitor is in the room where they are; None outside of rooms."""
    found: Here | None = session.recall(_HERE)
    return found


def room_now() -> Room | None:
    """Return the room as it was when this run of the app began; None outside of rooms."""
    found: Room | None = session.recall(_ROOM)
    return found


def said() -> InputError | None:
    """Return what is to be said of rooms: one that there is not, or that is over; None if nothing is."""
    found: InputError | None = session.recall(_SAID)
    return found


def elsewhere() -> str | None:
    """Return the code of a room that lives on another server; None if the visitor asked for none."""
    found: str | None = session.recall(_ELSEWHERE)
    return found


# Coming and going ---------------------------------------------------------------------------------------------------


def enter(navigation: Mapping[str, st.Page], chosen: st.Page, pages: Pages) -> None:
    """Settle in which room the visitor is, and turn to where its teacher stands; before the page runs."""
    for each in (_SAID, _ELSEWHERE, _ROOM):
        session.forget(each)
    asked, now = address.asked(ROOM.name), here()
    if asked is not None and read_code(asked) == session.recall(_LEFT):
        asked = None  # sent before the browser knew that the room is left, or by its Back
        link.store(ROOM.name, None)
    try:
        if asked is not None and (now is None or read_code(asked) != now.code):
            now = _come(asked)
        if now is None:
            return
        link.store(ROOM.name, now.code)
        rooming = shared_rooming()
        room = rooming.store.room(now.code)
        if not now.leads:
            now, room = _stay(now, room)
        session.keep(_ROOM, room)
        _take_lesson(room, pages)
        goes: Lead | None = session.recall(_GOES)
        session.forget(_GOES)
        if now.leads and goes is not None:
            _turn(now, goes, navigation, chosen)
        if not now.leads and rooming.store.follows(now.code, now.member):
            _follow(now, room, navigation, chosen)
    except RoomError as error:
        session.keep(_SAID, _over(now) if isinstance(error, NoRoomError) and now else error)
        _forget()
    except LessonError as error:  # read by this server's older or newer self
        session.keep(_SAID, error)


def _take_lesson(room: Room, pages: Pages) -> None:
    """Read the lesson that the room carries, if the visitor has not got it yet."""
    if room.lesson and room.lesson not in uploaded():
        file = shared_rooming().store.lesson(room.code)
        carry(read_uploaded(file, f"{room.lesson}.yaml", pages))


def _come(asked: str) -> Here | None:
    """Return who the visitor is in the room that a link asks for, or that they typed."""
    code = read_code(asked)
    if code is None:
        raise NoRoomError(shorten(asked, _NAMED))
    if shared_rooming().lives_elsewhere(code):
        session.keep(_ELSEWHERE, code)
        _forget()
        return None
    now = come(code)
    session.keep(_HERE, now)
    session.forget(_SEEN)
    session.forget(LED)
    return now


def _stay(now: Here, room: Room) -> tuple[Here, Room]:
    """Note that a student is there; one who made room in a full room while they were away joins again."""
    rooming = shared_rooming()
    if rooming.store.is_member(now.code, now.member):
        rooming.presence.see(hash_of(now.member))
        return now, room
    now = come(now.code)
    session.keep(_HERE, now)
    return now, rooming.store.room(now.code)


def _over(now: Here) -> RoomError:
    return RoomError(Message("The room {code} is closed. The page stays as it is.", code=now.code))


def _forget() -> None:
    for each in (_HERE, _ROOM, _SEEN, LED):
        session.forget(each)
    lesson_place.drop_carried()
    link.store(ROOM.name, None)


def _follow(now: Here, room: Room, navigation: Mapping[str, st.Page], chosen: st.Page) -> None:
    """Turn to where the teacher stands, if the visitor has not been there."""
    lead, stands = room.lead, (room.code, room.counters.lead)
    if lead is None or lead.page not in navigation or session.recall(_SEEN) == stands:
        return
    session.keep(_SEEN, stands)
    if LESSON.name not in lead.link:
        lesson_place.close()
    else:
        link.store(LESSON.name, lead.link[LESSON.name])  # on the page that is about to run it is read next
    _turn(now, lead, navigation, chosen)


def catch_up(address: str) -> None:
    """Turn a page that runs alone to where the teacher stands on it, before its controls are shown.

    What concerns more than the page, as another step of a lesson or a reveal, lets the whole app run again.
    """
    now, before = here(), room_now()
    if now is None or before is None or now.leads:
        return
    room = _room_or_rerun(now.code)
    was, counters = before.counters, room.counters
    if (was.shown, before.lesson) != (counters.shown, room.lesson):
        st.rerun()
    if was.lead == counters.lead or not is_following():
        return
    old, lead, stood = before.lead, room.lead, session.recall(_SEEN) == (room.code, was.lead)
    if not stood or not old or not lead or stage_of(lead) != stage_of(old) or lead.page != address:
        st.rerun()
    session.keep(_ROOM, room)
    session.keep(_SEEN, (room.code, counters.lead))
    link.open_at(None, {**lead.link, ROOM.name: now.code})


def _room_or_rerun(code: str) -> Room:
    try:
        return shared_rooming().store.room(code)
    except RoomError:
        st.rerun()  # it is said there


def stage_of(lead: Lead) -> tuple[str, str | None]:
    """Return the page, and the step of a lesson, at which a teacher stands: what the whole app runs for."""
    return lead.page, lead.link.get(LESSON.name)


def _turn(now: Here, to: Lead, navigation: Mapping[str, st.Page], chosen: st.Page) -> None:
    page = navigation[to.page]
    link.open_at(None if page.url_path == chosen.url_path else page, {**to.link, ROOM.name: now.code})


def take_class(page: str, said: Mapping[str, str]) -> None:
    """Turn the teacher's page, which the class follows, to a link; as a callback of a control of a page."""
    session.keep(_GOES, Lead(page, said))
    st.rerun()  # the whole app: a control of a page runs that page's part alone


def open_room() -> None:
    """Open a room whose teacher the visitor is; as a callback of a control."""
    try:
        code, key = shared_rooming().open_room(visitor(), session_id())
    except RoomError as error:
        tell(error)
        return
    session.keep(_HERE, Here(code, key=key))
    session.keep(LED, "")  # wherever the teacher stands is new to the class
    link.store(ROOM.name, code)
    st.rerun()  # the whole app: a control of a page runs that page's part alone


def join_room(typed: str) -> None:
    """Join the room of a code that was typed; as a callback of a control."""
    session.forget(_LEFT)
    link.store(ROOM.name, typed or None)
    st.rerun()  # the whole app: a control of a page runs that page's part alone


def lead_room(typed: str, key: str) -> None:
    """Lead a room with the key that somebody brings; as a callback of a control."""
    code = read_code(typed)
    try:
        if code is None:
            raise NoRoomError(shorten(typed, _NAMED))
        shared_rooming().take_key(code, key.strip(), visitor(), session_id())
    except RoomError as error:
        tell(error)
        return
    session.keep(_HERE, Here(code, key=key.strip()))
    session.forget(LED)
    link.store(ROOM.name, code)
    st.rerun()  # the whole app: a control of a page runs that page's part alone


def leave_room() -> None:
    """Leave the room; as a callback of a control. What the visitor sent in it is forgotten."""
    now, room = here(), room_now()
    _forget()
    if now and room and not now.leads:
        session.keep(_LEFT, now.code)
        with shared_rooming().telling(room) as store:
            store.leave(now.code, now.member)


def close_room() -> None:
    """Close the room for all; as a callback of a control of its teacher."""
    now, room = here(), room_now()
    _forget()
    if now and room:
        with shared_rooming().telling(room) as store:
            store.close_room(now.code, now.key)


def follow(follows: bool) -> None:
    """Follow the teacher from now on, to where they stand, or no more; as a callback of a control."""
    now = here()
    if now:
        shared_rooming().store.follow(now.code, now.member, follows)
        session.forget(_SEEN)


def lock(is_locked: bool) -> None:
    """Let nobody else join the room, or let them again; as a callback of a control of its teacher."""
    now = here()
    try:
        if now:
            shared_rooming().store.lock(now.code, now.key, is_locked)
    except RoomError as error:
        tell(error)


def is_following() -> bool:
    """Return whether the visitor follows the teacher."""
    now = here()
    return bool(now and not now.leads and shared_rooming().store.follows(now.code, now.member))


def tell(error: RoomError) -> None:
    """Say in passing what a room does not allow."""
    st.toast(plain(say(error)), icon=":material/group_off:")
