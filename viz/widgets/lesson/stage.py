"""Questions before a lesson and after it: the same twice, and what has changed between."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from viz.lessons.lesson import Lesson, Question
from viz.rooms.change import AFTER, BEFORE, Change, change_of
from viz.rooms.room import RoomError, RoomQuestion
from viz.server.rooming import shared_rooming
from viz.text.language import _, _n
from viz.widgets import session
from viz.widgets.lesson.place import LessonPlace
from viz.widgets.lesson.question import answers, keep_answer
from viz.widgets.room.asking import AskedInRoom, asked_at_once
from viz.widgets.room.here import here as here_in_room
from viz.widgets.room.here import tell

WIDTH = 370
"""Pixels of a question: three beside each other on a projector."""


def show_stage(place: LessonPlace) -> None:
    """Show the questions of a lesson, and after it what has changed; in a room once the teacher reveals it."""
    lesson, stage = place.lesson, place.stage or BEFORE
    now = here_in_room()
    together = asked_at_once([_of_room(lesson, stage, number) for number in _numbers(lesson)])
    revealed = bool(together) and together[0].question.revealed
    with st.container(key="lesson-text"), st.container(key="lesson-stage", gap="xsmall"):
        st.markdown(_says(stage))
        if now is not None and not now.leads and not together:
            st.caption(_("Your teacher has not asked this yet."))
            return
        if not (together and stage == AFTER and revealed):
            with st.container(horizontal=True, gap="medium", key="lesson-questions"):
                for number in _numbers(lesson):
                    _ask(lesson, stage, number, disabled=revealed)
        if together:
            _in_room(place, together, revealed=revealed)
        elif stage == AFTER:
            _show_own(lesson)


def _says(stage: str) -> str:
    if stage == BEFORE:
        return _("Before the first step: answer as well as you can now. The same questions come after the last step.")
    return _("After the last step: the same questions again.")


def _numbers(lesson: Lesson) -> range:
    return range(1, len(lesson.questions) + 1)


def _code(lesson: Lesson, stage: str, number: int) -> str:
    return f"{lesson.name}.{stage}.{number}"


def _of_room(lesson: Lesson, stage: str, number: int) -> RoomQuestion:
    question = lesson.questions[number - 1]
    return RoomQuestion(_code(lesson, stage, number), question.ask, question.choices, True, question.right - 1)


def _ask(lesson: Lesson, stage: str, number: int, *, disabled: bool) -> None:
    question, code = lesson.questions[number - 1], _code(lesson, stage, number)
    given = answers().get(code)
    chosen = st.radio(
        question.ask,
        range(1, len(question.choices) + 1),
        index=None if given is None else given - 1,
        format_func=lambda each: question.choices[each - 1],
        key=f"stage-{code}",
        disabled=disabled,
        width=WIDTH,
    )
    if chosen is not None:
        keep_answer(code, chosen)


# In a room ------------------------------------------------------------------------------------------------------------


def _in_room(place: LessonPlace, together: list[AskedInRoom], *, revealed: bool) -> None:
    stage, lesson = place.stage, place.lesson
    if together[0].here.leads:
        if stage == AFTER and not revealed:
            _reveal(lesson, together[0], BEFORE)  # what was answered before is changed no more
            st.button(
                _("Reveal the change to the class"),
                type="primary",
                icon=":material/visibility:",
                key="stage-reveal",
                on_click=_reveal,
                args=(lesson, together[0], AFTER),
            )
    elif not revealed:
        is_sent = all(each.sent for each in together)
        st.button(
            _("Send again") if is_sent else _("Send to the class"),
            type="secondary" if is_sent else "primary",
            icon=":material/send:",
            key="stage-send",
            on_click=_send,
            args=(together,),
        )
        if is_sent:
            st.caption(_("Sent, without your name."))
    if stage == AFTER and revealed:
        _show_changes(class_changes(lesson, together[0].here.code))


def class_changes(lesson: Lesson, code: str) -> list[Change]:
    """Return what has changed in a class, a question each."""
    store, found = shared_rooming().store, []
    for number, question in enumerate(lesson.questions, 1):
        both = store.answers_to_both(code, *(_code(lesson, stage, number) for stage in (BEFORE, AFTER)))
        found.append(change_of(question.ask, both, question.right - 1))
    return found


def _reveal(lesson: Lesson, asked: AskedInRoom, stage: str) -> None:
    """Show what was answered, which nobody changes any more."""
    now = asked.here
    try:
        store = shared_rooming().store
        codes = [_code(lesson, stage, number) for number in _numbers(lesson)]
        hidden = [each for each in codes if (known := store.question(now.code, each)) and not known.revealed]
        if hidden:
            with shared_rooming().telling(asked.room) as store:
                for each in hidden:
                    store.reveal(now.code, now.key, each)
    except RoomError as error:
        tell(error)


def _send(together: list[AskedInRoom]) -> None:
    """Send what is chosen; a question without a choice is left out."""
    now, given = together[0].here, answers()
    try:
        rooming = shared_rooming()
        with rooming.telling(together[0].room) as store:
            for each in together:
                chosen = session.recall(f"stage-{each.question.key}") or given.get(each.question.key)
                if chosen:
                    rooming.check_sending(now.member, now.code)
                    heights = [float(place == chosen) for place in range(1, len(each.question.words) + 1)]
                    store.answer(now.code, now.member, each.question.key, heights)
    except RoomError as error:
        tell(error)


# What has changed -----------------------------------------------------------------------------------------------------


def _show_own(lesson: Lesson) -> None:
    """Show a reader on their own what has changed, once all is answered."""
    given = answers()
    if any(_code(lesson, AFTER, number) not in given for number in _numbers(lesson)):
        return
    changes = []
    for number, question in enumerate(lesson.questions, 1):
        two = [given.get(_code(lesson, stage, number)) for stage in (BEFORE, AFTER)]
        one, other = ([float(place == each) for place in range(1, len(question.choices) + 1)] for each in two)
        changes.append(change_of(question.ask, [(one, other)], question.right - 1))
        st.caption(_("Right answer to question {number}: {answer}", number=number, answer=_choice(question)))
    _show_changes(changes)


def _choice(question: Question) -> str:
    return question.choices[question.right - 1]


def _show_changes(changes: Sequence[Change]) -> None:
    """Show how many were right before and after, of those who answered both times."""
    rows = []
    for number, each in enumerate(changes, 1):
        counted = _n("{count} answered both times", "{count} answered both times", each.count)
        shares = [value / each.count if each.count else 0.0 for value in (each.before, each.after)]
        bars = "".join(
            f'<i style="--share:{share:.3f}"></i><b>{value}</b>'
            for share, value in zip(shares, (each.before, each.after), strict=True)
        )
        rows.append(f"<li><span>{number}. {escape(each.title)}</span>{bars}<small>{escape(counted)}</small></li>")
    says = _(
        "Correct answers before the lesson (first bar) and after it (second bar). Only those who answered both "
        "times are counted."
    )
    st.html(f'<div class="lesson-change"><ol>{"".join(rows)}</ol><p>{escape(says)}</p></div>')
