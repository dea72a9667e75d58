"""Mean attention weight of language models by distance, a line a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.lines import SHADE, UPPER, legend_lines, line_style, two_panels
from viz.figures.drawing.theme import NOTE_SIZE
from viz.text import tokens
from viz.text.language import _

FAR = 15
"""How far back is drawn."""


def reach_by_distance(
    typed: Mapping[str, Sequence[float]],
    held_out: Mapping[str, Sequence[float]],
    titles: Mapping[str, str],
    *,
    fixed: int = 0,
    width: float = 1320,
) -> go.Figure:
    """Show how the weight of a token is shared out over those before it: of a text above, of held-out text below."""
    said = _("<b>%{y:.1%}</b> of the weight<br>%{x} tokens back")
    lines, named = [], set[str]()
    for axis, shares in (("y", typed), ("y2", held_out)):
        for place, (key, title) in enumerate(titles.items()):
            if key not in shares:
                continue
            own = list(shares[key])[:FAR]
            shared = {"name": tokens.escape(title), "legendgroup": key, "showlegend": key not in named}
            named.add(key)
            far = [*range(1, len(own) + 1)]
            lines.append(go.Scatter(x=far, y=own, yaxis=axis, hovertemplate=said, **shared, **line_style(place)))
    figure = go.Figure(lines, _layout(width, legend_lines(list(titles.values()), width)))
    for text, top in ((_("the text above"), 1.0), (_("held-out English"), UPPER)):
        figure.add_annotation(text=text, x=1, xref="paper", xanchor="right", y=top, yref="paper", **_NOTE)
    if fixed:
        band = {"x0": 0.5, "x1": fixed + 0.5, "y0": 0, "y1": 1, "xref": "x", "yref": "paper", "layer": "below"}
        figure.add_shape(type="rect", fillcolor=SHADE, line={"width": 0}, **band)
    return figure


_NOTE: dict[str, Any] = {"showarrow": False, "yanchor": "top", "font": {"size": NOTE_SIZE}}


def _layout(width: float, legend: int) -> dict[str, Any]:
    weight = {"title": _("mean weight"), "rangemode": "tozero", "tickformat": ".0%"}
    back = {"title": _("distance back from the query, in tokens"), "range": [0.5, FAR + 0.5], "dtick": 1}
    return two_panels(_("How far back they attend"), back, (weight, weight), width=width, legend=legend)
