"""Worksheet on the Lessons page: pinned pictures, remarks and answers, saved as one file."""

from __future__ import annotations

import streamlit as st

from viz.lessons.library import Library
from viz.lessons.sheet import SheetAnswer, sheet_of
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.keep import file_name, in_this_language
from viz.widgets.lesson.place import LessonPlace
from viz.widgets.lesson.question import answers
from viz.widgets.pins import pins, unpin
from viz.widgets.room.asking import waiting_for

LONGEST_REMARK = 4000
_REMARKS = "pin-remarks"


def show_sheet(library: Library) -> None:
    """Show what is on the sheet, let the student remark on it, and make a file of it."""
    st.header(_("Worksheet"), anchor=False)
    pinned, given = pins(), _answers(library)
    if not pinned and not given:
        st.caption(
            _("Press “Pin” below a picture on any page. It appears here with its link, and you can add a remark.")
        )
        return
    remarks = {number: _remark(number) for number in pinned}
    if given:
        st.caption(_n("{count} answer to a question", "{count} answers to questions", len(given)))
    with st.container(horizontal=True, vertical_alignment="bottom", key="handing-in"):
        author = st.text_input(_("Your name on the worksheet (optional)"), key="sheet-author", max_chars=100) or ""
        sheet = [(pin, remarks[number]) for number, pin in pinned.items()]
        st.download_button(
            _("Save the worksheet (HTML)"),
            in_this_language(lambda: sheet_of(sheet, given, author)),
            file_name=f"{file_name(author or 'sheet')}.html",
            mime="text/html",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
            key="sheet-file",
        )
    st.caption(
        _(
            "One file with everything inside. Print it to get a PDF. Pins and remarks are kept until this tab is "
            "closed or reloaded."
        )
    )


def _remark(number: int) -> str:
    pin, kept = pins()[number], session.recall(_REMARKS, {})
    with st.container(border=True, key=f"pin-card-{number}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{number}. {plain(pin.title)}**")
            st.button(_("Take it off"), key=f"unpin-{number}", type="tertiary", on_click=unpin, args=(number,))
        st.image(pin.picture.decode(), width=420)
        remark = st.text_area(
            _("Remark"), kept.get(number, ""), key=f"remark-{number}", max_chars=LONGEST_REMARK, height=90
        )
    session.keep(_REMARKS, session.recall(_REMARKS, {}) | {number: remark or ""})
    return remark or ""


def _answers(library: Library) -> list[SheetAnswer]:
    """Return what was answered, in the words of the lessons."""
    found = []
    for code, chosen in answers().items():
        name, _dot, digits = code.rpartition(".")
        lesson = library.lessons.get(name)
        question = lesson.steps[int(digits) - 1].question if lesson and int(digits) <= len(lesson.steps) else None
        if (
            lesson
            and question
            and chosen <= len(question.choices)
            and not waiting_for(LessonPlace(lesson, int(digits)))
        ):
            where = _("{title}, step {number}", title=lesson.title, number=int(digits))
            found.append(SheetAnswer(where, question.ask, question.choices[chosen - 1], chosen == question.right))
    return found
