"""Forms to open a room, join by code, or lead with a key."""

from __future__ import annotations

import streamlit as st

from viz.rooms.codes import LENGTH, LONGEST_SECRET
from viz.server.rooming import rooms_are_on
from viz.text.language import _
from viz.widgets import session
from viz.widgets.room.here import here, join_room, lead_room, open_room

_TYPED, _CODE, _KEY = "room-typed", "room-of-key", "room-key"
_ANCHOR = "class"


def lead_to_rooms() -> None:
    """Lead down to where rooms are opened and joined, below the lessons; nothing where that is not offered."""
    if here() is None and rooms_are_on():
        said = _("Open or join a room")
        st.markdown(f"[{said}](#{_ANCHOR})")


def offer_rooms() -> None:
    """Let a teacher open a room and a student join one; nothing where rooms are off, or in a room."""
    if here() is not None or not rooms_are_on():
        return
    st.header(_("A class together"), anchor=_ANCHOR)
    st.caption(
        _(
            "Students follow the teacher's page. Their answers appear in one picture, next to the model's. A code "
            "of six letters; no names, no accounts. A room is deleted when it is closed, or after a day."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="room-opening"):
        st.text_input(
            _("Code of the room"), key=_TYPED, max_chars=4 * LENGTH, width=200, autocomplete="off", on_change=_join
        )
        st.button(_("Join"), icon=":material/login:", key="room-join", on_click=_join)
        offer_opening("room-open")
        with st.popover(_("I have a key"), icon=":material/key:", type="tertiary"):
            st.text_input(_("Code of the room"), key=_CODE, max_chars=4 * LENGTH, autocomplete="off")
            st.text_input(_("Teacher's key"), key=_KEY, max_chars=LONGEST_SECRET, type="password", autocomplete="off")
            st.button(_("Lead"), key="room-lead", on_click=_lead)


def offer_opening(key: str) -> None:
    """Show the button that opens a room; nothing where rooms are off, or in a room."""
    if here() is None and rooms_are_on():
        st.button(
            _("Open a room"),
            icon=":material/groups:",
            key=key,
            help=_("For a teacher: students join with a code, and see what you see."),
            on_click=open_room,
        )


def _join() -> None:
    join_room(str(session.recall(_TYPED) or ""))


def _lead() -> None:
    lead_room(str(session.recall(_CODE) or ""), str(session.recall(_KEY) or ""))
