"""What lies between two words of a sentence: steps and the gradient's size by their distance, a line a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from models.experiments.path_lengths import by_distance
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, TITLE_SIZE, template
from viz.figures.lengths import COLOURS, LEFT, LEGEND_LINE, SHADE, SYMBOLS, TITLE_HEIGHT, legend_lines
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.path_lengths import Paths

PANEL = 190
"""Pixels of each of the two pictures, which share the distances below."""

BETWEEN, BELOW = 26, 60
WRAPPED_LINE = 31
"""Pixels of a line of the legend where it has several."""


def steps_and_gradients(paths: Mapping[str, Paths], titles: Mapping[str, str], *, width: float = 1320) -> go.Figure:
    """Show steps above and the gradient's size below, against how far two tokens stand apart.

    Parameters
    ----------
    paths : mapping of str to Paths
        At least one, of one text, by the keys of models.
    titles : mapping of str to str
        For each key its name. The place of a key in it decides on colour and symbol, whichever models are shown.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        Gradients are means over all pairs of a distance, as shares of that of a word's own state.
    """
    places = {key: place for place, key in enumerate(titles)}
    lines = []
    for key, each in paths.items():
        sizes = by_distance(each.gradients)
        shared = {"name": tokens.escape(titles[key]), "legendgroup": key, **_style(places[key])}
        steps = by_distance(each.steps)
        steps[~np.isfinite(steps)] = np.nan
        lines.append(go.Scatter(y=steps, hovertemplate=_("<b>%{y}</b> steps<br>%{x} tokens apart"), **shared))
        said = _("<b>%{y:.3g}</b> of a word's own<br>%{x} tokens apart")
        shares = sizes / sizes[0]
        lines.append(go.Scatter(y=shares, yaxis="y2", showlegend=False, hovertemplate=said, **shared))
    count = max(len(each.steps) for each in paths.values())
    return go.Figure(lines, _layout(count, width, legend_lines([line.name for line in lines[::2]], width)))


def _style(place: int) -> dict[str, Any]:
    colour, symbol = COLOURS[place % len(COLOURS)], SYMBOLS[place // len(COLOURS) % len(SYMBOLS)]
    return {
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2.5},
        "marker": {"size": 6, "color": colour, "symbol": symbol},
    }


def _layout(count: int, width: float, legend: int) -> dict[str, Any]:
    top = TITLE_HEIGHT + legend * (LEGEND_LINE if legend == 1 else WRAPPED_LINE)
    share = PANEL / (2 * PANEL + BETWEEN)

    def axis(title: str, **more: Any) -> dict[str, Any]:
        said = {"text": title, "font": {"size": FONT_SIZE}}
        return {"title": said, "showgrid": True, "gridcolor": SHADE, "fixedrange": True, **more}

    return {
        "template": template(),
        "width": width,
        "height": 2 * PANEL + BETWEEN + top + BELOW,
        "margin": {"l": LEFT + 8, "r": 16, "t": top, "b": BELOW},
        "title": {
            "text": "<b>" + tokens.escape(_("From a word to the state of another")) + "</b>",
            "font": {"size": TITLE_SIZE},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 8},
        },
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": axis(_("distance in tokens, from 0: the token itself"), range=[-0.5, count - 0.5], anchor="y2"),
        "yaxis": axis(_("steps on the way"), domain=[1 - share, 1], rangemode="tozero"),
        "yaxis2": axis(_("gradient: share of own"), domain=[0, share], type="log", exponentformat="none", dtick=1),
    }
