"""Window of local attention on the Bench: sliders, and the translation that follows."""

from __future__ import annotations

import streamlit as st

import models
from models.keys import mechanism_of
from models.trace import AttentionTrace
from viz.captions.maps import sentence_of
from viz.figures import alignment_heatmap
from viz.pages.bench.settings import WINDOWED
from viz.pages.bench.wanted import BenchSettings, Compared, file_name_of, name_of, view_of
from viz.server.translations import forcible_translation
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets.edits.builder import build_window
from viz.widgets.edits.translation_consequence import MisfitError, edited_runs, show_consequence, show_word_numbers
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit


def is_local(key: str, trace: AttentionTrace) -> bool:
    """Return whether `trace`, of the model `key`, has rows with a window to move."""
    return models.describe(key).mechanism.windows and bool(trace.sites) and bool(trace.output_text.strip())


def show_window(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Let the reader move and widen the windows of one local mechanism, and show the maps and words before and after.

    Always on its own translation, whichever is aligned above: what it then writes is held against that.
    """
    traces, host = ran.traces, visit.host
    names = {mechanism_of(key): name_of(key) for key, trace in traces.items() if is_local(key, trace)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="window"):
        with st.container(width=250):
            chosen = choose(WINDOWED, names)
        key = next(each for each in traces if mechanism_of(each) == chosen)
        before = forcible_translation(host, key, traces[key].source_text)
        (own,) = before.maps  # one layer of one head
        edits = build_window(own)
    if not edits:
        st.caption(
            _("Move a slider: the model runs again with the new window. The changes appear next to the original.")
        )
        return
    try:
        forced, afresh = edited_runs(host, key, before, edits)
    except MisfitError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return
    show_consequence(before, forced, afresh, key)
    show_word_numbers(before, forced)
    views = [view_of(trace, ran.places[key], visit.wanted) for trace in (before, forced)]
    shown = Shown(
        alignment_heatmap(views, colour=visit.wanted.colour, width=visit.width),
        key="windowed",
        says=" · ".join(sentence_of(view, count=1) for view in views),
        name=f"{file_name_of({key: before})} window",
    )
    show(shown, visit)
