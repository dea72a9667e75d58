"""Current lesson and step: in the link, the session, and a cookie for the next visit.

``?lesson=name&step=3`` asks for a step: its page opens with its settings. From there on the link says
``lesson=name.3`` beside the settings of the page; opened anew it shows the step, and what else it says wins. Once the
reader has turned to another page, or taken a setting of the step back, the link says ``lesson=name.3~``: it opens as it
is. ``?lesson=name`` opens where the reader was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from viz.lessons.lesson import Lesson, LessonError, LessonStep
from viz.lessons.library import SHIPPED, Library, library_of
from viz.lessons.reading import Pages, is_name
from viz.server.configuration import configuration
from viz.shell.script_run import is_by_history
from viz.widgets import session
from viz.widgets.expected import hide_until
from viz.widgets.lesson.uploaded import carry, is_uploaded, keep_own, uploaded
from viz.widgets.presenting import PRESENT
from viz.widgets.settings import Setting, TextSetting, address, link, unknown

LESSON = TextSetting("lesson", travels=True, boxed=False)
"""The lesson and its step, as the link of every page calls them."""

STEP = Setting("step")
"""The number of a step in a link that asks for one."""

COOKIE = "attention-bench-lessons"
_PLACE, _PLACES, _GO, _BROKEN = "lesson-place", "lesson-places", "lesson-go", "lesson-broken"
_KEPT = "lesson-link"
_BETWEEN = "."
_OWN = "~"
"""Behind the number of a step whose page is as the reader left it."""


@dataclass(frozen=True, slots=True)
class LessonPlace:
    """A step of a lesson."""

    lesson: Lesson
    number: int  # of the step, from 1; 0 for the questions before the lesson, one more than the last for those after it

    @property
    def code(self) -> str:
        """What the link says."""
        return f"{self.lesson.name}{_BETWEEN}{self.number}"

    @property
    def step(self) -> LessonStep:
        """The step itself; before and after the lesson the page of the nearest one, with nothing asked on it."""
        number = min(max(self.number, 1), len(self.lesson.steps))
        step = self.lesson.steps[number - 1]
        return step if number == self.number else LessonStep("", step.page, step.link)

    @property
    def stage(self) -> Literal["before", "after"] | None:
        """Whether this is before the first step or after the last; None for a step."""
        if 1 <= self.number <= len(self.lesson.steps):
            return None
        return "before" if self.number < 1 else "after"


def lessons(pages: Pages) -> Library:
    """Return the lessons of this server, one that the reader has uploaded, and one that their room carries."""
    found = library_of((SHIPPED, *configuration().lessons), pages)
    return Library(found.lessons | uploaded(), found.errors)


def enter(navigation: Mapping[str, st.Page], chosen: st.Page, pages: Pages) -> None:
    """Settle which step the reader is at, and turn to the page of one that is asked for; before the page runs."""
    session.forget(_BROKEN)
    asked, number = address.asked(LESSON.name), address.asked(STEP.name)
    wanted: str | None = session.recall(_GO)
    session.forget(_GO)
    if wanted is not None:
        asked, number = wanted.rsplit(_BETWEEN, 1)
    elif asked is None:
        _go_on()
        return
    library = lessons(pages)
    name, _dot, digits = asked.partition(_BETWEEN)
    if name in library.errors:
        session.keep(_BROKEN, library.errors[name])
        link.store(LESSON.name, None)
        return
    if name not in library.lessons:
        unknown.discard(LESSON.name)
        return
    lesson = library.lessons[name]
    presented = address.asked(PRESENT.name)
    said: dict[str, str] = {PRESENT.name: presented} if presented else {}
    if digits and wanted is None:
        place, before = LessonPlace(lesson, _nearest(lesson, digits.removesuffix(_OWN))), here()
        said = link.all_said()
        is_its_page = navigation[place.step.page].url_path == chosen.url_path
        is_whole = is_its_page and set(place.step.link) <= set(said)
        if digits.endswith(_OWN) or is_whole or place == before or is_by_history():
            _note(place, own=digits.endswith(_OWN))
            return
    else:
        place = LessonPlace(lesson, _nearest(lesson, number) if number else _last(lesson))
    step = place.step
    _note(place)
    link.open_at(navigation[step.page], {**step.link, **said, LESSON.name: place.code})


def _go_on() -> None:
    """Let the lesson come along to a page whose link says nothing of it, but not back to before it was begun."""
    place = here()
    if place is None:
        return
    if is_by_history():
        session.forget(_PLACE)
        hide_until(None)
    else:
        link.store(LESSON.name, place.code + _OWN)


def mark_own(page: str) -> None:
    """Mark the link where the page is no longer what the step shows; after it has run."""
    place, said = here(), set(link.all_said())
    if place is None:
        return
    kept = session.kept(_KEPT, place.code, lambda: set(place.step.link) & said)  # a link leaves defaults out
    if place.step.page != page or not kept <= said:
        link.store(LESSON.name, place.code + _OWN)


def _nearest(lesson: Lesson, digits: str) -> int:
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 1
    first, last = ends_of(lesson)
    return min(max(number, first), last)


def ends_of(lesson: Lesson) -> tuple[int, int]:
    """Return the numbers of the first and last place of a lesson, its questions before and after it among them."""
    more = bool(lesson.questions)
    return 1 - more, len(lesson.steps) + more


def _note(place: LessonPlace, *, own: bool = False) -> None:
    session.keep(_PLACE, place)
    session.keep(_PLACES, session.recall(_PLACES, {}) | {place.lesson.name: place.number})
    hide_until(asked_for(place))
    link.store(LESSON.name, place.code + _OWN * own)


def _last(lesson: Lesson) -> int:
    return _nearest(lesson, str(places().get(lesson.name, 1)))


def asked_for(place: LessonPlace) -> str | None:
    """Return under what the row that a step asks for is kept; None if it asks for none."""
    question = place.step.question
    return place.code if question and question.mark else None


def places() -> Mapping[str, int]:
    """Return at which step of each lesson the reader was last, in this visit or an earlier one."""
    found: dict[str, int] = {}
    for each in (st.context.cookies.get(COOKIE) or "").split("~"):
        name, _dot, digits = each.partition(_BETWEEN)
        if is_name(name) and digits.isascii() and digits.isdigit() and len(digits) < 6:
            found[name] = int(digits)
    visited: dict[str, int] = session.recall(_PLACES, {})
    return found | visited


def here() -> LessonPlace | None:
    """Return the step that the reader is at; None outside of lessons."""
    place: LessonPlace | None = session.recall(_PLACE)
    return place


def broken() -> LessonError | None:
    """Return what is wrong with the lesson that the link asks for; None if nothing is."""
    error: LessonError | None = session.recall(_BROKEN)
    return error


def turn_to(lesson: Lesson, number: int) -> None:
    """Let a step open in the next run; as a callback of a control."""
    unknown.forget()
    session.keep(_GO, f"{lesson.name}{_BETWEEN}{number}")


def begin(lesson: Lesson, number: int) -> None:
    """Open a step from a page, whose controls run that page's part alone; as a callback of a control."""
    turn_to(lesson, number)
    st.rerun()


def close() -> None:
    """Leave the lesson; the page stays as it is."""
    session.forget(_PLACE)
    hide_until(None)
    link.store(LESSON.name, None)


def open_uploaded(lesson: Lesson, data: bytes) -> None:
    """Show a lesson that the reader has uploaded: it is kept for this visit, and by the room that is led to it."""
    keep_own(lesson, data)
    begin(lesson, ends_of(lesson)[0])


def drop_carried() -> None:
    """Leave the lesson that a room has carried, unless it is the reader's own."""
    carry(None)
    place = here()
    if place and is_uploaded(place.lesson.name) and place.lesson.name not in uploaded():
        close()
