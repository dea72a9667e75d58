"""Leading a room: the teacher's page and question, which the class follows."""

from __future__ import annotations

from collections.abc import Sequence

from viz.rooms.room import Lead, RoomError, RoomQuestion
from viz.server.rooming import shared_rooming
from viz.widgets import session
from viz.widgets.expected import ExpectedRow, expect, prediction_of
from viz.widgets.interface_language import INTERFACE
from viz.widgets.lesson.place import asked_for, here
from viz.widgets.lesson.uploaded import own_file
from viz.widgets.presenting import PRESENT
from viz.widgets.room.asking import waiting_for
from viz.widgets.room.here import LED, ROOM, room_now, stage_of, tell
from viz.widgets.room.here import here as here_in_room
from viz.widgets.room.sharing import share, share_first
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Setting, link, typed_text

OWN = (ROOM.name, PRESENT.name, INTERFACE.name)
"""What each has for themselves, and is not led to."""


def settle() -> None:
    """Hide what the step of a lesson hides as long as the teacher has not revealed it; before the page runs."""
    place, now = here(), here_in_room()
    identity = asked_for(place) if place else None
    if place is None or now is None or identity is None:
        return
    question = shared_rooming().store.question(now.code, place.code)
    if question is not None or waiting_for(place):
        expect(identity, ExpectedRow(prediction_of(identity).heights, question is not None and question.revealed))


def lead(address: str, settings: Sequence[Setting]) -> None:
    """Lead the class to the page as it stands, if the visitor is its teacher and has changed it; after it has run."""
    now, room = here_in_room(), room_now()
    if now is None or room is None or not now.leads:
        return
    stands, before = _stands(address, settings), session.recall(LED)
    session.keep(LED, stands)
    if before is None or before == stands:  # a page that is opened again moves nobody
        return
    place = here()
    try:
        with shared_rooming().telling(room) as store:
            if place and (file := own_file(place.lesson.name)) is not None:
                store.carry(now.code, now.key, place.lesson.name, file)
            if place and place.step.question:
                store.ask(now.code, now.key, RoomQuestion(place.code))
            store.lead(now.code, now.key, stands)
            counters = store.counters_of(room.channel)
            if counters and isinstance(before, Lead) and stage_of(before) == stage_of(stands):
                share_first(room.channel, counters.lead)
    except RoomError as error:
        tell(error)


def share_if_led(address: str, settings: Sequence[Setting]) -> None:
    """Share the pictures of a student's page that stands where the teacher does; after it has run."""
    now, room = here_in_room(), room_now()
    if now and room and not now.leads and room.lead == _stands(address, settings):
        share(room)


def _stands(address: str, settings: Sequence[Setting]) -> Lead:
    """Return where the page stands: what its link says, with the sentence that a clean link leaves out."""
    said = {name: text for name, text in link.all_said().items() if name not in OWN}
    if any(each.name == SENTENCE.name for each in settings):  # the box is ahead of the link, which a clean one lacks
        said[SENTENCE.name] = typed_text(SENTENCE, said.get(SENTENCE.name, ""))
    return Lead(address, said)
