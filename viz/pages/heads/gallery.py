"""Overview of all heads on the page: canvas, order and filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from models.measures.heads import MEASURES, measures_for
from viz.canvas.comparison import encode_comparison
from viz.canvas.overview import Tiles
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions.maps import map_title
from viz.captions.measures import LABEL_NAMES, name_of, remark_of, tile_label
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.measures import head_profile
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.picks import order_of_picking, put_picks
from viz.pages.heads.settings import ALL, IN_PLACE, ONLY, ORDER
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import HeadPlace
from viz.widgets.canvas import hand_over, picked_on, show_canvas
from viz.widgets.keep import file_name, keep_row
from viz.widgets.settings import choose_titled, link
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

CANVAS = "overview"
ALONE = 960
"""Pixels of the picked heads on a page that is kept: whole on any laptop."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the heads are ordered and which are shown."""

    by: str  # A measure's key, ``score`` or ``place``
    label: str  # A key of `models.measures.labels.LABELS`, or ``all``
    # of the heads that are shown, in their order; None where nothing was measured
    profiles: tuple[head_profile.Profile, ...] | None

    @property
    def heads(self) -> tuple[HeadPlace, ...] | None:
        """The heads that are shown, in their order; None for all, a row a layer."""
        if self.profiles is None or (self.by == IN_PLACE and self.label == ALL):
            return None
        return tuple(each.place for each in self.profiles)


def take_picks(places: Sequence[HeadPlace]) -> None:
    """Let what has just been picked on the canvas stand in the address bar; before anything shows the picks."""
    now = picked_on(CANVAS)
    if now is not None:
        put_picks(now, places)


def arrange(shown: HeadSelection) -> Arrangement:
    """Let the reader choose the order of heads, and which are shown; one that means nothing here falls back."""
    by, label = link.text_of(ORDER) or IN_PLACE, link.text_of(ONLY) or ALL
    measured = None if shown.has_long_text and (by, label) == (IN_PLACE, ALL) else profiles_of(shown)
    site = shown.first.shown.site
    measures = measures_for(site) if measured is None else head_profile.columns_of(measured)
    names = {measure.key: _("most first: {name}", name=name_of(measure)) for measure in measures}
    names["score"] = _("most first: score of the label")
    elsewhere = {measure.key for measure in MEASURES} - set(names)
    if by in elsewhere:
        link.drop(ORDER)
    there = Counter(each.label.key for each in measured or ())
    kinds = {
        key: _("{label} ({count})", label=_(name), count=there[key]) for key, name in LABEL_NAMES.items() if there[key]
    }
    if measured is None:
        kinds = {key: _(name) for key, name in LABEL_NAMES.items()}
    if label in LABEL_NAMES and label not in kinds:
        link.drop(ONLY)
    by = choose_titled(ORDER, {IN_PLACE: _("in order: layer and head"), **names})
    label = choose_titled(ONLY, {ALL: _("heads of any label"), **kinds})
    if measured is None:
        return Arrangement(by, label, None)
    chosen = [each for each in measured if label in (ALL, each.label.key)]
    return Arrangement(by, label, head_profile.ordered(chosen, by))


def show_gallery(
    visit: Visit[HeadsSettings], shown: HeadSelection, arrangement: Arrangement, picked: Sequence[HeadPlace]
) -> None:
    """Show the canvas, and say which head reads one token most."""
    wanted = visit.wanted
    name, tiles = _name(shown), _tiles(arrangement, picked)
    picture = _picture(visit, shown, arrangement, picked)
    with st.container(key="figure-all-heads"):
        show_canvas(picture, key=CANVAS)
    st.caption(plain(shown.sentence()))
    saved = Shown(
        picture,
        key="all-heads",
        name=name,
        printed=lambda: shown.printed(tiles, wanted.colour),
        square=False,
        page=lambda: [picture, *_in_full(shown, wanted, picked)],
        traces={_(shown.trace.provenance.title): shown.trace},
    )
    keep_row(saved)


def foresee(
    visit: Visit[HeadsSettings], shown: HeadSelection, arrangement: Arrangement, picked: Sequence[HeadPlace]
) -> None:
    """Hand the browser what is moved in a long text, before the switch is turned to it; the last that a run does."""
    if not shown.has_long_text or arrangement.profiles is not None or "moved" not in visit.wanted.quantities:
        return
    if shown.trace.quantity == "weights":
        hand_over(_picture(visit, replace(shown, trace=shown.trace.moved()), arrangement, picked), key="foreseen")


def _picture(
    visit: Visit[HeadsSettings], shown: HeadSelection, arrangement: Arrangement, picked: Sequence[HeadPlace]
) -> Picture:
    wanted = visit.wanted
    turned = shown.turned(wanted.quantities, wanted.colour, wanted.picture, arrangement.by, arrangement.label)
    look = Look(wanted.colour, file=f"{_name(shown)}.{wanted.picture}", turned=turned)
    return Picture("overview", shown.payload(_tiles(arrangement, picked), look))


def _name(shown: HeadSelection) -> str:
    return file_name(file_name_of(shown, map_title(shown.first.shown.site)))


def _tiles(arrangement: Arrangement, picked: Sequence[HeadPlace]) -> Tiles:
    profiles = arrangement.profiles or ()
    return Tiles(
        arrangement.heads,
        [place for place in order_of_picking() if place in picked],
        labels={each.place: tile_label(each.label, each.sink) for each in profiles},
        remarks={each.place: remark_of(each.label, each.sink) for each in profiles},
    )


def _in_full(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace]) -> list[Picture]:
    """Return the picked heads below the overview of a page that is kept; of a long text none."""
    views = shown.pick(picked)
    if not views or max(views[0].weights.shape) > MOST_LABELLED:
        return []
    look = Look(wanted.colour, width=ALONE)
    return [
        Picture(
            "comparison", encode_comparison(views, picked, among=shown.places, look=look, crossed=shown.crossed(picked))
        )
    ]


def profiles_of(shown: HeadSelection) -> tuple[head_profile.Profile, ...]:
    """Measure every head; of a long text, which takes a moment, that is said."""
    if not shown.has_long_text:
        return shown.profiles()
    with st.spinner(_("Measuring every head …")):
        return shown.profiles()
