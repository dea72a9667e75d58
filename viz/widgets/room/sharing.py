"""What is seen of a page that a teacher leads: its pictures, and what makes them the same for many."""

from __future__ import annotations

import json
from hashlib import sha256

from viz.rooms.room import Room, RoomError
from viz.server.rooming import shared_rooming
from viz.text.language import current_language
from viz.widgets.canvas import shown_canvases
from viz.widgets.expected import is_hidden
from viz.widgets.presenting import is_presented
from viz.widgets.viewport import known_width

_KEPT = 16  # characters of the hash that names a sight


def sight() -> str:
    """Return what a page looks like, beside its link: the same for all who see the same pictures of it."""
    seen = [current_language(), known_width(), is_presented(), is_hidden()]
    return sha256(json.dumps(seen).encode()).hexdigest()[:_KEPT]


def share_first(channel: str, lead: int) -> None:
    """Share the pictures of the teacher's page, which has just been led to, with all who see the same."""
    shared_rooming().pictures.begin(channel, lead, sight(), shown_canvases())


def share(room: Room) -> None:
    """Share the pictures of a page that stands where the teacher does, if nobody who sees the same has."""
    rooming = shared_rooming()
    if not rooming.pictures.share(room.channel, room.counters.lead, sight(), shown_canvases()):
        return
    try:
        with rooming.telling(room):
            pass  # who waits for them is told
    except RoomError:  # the room is over
        return
