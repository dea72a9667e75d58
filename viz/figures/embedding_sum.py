"""Strips of vectors, a row a token, whose rows can be clicked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.figures.drawing.theme import CLEAR
from viz.figures.strips import number_strips
from viz.text import tokens
from viz.text.language import _
from viz.views.strips import Strip

SIZE = 20  # pixels of a marker


def clickable_strips(strips: Sequence[Strip], *, width: float = 1320) -> go.Figure:
    """Show strips of one number of rows; a click on a row tells it: the selected point's ``y``."""
    figure = number_strips(strips, width=width)
    where = " \u00b7 ".join(("%{y}", _("component {column}", column="%{x}")))
    for place, strip in enumerate(strips, start=1):
        suffix = "" if place == 1 else str(place)
        rows, columns = strip.values.shape
        across = np.linspace(0, columns - 1, max(2, min(columns, int(width / SIZE)))).round().astype(np.int16)
        figure.add_trace(
            go.Scatter(
                x=np.tile(across, rows),
                y=np.repeat(np.arange(rows), len(across)).astype(np.int16),
                xaxis=f"x{suffix}",
                yaxis=f"y{suffix}",
                mode="markers",
                marker={"symbol": "square", "size": SIZE, "color": CLEAR, "line": {"width": 0}},
                selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": 1}},
                customdata=np.asarray(strip.values, dtype=np.float32)[:, across].ravel(),
                hovertemplate=f"<b>%{{customdata:.4f}}</b><br>{tokens.escape(strip.name)}<br>{where}<extra></extra>",
                showlegend=False,
            )
        )
    return figure.update_layout(clickmode="event+select")
