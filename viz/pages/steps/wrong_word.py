"""One wrong word on Steps: offered where a written word was clicked, shown below the walk."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from models.trace import AttentionTrace
from viz.captions.written import Written, written_words
from viz.pages.steps.places import StepPlace
from viz.server.translations import forcible_translation
from viz.text.language import _
from viz.text.tokens import isolated, visible
from viz.views.view import Unit, View, choose_view
from viz.widgets.canvas import Walked
from viz.widgets.settings import link
from viz.widgets.visit import Visit, Wanted
from viz.widgets.wrong_word import REPLACED, begin_with, show_replaced


def take_replaced(place: StepPlace, row: int, told: Walked | None) -> None:
    """Let the word of a row be replaced if the reader has just asked for it; before the controls are shown."""
    written = _written(place, row)
    if told is not None and told.puts and written is not None:
        begin_with(written.word)
        st.toast(_("Below the picture: put another word there."))


def offer_of(place: StepPlace, row: int) -> str:
    """Return what offers to put another word in the place of that of a row; empty where none was written there."""
    written = _written(place, row)
    if written is None:
        return ""
    return _("Put another word in the place of {row}", row=f"“{isolated(visible(written.text))}”")


def _written(place: StepPlace, row: int) -> Written | None:
    """Return the word of the translation that labels a row; None if it is a mark, or of another text."""
    trace, queries = place.trace, place.queries
    if not trace.is_translation or queries not in (trace.target, trace.target_input):
        return None
    at = row - (queries != trace.target)  # the first token read in is <s>
    return next((each for each in written_words(trace) if at >= 0 and each.word == trace.target.words[at]), None)


def show_wrong_word(measure: Callable[[], Visit[Wanted]], place: StepPlace, unit: Unit) -> None:
    """Show what another word in the place of a written one changes; nothing if none is replaced."""
    if link.text_of(REPLACED) is None or not place.trace.is_translation:
        return
    visit = measure()
    st.header(_("One wrong word"), anchor=False)
    line = st.container(horizontal=True, vertical_alignment="bottom", key="wrong-word-line")
    before = forcible_translation(visit.host, place.key, place.trace.source_text)
    at = None if place.site is None or place.site.stack == "encoder" else place.site

    def view_of(trace: AttentionTrace) -> View | None:
        if not trace.sites:
            return None
        return choose_view(trace, unit=unit, site=at, head=None if at is None else place.head)

    show_replaced(visit, before, line, view_of, may_be_none=True)
