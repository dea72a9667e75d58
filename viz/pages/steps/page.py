"""The Steps page: how a weight is computed, with the sentence's own numbers; the Lab; Positions."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.pages.steps.lab import show_lab
from viz.pages.steps.places import of_block
from viz.pages.steps.positions import show_positions
from viz.pages.steps.settings import LAB, MECHANISM, POSITIONS, SETTINGS, SHOW
from viz.pages.steps.walk import show_steps
from viz.text.language import _, mark
from viz.widgets.frame import Frame, Page
from viz.widgets.settings import choose, link


def _fill(frame: Frame) -> None:
    """Read the choices and show the part of the page that is chosen."""
    pair = frame.ask(_label())
    bar = st.container(horizontal=True, vertical_alignment="center", key="steps-choices")
    with bar:
        part = choose(SHOW)
    if part == LAB:
        st.caption(_("The lab works on the numbers below, not on the sentence."))
        show_lab(frame)
    elif part == POSITIONS:
        show_positions(frame, pair)
    else:
        show_steps(frame, pair, bar)


def _label() -> str | None:
    """Say above the box what becomes of the sentence; None: it is translated."""
    if not of_block(link.text_of(MECHANISM) or ""):
        return None
    return _("Type a sentence: the model reads it token by token.")


PAGE = Page(
    title=mark("Steps"),
    address="steps",
    fill=_fill,
    figures=("walk", "figure-lab", "figure-encoding"),
    settings=SETTINGS,
    sheets=(Path(__file__).parent / "steps.css",),
)
