"""Heads of an opened trace: all as small maps, the picked ones in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from models.trace import AttentionTrace
from viz.canvas.comparison import encode_comparison
from viz.canvas.overview import encode_overview, printed_heads, small_maps
from viz.canvas.standalone import Picture
from viz.captions.heads import comparison_sentence, overview_note, overview_sentence
from viz.captions.tables import csv_of_views
from viz.figures import head_comparison
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.theme import Colour
from viz.measures import head_profile
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import HeadPlace, pick_views, places_at, views_at
from viz.views.view import Unit, View
from viz.widgets import chart, session
from viz.widgets.canvas import comparison_canvas, head_canvas, picked_on
from viz.widgets.chart import show_figure
from viz.widgets.keep import LONGEST_TEXT, file_name, keep_row
from viz.widgets.viewport import page_width

if TYPE_CHECKING:
    import plotly.graph_objects as go

CANVAS = "opened-overview"
MOST_PICKED = 4
GUTTER = 72  # pixels between the two, and a little for the margins of a window that scrolls
LEAST_BESIDE = 1100  # pixels from which the picked heads stand beside all of them
MEASURED = 200  # tokens up to which heads are looked through for the clearest
_PICKS = "opened-picks"


def show_heads(
    trace: AttentionTrace,
    shown: AttentionTrace,
    identity: str,
    sites: str,
    *,
    unit: Unit,
    colour: Colour,
    picture: chart.Picture,
) -> None:
    """Show all heads of one kind, and those that are picked."""
    places, views, available = places_at(shown, sites), views_at(shown, sites, unit), page_width()
    picked = _picked((identity, sites), places, views)
    of = _Heads(trace, shown, sites, unit, colour, picture, places, views, picked)
    beside = available >= LEAST_BESIDE and len(places) > 1
    left, right = st.columns(2, gap="medium") if beside else (st.container(), st.container())
    room = (available - GUTTER) / 2 if beside else available
    exact = pick_views(shown, sites, unit, of.compared)
    says = comparison_sentence(of.compared, exact) if picked else ""
    full = _full(exact, of.compared, places, colour=colour, width=room, says=says, file=of.file)
    if len(places) > 1:
        with left, st.container(key="figure-opened"):
            _show_all(of, full)
    with right:
        if picked:
            _show_picked(of, exact, full, says=says, room=room)
        else:
            st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")


@dataclass(frozen=True, slots=True)
class _Heads:
    """The heads that are looked at: `show_heads` has what it is given, and what follows from that."""

    trace: AttentionTrace
    shown: AttentionTrace
    sites: str
    unit: Unit
    colour: Colour
    picture: chart.Picture
    places: Sequence[HeadPlace]
    views: Sequence[View]
    picked: Sequence[HeadPlace]

    @property
    def compared(self) -> list[HeadPlace]:
        return sorted(self.picked)

    @property
    def name(self) -> str:
        return f"{self.trace.source_text[:LONGEST_TEXT]} {self.trace.provenance.title}"

    @property
    def file(self) -> str:
        return f"{file_name(self.name)}.{self.picture}"

    @property
    def traces(self) -> dict[str, AttentionTrace]:
        return {self.trace.provenance.title: self.trace}


def _show_all(of: _Heads, full: bytes | None) -> None:
    """Show every head as a small map; `full` is what stands beside them, for the page that is kept."""
    small, colour, says = small_maps(of.views), of.colour, overview_sentence(of.views)
    overview = encode_overview(of.views, picked=of.picked, colour=colour, small=small, says=says, file=of.file)
    pictures = [Picture("overview", overview), *([Picture("comparison", full)] if full else [])]
    note = overview_note(of.views)
    head_canvas(overview, key=CANVAS)
    keep_row(
        lambda: printed_heads(of.views[0], small, heads=None, picked=of.picked, labels={}, colour=colour, note=note),
        key="opened-heads",
        name=of.name,
        square=False,
        pictures=lambda: pictures,
        traces=of.traces,
    )


def _show_picked(of: _Heads, exact: Sequence[View], full: bytes | None, *, says: str, room: float) -> None:
    """Show the picked heads in full: on the canvas, or as a figure where the text is too long for it."""

    def figure() -> go.Figure:
        return head_comparison(of.shown, heads=of.compared, width=room, unit=of.unit, colour=of.colour, sites=of.sites)

    if full is None:
        show_figure(figure(), key="opened-full", says=says, name=of.name, picture=of.picture, available=room)
        return
    with st.container(key="figure-opened-full"):
        comparison_canvas(full, key="opened-full")
    st.caption(plain(says))
    keep_row(
        figure,
        key="opened-full",
        name=f"{of.name} {' '.join(place.title for place in of.compared)}",
        csv=lambda: csv_of_views(exact),
        pictures=lambda: [Picture("comparison", full)],
        traces=of.traces,
    )


def _full(
    exact: Sequence[View], compared: Sequence[HeadPlace], places: Sequence[HeadPlace], **options: Any
) -> bytes | None:
    """Return what the canvas of picked heads shows; None where none is picked, or the text is too long for it."""
    if not compared or max(exact[0].weights.shape) > MOST_LABELLED:
        return None
    return encode_comparison(exact, compared, among=places, most=MOST_PICKED, **options)


def _picked(of: tuple[str, str], places: Sequence[HeadPlace], views: Sequence[View]) -> tuple[HeadPlace, ...]:
    """Return the picked heads in the order of picking; before anything is picked, the clearest of each pattern."""
    now = picked_on(CANVAS)
    if now is not None:
        session.keep(_PICKS, (of, tuple(each for each in now if each in places)))
    known, picked = session.recall(_PICKS, (None, ()))
    if known == of:
        return tuple(picked)
    if len(places) == 1:
        return tuple(places)
    short = max(views[0].weights.shape) <= MEASURED
    found = head_profile.clearest(head_profile.profiles_of(views), MOST_PICKED) if short else ()
    return found or tuple(places[:1])
