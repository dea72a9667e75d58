"""The Lessons page: all lessons, the reader's progress, and a lesson of their own."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.lessons.document import LARGEST
from viz.lessons.lesson import Lesson, LessonError
from viz.pages.lessons.handing_in import show_sheet
from viz.pages.lessons.split import SHEET, SPLIT, show_split
from viz.text.language import _, _n, current_language, mark, say
from viz.text.markup import plain
from viz.widgets.frame import Frame, Page, pages_of_lessons
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.lesson.keeping import offer_file, show_file
from viz.widgets.lesson.place import begin, ends_of, lessons, open_uploaded, places
from viz.widgets.lesson.uploaded import is_uploaded, read_uploaded
from viz.widgets.room.opening import lead_to_rooms, offer_rooms
from viz.widgets.settings import Choice, choose

LANGUAGE = Choice("in", title=mark("Language of the lessons"))
NAMES = {"en": "English", "zh": "中文"}
"""What speakers call their language; any other is called by its code."""

_HEADINGS = {"lesson": mark("Lessons"), "exercise": mark("Exercises")}


def _fill(frame: Frame) -> None:
    """Show the lessons of a language, those of a school among them, and take one that the reader brings."""
    frame.messages = st.container()
    if show_split(frame):
        return
    lead_to_rooms()
    library = lessons(pages_of_lessons())
    there = {name: each for name, each in library.lessons.items() if not is_uploaded(name)}
    spoken = dict.fromkeys(each.language for each in there.values())
    labels = {each: NAMES.get(each, each) for each in spoken}
    chosen = choose(LANGUAGE, labels, default=_own(tuple(spoken))) if labels else ""
    files: dict[str, DeltaGenerator] = {}
    for kind, heading in _HEADINGS.items():
        listed = [each for each in there.values() if (each.language, each.kind) == (chosen, kind)]
        if listed:
            st.header(_(heading), anchor=False)
            files |= _list(listed)
    for error in library.errors.values():
        st.error(plain(say(error)), icon=":material/edit_document:")
    offer_rooms()
    _take()
    show_sheet(library)
    for name, where in files.items():
        show_file(there[name], where)


def _own(languages: Sequence[str]) -> str:
    """Return the interface's language if lessons are in it, else the first one."""
    shown = current_language()
    return shown if shown in languages else languages[0]


def _list(listed: Sequence[Lesson]) -> dict[str, DeltaGenerator]:
    """Show a card a lesson, and return where the file of each goes that is asked for."""
    begun, files = places(), dict[str, DeltaGenerator]()
    with st.container(horizontal=True, gap="small", key=f"lessons-{listed[0].kind}"):
        for lesson in listed:
            with st.container(border=True, width=384, key=f"lesson-card-{lesson.name}"):
                at = begun.get(lesson.name, ends_of(lesson)[0])
                label = _("Go on at step {number}", number=min(at, len(lesson.steps))) if at > 1 else _("Begin")
                said = _n("{count} step", "{count} steps", len(lesson.steps))
                if lesson.minutes:
                    said += " · " + _n("{count} minute", "{count} minutes", lesson.minutes)
                st.markdown(f"**{plain(lesson.title)}**  \n:small[{said}]")
                if lesson.about:
                    st.markdown(lesson.about)
                with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                    st.button(label, key=f"begin-{lesson.name}", on_click=begin, args=(lesson, at))
                    offer_file(lesson)
                files[lesson.name] = st.container()
    return files


def _take() -> None:
    """Take a lesson from the reader's own machine, and show it; it is kept for this visit alone."""
    st.header(_("Your own lesson"), anchor=False)
    st.caption(
        _(
            "A lesson is one YAML file, described in docs/lessons.md. Only you see it, and it is never saved. A "
            "room that you lead with it keeps it until the room closes, for a day at most."
        )
    )
    file = st.file_uploader(
        _("A file of at most {size} KB", size=LARGEST // 1000), ["yaml", "yml"], max_upload_size=1, key="lesson-file"
    )
    if file is None:
        return
    try:
        lesson = read_uploaded(file.getvalue(), file.name, pages_of_lessons())
    except LessonError as error:
        st.error(plain(say(error)), icon=":material/edit_document:")
        return
    st.button(
        _("Begin “{title}”", title=plain(lesson.title)),
        type="primary",
        key="begin-uploaded",
        on_click=open_uploaded,
        args=(lesson, file.getvalue()),
    )


PAGE = Page(
    title=mark("Lessons"),
    address="lessons",
    fill=_fill,
    settings=(LANGUAGE, SPLIT, LANGUAGES),
    sheets=(SHEET,),
    figures=("figure-split",),
)
