"""Hops on the Heads page: with and without the penalty, and the classifier's answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.huggingface.reader_entries import READER_ENTRIES, reader_entry
from models.trace import AttentionTrace
from viz.canvas.edited import encode_alike
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions.differences import dynamic_and_static
from viz.captions.maps import links_of
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.measures.hops import annotation_of, overlap_of, penalty_of
from viz.pages.heads.matched import run_other
from viz.pages.heads.settings import BOTH, OTHER
from viz.pages.heads.wanted import HeadsSettings
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.views.view import View, choose_view
from viz.widgets.hops import annotation_html, show_class_numbers, show_classes
from viz.widgets.keep import file_name
from viz.widgets.settings import switch, text_box
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

CANVAS = "hops"
_MOVING = {"keys": mark("Arrow keys move between maps, with Shift inside one.")}


def show_hops(visit: Visit[HeadsSettings], key: str, trace: AttentionTrace, line: DeltaGenerator) -> None:
    """Show each hop as a row over the words, the classifier's answer, and the sum of hops, for one or both readers."""
    with line:
        both = switch(BOTH, default=True)
    traces = [trace, *(_other(visit.host, key, trace.source_text) if both else ())]
    for note in trace.provenance.notes:
        st.info(plain(say(note)), icon=":material/help:")
    views = [choose_view(each, unit=visit.wanted.unit, head=0) for each in traces]
    _maps(visit, views)
    with st.container(gap="xxsmall", key="classes"):
        for each in traces:
            show_classes(each)
    _annotations(views, visit.wanted)
    st.header(_("What the classifier says"), anchor=False)
    show_class_numbers({_(each.provenance.title): each for each in traces})
    _second_sentence(visit, key, both=both)


def _second_sentence(visit: Visit[HeadsSettings], key: str, *, both: bool) -> None:
    """Let the reader type a second sentence, and show how the same hops read it, with what the classifier says."""
    st.header(_("Compare with"), anchor=False)
    typed = text_box(
        OTHER, _("Second sentence: what do the same hops attend to?"), placeholder=_("such as: It was hungry.")
    )
    found = run_other(visit.host, key, (typed, None)) if typed.strip() else None
    if found is None:
        return
    traces = [found[0], *(_other(visit.host, key, found[0].source_text) if both else ())]
    for note in found[0].provenance.notes:
        st.info(plain(say(note)), icon=":material/help:")
    _maps(visit, [choose_view(each, unit=visit.wanted.unit, head=0) for each in traces], key="hops-second")
    st.caption(dynamic_and_static())
    with st.container(gap="xxsmall", key="classes-second"):
        for each in traces:
            show_classes(each)


def _other(host: Host, key: str, text: str) -> tuple[AttentionTrace, ...]:
    """Return the run of the reader that was trained the other way; nothing where it cannot be had."""
    for other, entry in READER_ENTRIES.items():
        if entry.hops and reader_entry(key).hops and other != key and other in models.pretrained():
            try:
                return (host.attend(other, text),)
            except (ModelUnavailableError, models.InputError) as error:
                st.info(plain(say(error)))
    return ()


def _maps(visit: Visit[HeadsSettings], views: Sequence[View], *, key: str = CANVAS) -> None:
    titles = [_(view.trace.provenance.title) for view in views]
    says = " · ".join(
        _("{title}: {links}", title=title, links=links_of(view, count=2))
        for title, view in zip(titles, views, strict=True)
    )
    name = f"{views[0].trace.source_text[:40]} hops"
    wanted, width = visit.wanted, visit.width
    paper = partial(alignment_heatmap, views, colour=wanted.colour)
    if max(views[0].weights.shape) > MOST_LABELLED:
        show(Shown(paper(width=width), key=key, says=says, name=name), visit)
        return
    file = f"{file_name(name)}.{wanted.picture}"
    payload = encode_alike(views, titles, words=_MOVING, look=Look(wanted.colour, width, says, file))
    shown = Shown(
        Picture("comparison", payload),
        key=key,
        says=says,
        name=name,
        csv=lambda: csv_of_views(views),
        printed=paper,
        traces=dict(zip(titles, (view.trace for view in views), strict=True)),
    )
    show(shown, visit)


def _annotations(views: Sequence[View], wanted: HeadsSettings) -> None:
    """Show the words of the sentence, each as deep as all hops together read it, and how far the hops spread."""
    st.header(_("All hops summed"), anchor=False)
    for view in views:
        shares = annotation_of(view.weights)
        st.html(annotation_html(view, shares, colour=wanted.colour))
        pieces = view.trace[view.shown.site].weights[0]
        said = _(
            "‖AAᵀ - I‖² is {penalty}. Two hops share {overlap} of their attention weight (mean over all pairs).",
            penalty=f"{penalty_of(pieces):.2f}",
            overlap=f"{overlap_of(pieces):.0%}",
        )
        st.caption(plain(said))
    st.caption(
        _(
            "The rows of the map added up, divided by their sum. The paper's penalty, ‖AAᵀ - I‖², is 0 when each "
            "hop attends to one word and no two share it. Both numbers are computed on subwords. Where the hops "
            "attend does not by itself explain the classifier's answer."
        )
    )
