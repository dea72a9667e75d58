"""All heads as points: two numbers of each as its place, a third as its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.theme import WEIGHT_SCALE, template
from viz.text import tokens
from viz.text.language import _
from viz.views.heads import HeadPlace

HEIGHT = 460  # pixels


def head_scatter(
    places: Sequence[HeadPlace],
    axes: Sequence[tuple[str, Sequence[float]]],
    remarks: Sequence[str],
    *,
    picked: Sequence[HeadPlace] = (),
    width: float = 1320,
) -> go.Figure:
    """Show each of `places` as a point; `axes` has the title and the numbers of x, y and colour."""
    (x_title, x), (y_title, y), (title, values) = axes
    chosen = set(picked)
    marker: dict[str, Any] = {
        "size": [16 if place in chosen else 11 for place in places],
        "line": {"width": [3 if place in chosen else 1 for place in places], "color": "#e8590c"},
        "color": list(values),
        "colorscale": [list(stop) for stop in WEIGHT_SCALE],
        "cmin": min(0.0, *values),
        "cmax": max(1.0, *values),
        "colorbar": {"title": {"text": tokens.escape(title), "side": "right"}, "thickness": 14},
    }
    said = [
        f"{tokens.escape(place.title)}<br>{tokens.escape(remark)}"
        for place, remark in zip(places, remarks, strict=True)
    ]
    points = go.Scatter(
        x=list(x), y=list(y), mode="markers", marker=marker, text=said, hovertemplate=_HOVER, showlegend=False
    )
    layout = {
        "template": template(),
        "width": width,
        "height": HEIGHT,
        "margin": {"l": 70, "r": 20, "t": 56, "b": 60},
        "title": {"text": _("All heads as points"), "x": 0, "xanchor": "left"},
        "dragmode": "lasso",
        "xaxis": {"title": tokens.escape(x_title), "rangemode": "tozero"},
        "yaxis": {"title": tokens.escape(y_title), "rangemode": "tozero"},
    }
    return go.Figure([points], layout)


_HOVER = "%{text}<br>%{x:.2f} · %{y:.2f} · %{marker.color:.2f}<extra></extra>"
