"""Heads of an opened trace: all as small maps, the picked ones in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from models.trace import AttentionTrace
from viz.canvas.comparison import encode_comparison
from viz.canvas.overview import Tiles, encode_overview, printed_heads, small_maps
from viz.canvas.payload import MOST_PICKED, USUAL, Look
from viz.canvas.standalone import Picture
from viz.captions.heads import comparison_sentence, overview_note, overview_sentence
from viz.captions.tables import csv_of_views
from viz.figures import head_comparison
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.measures import head_profile
from viz.text.language import _
from viz.views.heads import HeadPlace, pick_views, places_at, views_at
from viz.views.view import View
from viz.widgets import session
from viz.widgets.canvas import picked_on, show_canvas
from viz.widgets.keep import LONGEST_TEXT, file_name, keep_row
from viz.widgets.opened.taking import Opened
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

CANVAS = "opened-overview"
GUTTER = 72  # pixels between the two, and a little for the margins of a window that scrolls
LEAST_BESIDE = 1100  # pixels from which the picked heads stand beside all of them
MEASURED = 200  # tokens up to which heads are looked through for the clearest
_PICKS = "opened-picks"


def show_heads(visit: Visit[Wanted], opened: Opened, sites: str) -> None:
    """Show all heads of one kind, and those that are picked."""
    shown, unit, available = opened.shown, visit.wanted.unit, visit.width
    places, views = places_at(shown, sites), views_at(shown, sites, unit)
    picked = _picked((opened.identity, sites), places, views)
    of = _Heads(visit, opened, sites, places, views, picked)
    beside = available >= LEAST_BESIDE and len(places) > 1
    left, right = st.columns(2, gap="medium") if beside else (st.container(), st.container())
    visit = replace(visit, width=(available - GUTTER) / 2 if beside else available)
    exact = pick_views(shown, sites, unit, of.compared)
    says = comparison_sentence(of.compared, exact) if picked else ""
    full = _full(exact, of.compared, places, of.look(says, visit.width))
    if len(places) > 1:
        with left, st.container(key="figure-opened"):
            _show_all(of, full)
    with right:
        if picked:
            _show_picked(replace(of, visit=visit), exact, full, says)
        else:
            st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")


@dataclass(frozen=True, slots=True)
class _Heads:
    """The heads that are looked at: `show_heads` has what it is given, and what follows from that."""

    visit: Visit[Wanted]
    opened: Opened
    sites: str
    places: Sequence[HeadPlace]
    views: Sequence[View]
    picked: Sequence[HeadPlace]

    @property
    def compared(self) -> list[HeadPlace]:
        return sorted(self.picked)

    @property
    def name(self) -> str:
        return f"{self.opened.trace.source_text[:LONGEST_TEXT]} {self.opened.trace.provenance.title}"

    @property
    def traces(self) -> dict[str, AttentionTrace]:
        return {self.opened.trace.provenance.title: self.opened.trace}

    def look(self, says: str, width: float = USUAL.width) -> Look:
        """Return how its canvases are drawn."""
        wanted = self.visit.wanted
        return Look(wanted.colour, width, says, f"{file_name(self.name)}.{wanted.picture}")


def _show_all(of: _Heads, full: Picture | None) -> None:
    """Show every head as a small map; `full` is what stands beside them, for the page that is kept."""
    small, tiles, note = small_maps(of.views), Tiles(picked=of.picked), overview_note(of.views)
    look = of.look(overview_sentence(of.views))
    overview = Picture("overview", encode_overview(of.views, tiles, look, small=small))
    show_canvas(overview, key=CANVAS)
    saved = Shown(
        key="opened-heads",
        name=of.name,
        printed=lambda: printed_heads(of.views[0], small, tiles, colour=look.colour, note=note),
        square=False,
        page=lambda: [overview, *([full] if full else [])],
        traces=of.traces,
    )
    keep_row(saved)


def _show_picked(of: _Heads, exact: Sequence[View], full: Picture | None, says: str) -> None:
    """Show the picked heads in full: on the canvas, or as a figure where the text is too long for it."""
    wanted = of.visit.wanted
    common: dict[str, Any] = {"width": of.visit.width, "unit": wanted.unit, "colour": wanted.colour, "sites": of.sites}
    paper = partial(head_comparison, of.opened.shown, heads=of.compared, **common)
    shown = Shown(key="opened-full", says=says, name=of.name)
    if full is None:
        show(replace(shown, picture=paper()), of.visit)
        return
    canvas = replace(
        shown,
        picture=full,
        name=f"{of.name} {' '.join(place.title for place in of.compared)}",
        csv=lambda: csv_of_views(exact),
        printed=paper,
        traces=of.traces,
    )
    show(canvas, of.visit)


def _full(
    exact: Sequence[View], compared: Sequence[HeadPlace], places: Sequence[HeadPlace], look: Look
) -> Picture | None:
    """Return the canvas of picked heads; None where none is picked, or the text is too long for it."""
    if not compared or max(exact[0].weights.shape) > MOST_LABELLED:
        return None
    return Picture("comparison", encode_comparison(exact, compared, among=places, look=look))


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
