"""The browser's ear in a room: a page, or the teacher's bar, runs again when a number that is watched has changed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.canvas.bundle import bundled
from viz.rooms.room import Room
from viz.widgets.room.here import here, is_following, room_now
from viz.widgets.room.sharing import sight
from viz.widgets.room.who import Here

_SCRIPT = Path(__file__).with_name("room.js")


def listen_as_student() -> None:
    """Let the page where this is called run again, without its frame, when the teacher moves or reveals something."""
    now, room = here(), room_now()
    if now is None or room is None or now.leads:
        return
    counters = room.counters
    listen(now, room, {"shown": counters.shown} | ({"lead": counters.lead} if is_following() else {}))


def listen(now: Here, room: Room, watched: dict[str, int]) -> None:
    """Let the part of the app where this is called run again when one of `watched` is another number in the room."""
    component = st.components.v2.component("attention_bench.room", html="<div></div>", js=bundled(_SCRIPT))
    data = {
        "path": now.path(room.channel),
        "watch": watched,
        "cookies": [now.cookie],
        "sight": "" if now.leads else sight(),
    }
    component(key="room-listens", data=data, on_moved_change=lambda: None, height=1)
