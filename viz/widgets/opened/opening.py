"""The box that opens saved traces, of this app or of any program, in place of what a page runs itself."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import cast

import streamlit as st

from models.trace import AttentionTrace
from viz.captions.provenance import facts_of
from viz.figures.drawing.theme import Colour
from viz.text.language import _, listed
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.views.heads import KINDS, kinds_of
from viz.views.view import Unit
from viz.widgets.frame import Frame
from viz.widgets.opened.heads import show_heads
from viz.widgets.opened.panels import show_opened
from viz.widgets.opened.settings import FILES, SHOW, WHICH
from viz.widgets.opened.taking import BOX, Opened, close_files, take_files
from viz.widgets.settings import choose, choose_titled, link
from viz.widgets.shared_settings import COLOUR, PICTURE, UNIT
from viz.widgets.visit import ImageFormat, Wanted

PANELS, HEADS = "panels", "heads"
"""What a page shows of a trace before anything is chosen: its texts with their alignment, or its heads."""

FIGURES = ("figure-alignment", "figure-opened")
SHEET = Path(__file__).parent / "opened.css"

_PYTHON = """
from models import AttentionTrace

# a model of transformers, opened with attn_implementation="eager"
trace = AttentionTrace.from_transformers(model(**inputs, output_attentions=True), tokenizer, inputs)

# or any weights from 0 to 1, [head, query, key]
trace = AttentionTrace.from_arrays({"encoder.0.self": weights}, source=["[CLS]", "a", "cat", "[SEP]"])

trace.save("mine.npz")
"""
"""In the installed package it imports from there: the build rewrites it, as it does every import."""


def open_traces(frame: Frame, *, usual: str) -> bool:
    """Offer to open files beside the sentence, show what is in them, and return whether any is open."""
    with frame.beside:
        box = st.popover(
            _("Open …"), icon=":material/folder_open:", help=_("Open saved attention"), key=BOX, on_change="rerun"
        )
    opened = take_files(box, frame.messages)
    if box.open and not opened:
        with box:
            _explain()
    if not opened:
        return False
    with frame.beside, st.popover(_("Settings"), icon=":material/tune:", key="settings"):
        unit, colour, picture = (choose_titled(each) for each in (UNIT, COLOUR, PICTURE))
    link.belong(FILES, of=tuple(each.identity for each in opened))
    wanted = Wanted(unit=cast("Unit", unit), colour=cast("Colour", colour), picture=cast("ImageFormat", picture))
    _show(frame, opened, wanted, usual)
    return True


def _explain() -> None:
    """Say where a trace comes from."""
    st.caption(
        _(
            "A trace contains the attention of one run. “Save as …” below a picture on the Bench, the Heads or the "
            "Surgery saves it as NPZ. To make a trace from attention captured elsewhere, use Python:"
        )
    )
    st.code(_PYTHON.strip(), language=None, wrap_lines=True)


def _show(frame: Frame, opened: Sequence[Opened], wanted: Wanted, usual: str) -> None:
    """Show one file, or all that read the same text side by side."""
    together = [each for each in opened if each.trace.is_translation and each.trace.source == opened[0].trace.source]
    labels = {str(place): shorten(each.name, 30) for place, each in enumerate(opened)}
    alike = len(together) == len(opened) and not any(_has_many(each.trace) for each in opened)
    with st.container(horizontal=True, vertical_alignment="center", key="shown-of-it"):
        one = opened[int(choose(WHICH, labels)) if len(opened) > 1 and not alike else 0]
        kinds = {kind: _(KINDS[kind][1]) for kind in kinds_of(one.trace.sites) if _has_heads(one.trace, kind)}
        panels = together if one in together else [one] if one.trace.is_translation else []
        ways = ({PANELS: _("the text and its translation")} if panels else {}) | kinds
        first = next(iter(ways if usual == PANELS else kinds or ways))
        way = choose(SHOW, ways, default=first) if len(ways) > 1 else first
        names = listed(each.name for each in opened)
        st.caption(plain(_("From {files}. The models and the sentence above are not used.", files=names)))
        st.button(_("Close"), icon=":material/close:", type="tertiary", key="close-files", on_click=close_files)
    if way == PANELS:
        show_opened(panels or [one], wanted)
    else:
        show_heads(frame.visit(wanted), one, KINDS[way][0])
    for each in panels if way == PANELS else [one]:
        _show_facts(each, named=len(opened) > 1)
    st.caption(_("Weights are as they were saved. A map shows where a model attends, not why it produced this output."))


def _has_heads(trace: AttentionTrace, kind: str) -> bool:
    """Return whether heads of a kind are to be compared: a cross map of one head stands beside its translation."""
    heads = sum(len(each.head_names) for each in trace if each.site.matches(KINDS[kind][0]))
    return heads > 1 or kind != "cross"


def _has_many(trace: AttentionTrace) -> bool:
    return sum(len(each.head_names) for each in trace) > 1


def _show_facts(opened: Opened, *, named: bool) -> None:
    """Say where a trace comes from; every text of the file is escaped."""
    facts = ((_("File"), opened.name), *facts_of(opened.trace)) if named else facts_of(opened.trace)
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in facts)
    st.html(f'<dl class="opened-facts">{rows}</dl>')
