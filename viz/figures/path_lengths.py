"""Path length and gradient size by the distance of two words, a line a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from models.experiments.path_lengths import by_distance
from viz.figures.drawing.lines import legend_lines, line_style, two_panels
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.path_lengths import Paths


def steps_and_gradients(paths: Mapping[str, Paths], titles: Mapping[str, str], *, width: float = 1320) -> go.Figure:
    """Show steps above and the gradient's size below, against how far two tokens stand apart."""
    places = {key: place for place, key in enumerate(titles)}
    lines = []
    for key, each in paths.items():
        sizes = by_distance(each.gradients)
        shared = {"name": tokens.escape(titles[key]), "legendgroup": key, **line_style(places[key])}
        steps = by_distance(each.steps)
        steps[~np.isfinite(steps)] = np.nan
        lines.append(go.Scatter(y=steps, hovertemplate=_("<b>%{y}</b> steps<br>%{x} tokens apart"), **shared))
        said = _("<b>%{y:.3g}</b> of a word's own gradient<br>%{x} tokens apart")
        shares = sizes / sizes[0]
        lines.append(go.Scatter(y=shares, yaxis="y2", showlegend=False, hovertemplate=said, **shared))
    count = max(len(each.steps) for each in paths.values())
    return go.Figure(lines, _layout(count, width, legend_lines([line.name for line in lines[::2]], width)))


def _layout(count: int, width: float, legend: int) -> dict[str, Any]:
    return two_panels(
        _("From a word to the state of another"),
        {"title": _("distance in tokens (0: the token itself)"), "range": [-0.5, count - 0.5]},
        (
            {"title": _("steps on the way"), "rangemode": "tozero"},
            {"title": _("gradient: share of own"), "type": "log", "exponentformat": "none", "dtick": 1},
        ),
        width=width,
        legend=legend,
    )
