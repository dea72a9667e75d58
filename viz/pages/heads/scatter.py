"""All heads as points, any two measures as axes, on this text or over a corpus: a lasso or a click picks heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from models.corpus.kept import find
from models.measures.heads import MEASURES
from viz.canvas.points import encode_points
from viz.canvas.standalone import Picture
from viz.captions.asking import PATTERN_NAMES
from viz.captions.corpus import corpus_labels
from viz.captions.measures import name_of, remark_of
from viz.figures.head_scatter import head_scatter
from viz.measures import head_profile
from viz.measures.over_corpus import OFTEN, numbers_over_corpus
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.picks import put_picks
from viz.pages.heads.settings import ACROSS, CORPUS, HUE, OVER, UPWARD
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.server.configuration import configuration
from viz.text.language import _, _n
from viz.views.heads import HeadPlace
from viz.widgets import session
from viz.widgets.canvas import picked_on, show_canvas
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

KEY, MAPS = "scatter", "scatter-maps"
_TAKEN = "scatter-taken"


@dataclass(frozen=True, slots=True)
class PointNumbers:
    """The numbers among which the axes are chosen, and what is said of each head."""

    names: Mapping[str, str]  # by key
    values: Mapping[str, Sequence[float]]  # by key, of each head
    remarks: Sequence[str]
    says: str = ""  # where the numbers come from


def _first(names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the axes and the colour are at first."""
    wanted = [each for each in ("breadth", "previous", "first", *names) if each in names]
    distinct = list(dict.fromkeys(wanted))[:3]
    return tuple(distinct + distinct[:1] * (3 - len(distinct)))


def take_lasso(places: Sequence[HeadPlace]) -> None:
    """Let heads that were just chosen among the points be picked; before anything shows the picks."""
    by_keys = picked_on(MAPS)
    if by_keys is not None:
        put_picks(by_keys, places)
    state: Any = session.reported(f"chart-{KEY}")
    points = (state or {}).get("selection", {}).get("points", [])
    chosen = tuple(sorted({point["point_index"] for point in points}))
    if chosen == session.recall(_TAKEN, ()):
        return
    session.keep(_TAKEN, chosen)
    there = [places[each] for each in chosen if each < len(places)]
    if there:
        put_picks(there, places)


def show_scatter(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace], sha256: str) -> None:
    """Show the points, with the choice of what each axis and the colour is."""
    over = choose(OVER)
    found = _over_corpus(shown, sha256) if over == CORPUS else _on_this_text(shown)
    if not found.names:
        st.info(
            _(
                "The heads of this model were not measured over a corpus. Choose *this text*. Whoever runs this server "
                "can measure them: `python -m scale.corpus`."
            )
        )
        return
    with st.container(horizontal=True, key="scatter-axes"):
        keys = []
        for setting, default in zip((ACROSS, UPWARD, HUE), _first(found.names), strict=True):
            with st.container(width=260):
                keys.append(choose(setting, found.names, default=default))
    axes = [(found.names[key], found.values[key]) for key in keys]
    figure = head_scatter(shown.places, axes, found.remarks, picked=picked, width=visit.width)
    says = _(
        "Each point is a head. Click a point or draw around several to pick them (four at most). Picked heads are "
        "ringed."
    )
    name = file_name_of(shown, f"{KEY} {over}" if over == CORPUS else KEY)
    show(Shown(figure, key=KEY, says=f"{says} {found.says}".strip(), name=name, selects=True, lasso=True), visit)
    said = [
        " · ".join(filter(None, (place.title, remark, *(f"{title} {numbers[number]:.2f}" for title, numbers in axes))))
        for number, (place, remark) in enumerate(zip(shown.places, found.remarks, strict=True))
    ]
    colour = visit.wanted.colour
    maps = encode_points(shown.small, said, picked=picked, figure=f"st-key-figure-{KEY}", colour=colour)
    show_canvas(Picture("points", maps), key=MAPS)


def _on_this_text(shown: HeadSelection) -> PointNumbers:
    profiles = shown.profiles()
    names = {each.key: name_of(each) for each in head_profile.columns_of(profiles)}
    values = {key: [each.values[key] for each in profiles] for key in names}
    return PointNumbers(names, values, [remark_of(each.label, each.sink) for each in profiles])


def _over_corpus(shown: HeadSelection, sha256: str) -> PointNumbers:
    kept, site, places = find(sha256, configuration().corpora), shown.first.shown.site, shown.places
    found = numbers_over_corpus(places, site, sha256, kept)
    names = {each.key: name_of(each) for each in MEASURES if each.key in found.means}
    names |= {f"{OFTEN}{key}": _("how often: {pattern}", pattern=_(PATTERN_NAMES[key])) for key in found.rates}
    heads = [kept.heads.get((f"{site.stack}.{site.kind}", *place)) if kept else None for place in places]
    says = []
    if kept and found.means:
        says.append(
            _n("Means over {count:,} sentence.", "Means over {count:,} sentences.", kept.sentences)
            + f" {kept.card['corpus']['name']}."
        )
    if found.rates:
        says.append(
            _(
                "How often: share of the words that could follow the pattern whose largest weight does, over 90 "
                "sentences of our own."
            )
        )
    says.append(_("Small maps are of this text."))
    remarks = [corpus_labels(head) if head else "" for head in heads]
    return PointNumbers(names, found.values, remarks, " ".join(says))
