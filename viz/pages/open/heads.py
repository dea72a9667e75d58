"""An opened trace as on the Heads: every head as a small map, and the picked ones in full beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from viz.widgets.keep import file_name, keep_row
from viz.widgets.viewport import page_width

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
    """Show all heads of one kind, and those that are picked.

    Parameters
    ----------
    trace, shown : AttentionTrace
        As it was saved, and what pictures show of it.
    identity : str
        The same for equal files.
    sites : str
        As `viz.views.heads.views_at` takes it.
    unit : {"word", "piece"}
    colour : {"linear", "root"}
    picture : {"png", "svg"}
        Format of a saved picture.
    """
    places, views, available = places_at(shown, sites), views_at(shown, sites, unit), page_width()
    picked = _picked((identity, sites), places, views)
    name = f"{trace.source_text[:40]} {trace.provenance.title}"
    compared = sorted(picked)
    common: dict[str, Any] = {"unit": unit, "colour": colour, "sites": sites}
    beside = available >= LEAST_BESIDE and len(places) > 1
    left, right = st.columns(2, gap="medium") if beside else (st.container(), st.container())
    small, file = small_maps(views), f"{file_name(name)}.{picture}"
    overview = encode_overview(
        views, picked=picked, colour=colour, small=small, says=overview_sentence(views), file=file
    )
    exact = pick_views(shown, sites, unit, compared)
    says = comparison_sentence(compared, exact) if compared else ""
    room = (available - GUTTER) / 2 if beside else available
    full = _full(exact, compared, places, colour=colour, width=room, says=says, file=file)
    pictures = [Picture("overview", overview), *([Picture("comparison", full)] if full else [])]
    if len(places) > 1:
        with left, st.container(key="figure-opened"):
            head_canvas(overview, key=CANVAS)
            keep_row(
                lambda: printed_heads(
                    views[0], small, heads=None, picked=picked, labels={}, colour=colour, note=overview_note(views)
                ),
                key="opened-heads",
                name=name,
                square=False,
                pictures=lambda: pictures,
                traces={trace.provenance.title: trace},
            )
    with right:
        if not compared:
            st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
            return
        if full is None:
            figure = head_comparison(shown, heads=compared, width=room, **common)
            show_figure(figure, key="opened-full", says=says, name=name, picture=picture, available=room)
            return
        with st.container(key="figure-opened-full"):
            comparison_canvas(full, key="opened-full")
        st.caption(plain(says))
        keep_row(
            lambda: head_comparison(shown, heads=compared, width=room, **common),
            key="opened-full",
            name=f"{name} {' '.join(place.title for place in compared)}",
            csv=lambda: csv_of_views(exact),
            pictures=lambda: [Picture("comparison", full)],
            traces={trace.provenance.title: trace},
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
    short = max(views[0].weights.shape) <= MEASURED
    found = head_profile.clearest(head_profile.profiles_of(views), MOST_PICKED) if short else ()
    return found or tuple(places[:1])
