"""Greedy decoding beside beam search: the hypotheses as a tree, their scores, and the map of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

import models
from models.keys import mechanism_of
from models.trace import AttentionTrace
from models.translation.hypothesis import Hypothesis
from models.writing import Writing
from viz.captions.beam import csv_of_beam, sentence_of_beam, table_of_beam
from viz.figures.beam_tree import beam_tree
from viz.pages.bench.settings import BEAM_OF, BEAM_WIDTH, BRANCH
from viz.pages.bench.wanted import LONGEST_NAMED, BenchSettings, Compared, name_of, view_of
from viz.server.introspection import beam_of
from viz.server.translations import sites_of
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.beam_tree import GREEDY, Branch, branches, named
from viz.widgets import session
from viz.widgets.panels import panel_of, show_panels
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

KEY = "beam"
_TAKEN = "beam-taken"


def show_beam(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Let the reader choose a translator and a width, and show the tree and the map of one of its branches."""
    st.header(_("Beam search"), anchor=False)
    keys = {mechanism_of(key): key for key in ran.traces}
    with st.container(horizontal=True, vertical_alignment="center", key="beam-line"):
        with st.container(width=280):
            key = keys[choose(BEAM_OF, {mechanism: name_of(key) for mechanism, key in keys.items()})]
        width = int(choose(BEAM_WIDTH, {str(each): _("beam of {width}", width=each) for each in range(2, 9)}))
    own = visit.host.attend(key, ran.traces[key].source_text, sites=sites_of(key))
    greedy = Hypothesis.of(own)
    try:
        found = named(beam_of(visit.host, key, own.source_text, width), greedy)
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return
    rows = branches(found, greedy)
    link.belong("branches", of=(key, own.source_text, width))
    _take_branch(rows)
    tree = st.container()
    st.caption(_("Show the map of this hypothesis:"))
    chosen = choose(BRANCH, {code: _("greedy") if code == GREEDY else code for code in found}, default="1")
    with tree:
        _show_tree(visit, own, rows, chosen)
    st.dataframe(table_of_beam(found, greedy), hide_index=True)
    _draw(visit, ran, own, found, chosen)


def _take_branch(rows: list[Branch]) -> None:
    """Let the branch that was just clicked be the one whose map is shown."""
    state: Any = session.reported(f"chart-{KEY}")
    points = (state or {}).get("selection", {}).get("points", [])
    clicked = next((str(each["customdata"][0]) for each in points if each.get("customdata")), "")
    told = (clicked, tuple(point.get("point_index") for point in points))
    if told == session.recall(_TAKEN, ("", ())):
        return
    session.keep(_TAKEN, told)
    if any(row.code == clicked for row in rows):
        link.store(BRANCH.name, None if clicked == "1" else clicked)


def _show_tree(visit: Visit[BenchSettings], own: AttentionTrace, rows: list[Branch], chosen: str) -> None:
    hypotheses = {row.code: row.hypothesis for row in rows}
    greedy = Hypothesis.of(own)
    shown = Shown(
        beam_tree(rows, chosen=chosen, width=visit.width),
        key=KEY,
        says=sentence_of_beam(rows),
        name=f"{own.source_text[:LONGEST_NAMED]} beam",
        selects=True,
        csv=lambda: csv_of_beam(hypotheses, greedy),
    )
    show(shown, visit)


def _draw(
    visit: Visit[BenchSettings], ran: Compared, own: AttentionTrace, found: Mapping[str, Hypothesis], chosen: str
) -> None:
    """Show the map of greedy decoding beside that of the chosen hypothesis."""
    key, wanted = own.provenance.checkpoint, visit.wanted
    traces = {_("greedy decoding"): own}
    if found[chosen].ids != own.target.ids:
        write = Writing(0, begin=found[chosen].ids)
        title = _("hypothesis {rank}", rank=chosen)
        traces[title] = visit.host.attend(key, own.source_text, write=write, sites=sites_of(key))
    panels = [
        panel_of(key, trace, view_of(trace, ran.places[key], wanted) if trace.sites else None, name=name)
        for name, trace in traces.items()
    ]
    with st.container(key="figure-beam-maps"):
        shown = Shown(key="beam-maps", name=f"{own.source_text[:LONGEST_NAMED]} hypothesis {chosen}", traces=traces)
        show_panels(panels, shown, colour=wanted.colour, linking=wanted.links)
    if not found[chosen].ended:
        st.caption(_("This hypothesis was cut off by the limit of tokens. Its map goes on greedily from there."))
