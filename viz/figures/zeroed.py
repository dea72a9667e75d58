"""Value zeroing of one layer as a map: how far each token's vector turns without another token's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from models.sites import Site
from models.trace import AttentionTrace
from viz.captions.maps import common_notes
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import Colour
from viz.text.language import _
from viz.views.heads import view_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit, View


def zeroed_view(trace: AttentionTrace, site: Site, *, unit: Unit = "word", hiding: Hiding = NOTHING) -> View:
    """Return the view of one layer of a record that knows its value zeroing."""
    return view_at(trace.zeroed(), site, unit, hiding)


def zeroed_heatmap(
    views: Sequence[View], *, colour: Colour = "linear", width: float = 1320, notes: Sequence[str] | None = None
) -> go.Figure:
    """Show layers on one scale, that of weights from 0 to 1; under the first stand `notes`, all if left out."""
    first, *others = (
        panel_of(view, title=_("layer {layer}, all heads together", layer=view.shown.site.layer), notes=())
        for view in views
    )
    said = common_notes(views[0]) if notes is None else notes
    panels = [replace(first, notes=tuple(note for note in said if note != first.title)), *others]
    colours = weight_colours(colour, width=width, meaning=views[0].meaning)
    return draw_panels(panels, colours, colour=colour, width=width)
