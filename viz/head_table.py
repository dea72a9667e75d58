"""The table of heads: what each measures on this sentence, in the order that the reader chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from viz import head_profile
from viz.controls import select
from viz.figures.head_maps import HeadPlace
from viz.language import _
from viz.style import plain
from viz.views import View

IN_PLACE = "place"
"""What the address bar calls the order by layer and head."""


def head_table(views: Sequence[View], picked: Sequence[HeadPlace]) -> None:
    """Show the measures of every head in a table, with what each says.

    Parameters
    ----------
    views : sequence of View
        One a layer, of one stack and kind.
    picked : sequence of HeadPlace
        Heads that are marked.
    """
    site = views[0].shown.site
    measures = head_profile.measures_for(site, head_profile.sample_of(views[0]))
    st.subheader(_("Every head in numbers, on this sentence"), anchor=False)
    order = _order(measures)
    profiles = head_profile.profiles_of(views)
    if order != IN_PLACE:
        profiles = tuple(sorted(profiles, key=lambda each: -each.values[order]))
    names = {measure.key: _(measure.name) for measure in measures}
    rows = [
        {_("picked"): "✓" if each.place in picked else "", _("layer"): each.place.layer, _("head"): each.place.head}
        | {names[key]: value for key, value in each.values.items()}
        for each in profiles
    ]
    columns = {names[measure.key]: _column(measure) for measure in measures}
    st.dataframe(rows, hide_index=True, height="content", column_config=columns)
    lines = [f"- **{plain(_(measure.name))}**: {plain(_(measure.meaning))}" for measure in measures]
    reason = head_profile.left_out(site)
    st.caption("\n".join(lines) + (f"\n\n{plain(reason)}" if reason else ""))


def _order(measures: Sequence[head_profile.Measure]) -> str:
    """Let the reader choose the order; one by a measure that means nothing here falls back to layer and head."""
    names = {measure.key: _("most first: {name}", name=_(measure.name)) for measure in measures}
    elsewhere = {measure.key for measure in head_profile.MEASURES} - set(names)
    if st.query_params.get("order") in elsewhere:
        del st.query_params["order"]
    with st.container(width=330):
        return select("order", {IN_PLACE: _("in order: layer and head"), **names}, title=_("Order of the table"))


def _column(measure: head_profile.Measure) -> Any:
    if measure.is_share:
        return st.column_config.ProgressColumn(help=_(measure.meaning), min_value=0, max_value=1, format="%.2f")
    return st.column_config.NumberColumn(help=_(measure.meaning), format="%.2f")
