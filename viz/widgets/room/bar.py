"""Room bar: code, members, and the actions of teacher and students."""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import segno
import streamlit as st

from viz.rooms.change import BEFORE, change_of, twins_of
from viz.rooms.room import Room
from viz.rooms.tally import csv_of_room
from viz.server.rooming import shared_rooming
from viz.text.language import _, _n, say
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.interface_language import begin_language
from viz.widgets.keep import in_this_language
from viz.widgets.room.asking import AskedInRoom
from viz.widgets.room.class_picture import show_class
from viz.widgets.room.here import (
    ROOM,
    close_room,
    elsewhere,
    follow,
    here,
    is_following,
    leave_room,
    lock,
    room_now,
    said,
)
from viz.widgets.room.listening import listen
from viz.widgets.room.who import Here
from viz.widgets.style import style_sheet

_HERE = Path(__file__).parent
_FOLLOWS, _LOCKED = "room-follows", "room-locked"


def show_room() -> None:
    """Show the room in which the visitor is; nothing outside of rooms."""
    now, room, error, other = here(), room_now(), said(), elsewhere()
    if error is None and other is None and (now is None or room is None):
        return
    with st.bottom:
        st.html(style_sheet(_HERE / "room.css"))
        if error is not None:
            st.warning(plain(say(error)), icon=":material/group_off:")
        elif other is not None:
            _show_elsewhere(other)
        elif now is not None and room is not None:
            if now.leads:
                st.fragment(_show_teacher)(now, room)
            else:
                _show_student(now, room)


def link_of(code: str) -> str:
    """Return the link that students are given."""
    url = urlsplit(st.context.url or "")
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{url.scheme}://{url.netloc}/{base}{base and '/'}?{ROOM.name}={code}"


def _show_elsewhere(code: str) -> None:
    """Lead to a room on another server: its page must be loaded anew, so that the proxy finds it."""
    with st.container(horizontal=True, vertical_alignment="center", key="room"):
        said_of = _("The room {code} is on another server.", code=code)
        st.html(f'<div class="room-said">{escape(said_of)}</div>')
        st.link_button(_("Go there"), link_of(code))


def _show_student(now: Here, room: Room) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="room"):
        st.html(_line(room.code, _n("{count} has joined", "{count} have joined", room.joined)))
        follows = is_following()
        session.put_control(_FOLLOWS, follows)
        st.toggle(
            _("Follow the teacher"),
            key=_FOLLOWS,
            help=_("On: your page follows the teacher's. Off: browse on your own; you can still send answers."),
            on_change=_follow,
        )
        st.button(_("Leave the room"), icon=":material/logout:", type="tertiary", key="room-leave", on_click=leave_room)


def _follow() -> None:
    follow(bool(session.recall(_FOLLOWS)))


def _show_teacher(now: Here, room: Room) -> None:
    """Show what a teacher sees; runs alone when somebody comes, or sends something."""
    begin_language()
    before, room = room, shared_rooming().store.room(now.code)
    was, now_is = ((each.counters.shown, each.sent, each.run) for each in (before, room))
    if was != now_is:  # another page of the teacher has revealed something, or there is another sentence
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="room"):
        joined = _n("{count} has joined", "{count} have joined", room.joined)
        if room.asked:
            joined += " · " + _n("{count} has answered", "{count} have answered", room.answered)
        st.html(_line(room.code, joined))
        _invite(now, room)
        _show_answers(now, room)
        with st.popover(_("Close the room"), icon=":material/close:", type="tertiary"):
            st.markdown(_("Everything sent is deleted, and nobody follows any more."))
            st.button(_("Close it for all"), key="room-close", type="primary", on_click=close_room)
        watched = {"shown": room.counters.shown, "members": room.counters.members}
        listen(now, room, watched)
    _show_joining(now)


def _show_joining(now: Here) -> None:
    """Put the code, large, and a QR code of the link over the page while the key q has asked for them."""
    link = link_of(now.code)
    drawn = segno.make(link, error="m").svg_data_uri(border=2, omitsize=True, light="#fff")
    with st.container(key="room-joining"):
        code, link = escape(now.code), escape(link)
        st.html(f'<div class="room-join"><b>{code}</b><img src="{drawn}" alt=""><span>{link}</span></div>')


def _line(code: str, count: str) -> str:
    said = _("Room {code}", code=code)
    return f'<div class="room-said"><b>{escape(said)}</b> <span>{escape(count)}</span></div>'


def _invite(now: Here, room: Room) -> None:
    with st.popover(_("Invite"), icon=":material/group_add:", type="tertiary"):
        st.html(f'<div class="room-code">{escape(now.code)}</div>')
        st.caption(_("Students open this link, or type the code on the page Lessons. No names, no accounts."))
        st.caption(_("The key q shows the code and a QR code in full size; any key hides them."))
        st.code(link_of(now.code), language=None, wrap_lines=True)
        session.put_control(_LOCKED, room.is_locked)
        st.toggle(
            _("Let nobody else join"),
            key=_LOCKED,
            help=_("On: members stay and can come back. Nobody new can join."),
            on_change=_lock,
        )
        if st.toggle(_("Show the teacher's key"), key="room-key-shown"):
            st.caption(_("This key lets another device of yours lead the room. Never give it to students."))
            st.code(now.key, language=None, wrap_lines=True)


def _lock() -> None:
    lock(bool(session.recall(_LOCKED)))


def _show_answers(now: Here, room: Room) -> None:
    """Let the teacher look at what was sent before the class sees it, and keep all of it."""
    with st.popover(_("Answers"), icon=":material/bar_chart:", type="tertiary"):
        store = shared_rooming().store
        question = store.question(now.code, room.asked) if room.asked else None
        if question is None:
            st.caption(_("No questions yet. Open a lesson step with a question, or predict a row."))
        elif st.toggle(_("Show the answers now, only to you"), key="room-look"):
            show_class(AskedInRoom(now, room, question, None))
        st.download_button(
            _("All answers as CSV"),
            in_this_language(lambda: _csv(now)),
            file_name=f"room-{now.code}.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            key="room-csv",
        )


def _csv(now: Here) -> str:
    store = shared_rooming().store
    questions = store.questions(now.code)
    answers = [store.answers(now.code, each.key) for each in questions]
    changes = {
        one.key.replace(f".{BEFORE}.", ".change."): change_of(
            one.title, store.answers_to_both(now.code, one.key, other.key), one.right
        )
        for one, other in twins_of(questions)
    }
    return csv_of_room(questions, answers, store.sentences(now.code), changes)
