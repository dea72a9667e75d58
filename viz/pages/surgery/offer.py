"""A cell that is clicked on the map offers the edits of its row and of its word."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.view import View
from viz.widgets import session
from viz.widgets.edits.builder import OPERATION
from viz.widgets.edits.where import KEY, ROW, SITE, control_of

CHART = "chart-maps"


def offer_edits(view: View) -> None:
    """Show what can be done to the cell of `view` that was clicked last: a button fills in the controls of its edit.

    Parameters
    ----------
    view : View
        The map as the model was trained.
    """
    state: Any = session.reported(CHART)
    points = (state or {}).get("selection", {}).get("points", [])
    if not points:
        st.caption(_("Click a cell to edit what its row reads, or who may read its word."))
        return
    shown = view.shown
    query, key = int(points[0]["y"]), int(points[0]["x"])
    if not (query < len(shown.query_tokens) and key < len(shown.key_tokens)):
        return
    own = view.trace[shown.site]
    row, column = query, key
    if view.unit == "piece":
        row, column = own.query_tokens.words[query], own.key_tokens.words[key]
    elif view.reading == "input":  # a row is labelled by the word read in: the edit is of the step that writes another
        row = own.query_tokens.words[view.trace.target_input.words.index(query)]
    row_word, word = (
        plain(f"“{visible(text)}”") for text in (own.query_tokens.word_texts[row], own.key_tokens.word_texts[column])
    )
    offers = {
        "forbid": _("{word} may not be read", word=word),
        "force": _("{row} reads only {word}", row=row_word, word=word),
        "even": _("{row} reads all alike", row=row_word),
        "row": _("set the row of {row} by hand", row=row_word),
    }
    with st.container(horizontal=True, vertical_alignment="center", key="offer"):
        st.markdown(_("Edit the cell:"), width="content")
        for operation, said in offers.items():
            arguments = (operation, str(shown.site), row, column)
            st.button(said, key=f"offer-{operation}", on_click=_fill_in, args=arguments)


def _fill_in(operation: str, site: str, row: int, key: int) -> None:
    """Let the controls of an edit say that `operation` is done at `site` to the words `row` and `key`."""
    session.put_control(OPERATION, operation)
    session.put_control(SITE, site)
    session.put_control(control_of(ROW, every=operation == "even"), row)
    session.put_control(control_of(KEY, every=False), key)
