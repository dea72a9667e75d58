"""All heads as points, any two measures as axes: a lasso or a click picks heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from viz.captions.measures import name_of, remark_of
from viz.figures.head_scatter import head_scatter
from viz.measures import head_profile
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.picks import put_picks
from viz.pages.heads.settings import ACROSS, HUE, UPWARD
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _
from viz.views.heads import HeadPlace
from viz.widgets import session
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

KEY = "scatter"
_TAKEN = "scatter-taken"


def _first(names: Sequence[str] | dict[str, str]) -> tuple[str, ...]:
    """Return what the axes and the colour are at first."""
    wanted = [each for each in ("breadth", "previous", "first", *names, *names, *names) if each in names]
    return tuple(dict.fromkeys(wanted))[:3] if len(names) > 2 else tuple(wanted[:3])


def take_lasso(places: Sequence[HeadPlace]) -> None:
    """Let heads that were just chosen among the points be picked; before anything shows the picks."""
    state: Any = session.reported(f"chart-{KEY}")
    points = (state or {}).get("selection", {}).get("points", [])
    chosen = tuple(sorted({point["point_index"] for point in points}))
    if chosen == session.recall(_TAKEN, ()):
        return
    session.keep(_TAKEN, chosen)
    there = [places[each] for each in chosen if each < len(places)]
    if there:
        put_picks(there, places)


def show_scatter(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace]) -> None:
    """Show the points, with the choice of what each axis and the colour is."""
    profiles = shown.profiles()
    names = {each.key: name_of(each) for each in head_profile.columns_of(profiles)}
    with st.container(horizontal=True, key="scatter-axes"):
        keys = []
        for setting, default in zip((ACROSS, UPWARD, HUE), _first(names), strict=True):
            with st.container(width=260):
                keys.append(choose(setting, names, default=default))
    axes = [(names[key], [each.values[key] for each in profiles]) for key in keys]
    remarks = [remark_of(each.label, each.sink) for each in profiles]
    figure = head_scatter([each.place for each in profiles], axes, remarks, picked=picked, width=visit.width)
    says = _("Each point is a head. Draw around points to pick them, or click one: four at most. Picked: ringed.")
    show(Shown(figure, key=KEY, says=says, name=file_name_of(shown, KEY), selects=True, lasso=True), visit)
