"""Question to the class: students answer, the teacher reveals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import streamlit as st

from viz.rooms.room import Room, RoomError, RoomQuestion
from viz.rooms.tally import Tally, tally_of
from viz.server.rooming import shared_rooming
from viz.text.language import _
from viz.widgets.lesson.place import LESSON, LessonPlace
from viz.widgets.room.here import here, room_now, tell
from viz.widgets.room.who import Here

KEPT = 12
"""Characters of the hash that names a row."""


@dataclass(frozen=True, slots=True)
class AskedInRoom:
    """A question that the class of the visitor's room is asked."""

    here: Here  # who the visitor is
    room: Room
    question: RoomQuestion
    sent: tuple[float, ...] | None  # what the visitor has sent

    def offer(self, heights: Callable[[], Sequence[float]], key: str) -> None:
        """Show the button that sends an answer, or to the teacher the one that reveals what all have sent."""
        if self.here.leads:
            st.button(
                _("Reveal to the class"),
                type="primary",
                icon=":material/visibility:",
                key=f"reveal-{key}",
                on_click=_reveal,
                args=(self, True),
            )
            return
        answer = _rounded(heights())
        is_sent = self.sent is not None and self.sent == answer
        st.button(
            _("Send again") if self.sent else _("Send to the class"),
            type="secondary" if is_sent else "primary",
            icon=":material/send:",
            key=f"send-{key}",
            disabled=is_sent or not sum(answer) > 0,
            on_click=_send,
            args=(self, heights),
        )
        if is_sent:
            st.caption(_("Sent, without your name. The answers of the class appear when the teacher reveals them."))

    def offer_again(self, key: str) -> None:
        """Show the teacher the button that lets the class answer anew."""
        if self.here.leads:
            st.button(
                _("Ask again"),
                icon=":material/replay:",
                key=f"again-{key}",
                help=_("All answers to this question are deleted."),
                on_click=_reveal,
                args=(self, False),
            )

    def tally(self) -> Tally:
        """Return what the class has answered."""
        store, size = shared_rooming().store, len(self.question.words)
        return tally_of(store.answers(self.room.code, self.question.key), size)


def asked(question: RoomQuestion) -> AskedInRoom | None:
    """Return the question as it stands in the visitor's room; None outside of rooms, and of what is not asked there.

    Where the teacher meets a question, the class is asked it.
    """
    return next(iter(asked_at_once((question,))), None)


def asked_at_once(questions: Sequence[RoomQuestion]) -> list[AskedInRoom]:
    """Return questions that are asked together, as `asked` does one; empty where any of them is not asked."""
    now, room = here(), room_now()
    if now is None or room is None:
        return []
    try:
        rooming = shared_rooming()
        if now.leads:
            with rooming.telling(room) as store:
                store.ask(now.code, now.key, *questions)
        found = []
        for each in questions:
            known = rooming.store.question(now.code, each.key)
            sent = None if now.leads else rooming.store.answer_of(now.code, now.member, each.key)
            found += [AskedInRoom(now, room, known, sent)] if known else []
    except RoomError as error:
        tell(error)
        return []
    return found if len(found) == len(questions) else []


def waiting_for(place: LessonPlace) -> Literal["asking", "revealing"] | None:
    """Return what a step that a student sees waits for: that the teacher asks, then reveals; None for nothing.

    Steps of a lesson wait in a room that is led through it.
    """
    now, room = here(), room_now()
    if now is None or room is None or now.leads:
        return None
    question = shared_rooming().store.question(now.code, place.code)
    if question is not None:
        return None if question.revealed else "revealing"
    led = room.lead.link.get(LESSON.name, "").rpartition(".")[0] if room.lead else ""
    return "asking" if place.lesson.name in (led, room.lesson) else None


def offer_opening_to_class(place: LessonPlace) -> None:
    """Show the teacher of a room the button that opens the hint and answer of a step that asks nothing."""
    now, room = here(), room_now()
    if now is None or room is None or not now.leads:
        return
    found = shared_rooming().store.question(now.code, place.code)
    if found is None or not found.revealed:
        AskedInRoom(now, room, RoomQuestion(place.code), None).offer(tuple, place.code)


def key_of(identity: Hashable) -> str:
    """Return what names a row among the questions of a room: the same for all who see the same row."""
    if isinstance(identity, str):
        return identity
    return f"row-{sha256(repr(identity).encode()).hexdigest()[:KEPT]}"


def _rounded(heights: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(float(each), 3) for each in heights)


def _send(question: AskedInRoom, heights: Callable[[], Sequence[float]]) -> None:
    now = question.here
    try:
        rooming = shared_rooming()
        rooming.check_sending(now.member, now.code)
        with rooming.telling(question.room) as store:
            store.answer(now.code, now.member, question.question.key, _rounded(heights()))
    except RoomError as error:
        tell(error)


def _reveal(question: AskedInRoom, revealed: bool) -> None:
    now = question.here
    try:
        with shared_rooming().telling(question.room) as store:
            store.reveal(now.code, now.key, question.question.key, revealed=revealed)
    except RoomError as error:
        tell(error)
