"""What hovering over a cell of a heatmap says, filled in as Plotly does it."""

from __future__ import annotations

import re

import plotly.graph_objects as go

_PLACE = re.compile(r"%\{(x|y|z|customdata)(?:\[(\d+)\])?(?::([^}]*))?\}")


def hover_text(figure: go.Figure, row: int, column: int, *, number: int = 0) -> str:
    """Return the hover text of a cell of the heatmap with this number, a minus written as a hyphen."""
    heatmap = figure.data[number]

    def filled(found: re.Match[str]) -> str:
        name, place, form = found.groups()
        if name in "xy":
            axis = getattr(heatmap, f"{name}axis") or name
            labels = figure.layout[f"{name}axis{axis[1:]}"].ticktext
            return str(labels[column if name == "x" else row])
        value = getattr(heatmap, name)[row, column]
        value = value if place is None else value[int(place)]
        return format(float(value), form) if form else str(value)

    return _PLACE.sub(filled, heatmap.hovertemplate).removesuffix("<extra></extra>")
