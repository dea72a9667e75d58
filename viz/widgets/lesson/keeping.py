"""Button that exports a lesson, and the download when it is ready."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.errors import InputError
from viz.lessons.lesson import Lesson
from viz.server.lesson_files import shared_lesson_files
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets import session

_WANTED = "lesson-file-wanted"


def offer_file(lesson: Lesson) -> None:
    """Show the button that asks for the file of a lesson."""
    st.button(
        _("As one file"),
        icon=":material/download:",
        type="tertiary",
        key=f"write-{lesson.name}",
        help=_("One HTML file with interactive pictures. Double-click to open it; no network needed."),
        on_click=session.keep,
        args=(_WANTED, lesson.name),
    )


def show_file(lesson: Lesson, where: DeltaGenerator) -> None:
    """Offer the file of a lesson if it was asked for; after all else on the page, since it may take a minute."""
    if session.recall(_WANTED) != lesson.name:
        return
    try:
        with where, st.spinner(_("Saving the lesson as a file. This takes up to a minute.")):
            data = shared_lesson_files().file_of(lesson)
    except InputError as error:
        session.forget(_WANTED)
        where.warning(plain(say(error)), icon=":material/hourglass_top:")
        return
    where.download_button(
        _("Download {file}", file=f"{lesson.name}.html"),
        data,
        file_name=f"{lesson.name}.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/download:",
        key=f"file-{lesson.name}",
    )
