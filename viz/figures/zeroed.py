"""Value zeroing of one layer as a map: how far each token's vector turns without another token's value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
from numpy.typing import NDArray

from models.sites import Site
from models.trace import AttentionTrace
from viz.captions.maps import common_notes, map_title
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import Colour
from viz.text.language import _
from viz.views.heads import view_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit, View


def zeroed_view(
    trace: AttentionTrace, site: Site, values: NDArray[Any], *, unit: Unit = "word", hiding: Hiding = NOTHING
) -> View:
    """Return the view of what `models.experiments.value_zeroing` gave for one layer, [query, key]."""
    found = replace(
        trace.weighed()[site],
        weights=values[None],
        head_names=("mean",),
        companions={},
        rows_sum_to_one=bool(values.any(axis=-1).all()),
        causal=False,
        quantity="zeroed",
    )
    return view_at(replace(trace.weighed(), maps=(found,)), site, unit, hiding)


def zeroed_heatmap(view: View, *, colour: Colour = "linear", width: float = 1320) -> go.Figure:
    """Show it on the scale of weights, from 0 to 1."""
    site = view.shown.site
    title = _("Value zeroing, layer {layer}: {kind}", layer=site.layer, kind=map_title(site))
    panel = panel_of(view, title=title, notes=common_notes(view))
    return draw_panels([panel], weight_colours(colour, width=width, meaning=view.meaning), colour=colour, width=width)
