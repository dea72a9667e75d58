"""Lesson bar: text of the step, question, Previous and Next (also PageUp and PageDown)."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from models.mechanisms import mechanisms
from viz.canvas.bundle import bundled
from viz.lessons.lesson import LessonStep
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.lesson.place import COOKIE, LessonPlace, broken, close, ends_of, here, places, turn_to
from viz.widgets.lesson.question import show_question
from viz.widgets.lesson.stage import show_stage
from viz.widgets.lesson.uploaded import is_uploaded
from viz.widgets.room.asking import offer_opening_to_class, waiting_for
from viz.widgets.room.opening import offer_opening
from viz.widgets.style import style_sheet

_HERE = Path(__file__).parent
_FOLDED = "lesson-folded"


def show_bar() -> None:
    """Show the step that the reader is at, below the page; nothing outside of lessons."""
    place, error = here(), broken()
    if place is None and error is None:
        return
    with st.bottom:
        st.html(style_sheet(_HERE / "bar.css"))
        if error is not None:
            st.error(plain(say(error)), icon=":material/edit_document:")
        elif place is not None:
            _show_step(place)


def _show_step(place: LessonPlace) -> None:
    lesson, number = place.lesson, place.number
    step, count = place.step, len(lesson.steps)
    folded = bool(session.recall(_FOLDED, False))
    with st.container(key="lesson", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key="lesson-turn"):
            _turn(place, -1, _("Previous"), "lesson-previous", "chevron_left")
            _turn(place, 1, _("Next"), "lesson-next", "chevron_right")
            said = _("step {number} of {count}", number=number, count=count)
            if place.stage:
                said = _("before the lesson") if place.stage == "before" else _("after the lesson")
            st.html(
                f'<div class="lesson-name" lang="{escape(lesson.language, quote=True)}"><b>{escape(lesson.title)}</b> '
                f'<span>{escape(said)}</span><i style="width:{min(100 * number / count, 100):.0f}%"></i></div>'
            )
            offer_opening("lesson-room-open")
            label = _("Show the text") if folded else _("Hide the text")
            icon = "expand_less" if folded else "expand_more"
            st.button(
                label, icon=f":material/{icon}:", type="tertiary", key="lesson-fold", on_click=_fold, args=(not folded,)
            )
            st.button(
                _("Leave the lesson"), icon=":material/close:", type="tertiary", key="lesson-close", on_click=close
            )
        if not folded:
            show_stage(place) if place.stage else _show_text(place, step)
    _tell(place, step)


def _turn(place: LessonPlace, by: int, label: str, key: str, icon: str) -> None:
    number = place.number + by
    first, last = ends_of(place.lesson)
    there = first <= number <= last
    st.button(
        label,
        icon=f":material/{icon}:",
        type="primary" if by > 0 else "secondary",
        key=key,
        disabled=not there,
        on_click=turn_to,
        args=(place.lesson, number),
        help=_("PageDown") if by > 0 else _("PageUp"),
    )


def _show_text(place: LessonPlace, step: LessonStep) -> None:
    """Show what is said, and what is asked beside it, where there is room."""
    with st.container(horizontal=True, gap="medium", key="lesson-text"):
        with st.container(key="lesson-said"):
            if step.title:
                st.markdown(f"**{step.title}**")
            st.markdown(step.text)
        if step.question or step.hint or step.answer:
            with st.container(key="lesson-asked", gap="xsmall"):
                if step.question:
                    show_question(place, step.question)
                if step.hint or step.answer:
                    _show_help(place, step)


def _show_help(place: LessonPlace, step: LessonStep) -> None:
    """Show hint and answer behind buttons; in a room once the teacher has revealed them."""
    if waiting_for(place):
        st.caption(_("Hint and answer open when the teacher reveals them."))
        return
    with st.container(horizontal=True, gap="small", key="lesson-help"):
        for text, label, icon in ((step.hint, _("Hint"), "lightbulb"), (step.answer, _("Answer"), "check")):
            if text:
                with st.popover(label, icon=f":material/{icon}:", type="tertiary"):
                    st.container(key=f"lesson-{icon}").markdown(text)
        if not step.question:
            offer_opening_to_class(place)


def _fold(folded: bool) -> None:
    session.keep(_FOLDED, folded)


def _tell(place: LessonPlace, step: LessonStep) -> None:
    """Tell the browser where the reader is, and what is pointed at."""
    point = None
    if step.point:
        title = _(mechanisms()[step.point.mechanism].title) if step.point.mechanism else ""
        point = {"title": title, "word": step.point.word, "of": place.code}
    kept = {name: number for name, number in places().items() if not is_uploaded(name)}
    component = st.components.v2.component("attention_bench.lesson", html="<div></div>", js=bundled(_HERE / "bar.js"))
    cookie = f"{COOKIE}={'~'.join(f'{name}.{number}' for name, number in list(kept.items())[-40:])}"
    component(key="lesson-keys", data={"cookie": cookie, "point": point}, height=1)
