"""Similarity of one word's vectors in two sentences, by layer, beside its static vector."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from viz.figures.drawing.lines import COLOURS, LEFT, LEGEND_LINE, SHADE, TITLE_HEIGHT, headed, legend_lines
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.contextual import WordInContext

HEIGHT, BELOW = 280, 64
"""Pixels of the axes, and below them."""

STATIC = -1
"""Where the static vectors stand on the axis: before layer 0."""

MOST_NAMED = 14  # layers of which each has its number on the axis


def word_across_layers(
    found: WordInContext, *, static: float = math.nan, static_baseline: float = math.nan, width: float = 900
) -> go.Figure:
    """Show the cosine of a word's two vectors in each layer, and the mean of different words beside it."""
    same = _("“{word}”, here and there", word=tokens.escape(tokens.visible(found.word)))
    others = _("mean of different words")
    lines = [
        _line(found.cosines.tolist(), static, same, (COLOURS[0], "circle", "solid")),
        _line(found.baseline.tolist(), static_baseline, others, (COLOURS[1], "diamond", "dash")),
    ]
    return go.Figure(lines, _layout(found, width, legend_lines([same, others], width)))


def _line(values: list[float], static: float, name: str, style: tuple[str, str, str]) -> go.Scatter:
    """Return a line over the layers; the point of the static vectors stands before it, not joined to it."""
    colour, symbol, dash = style
    return go.Scatter(
        x=[STATIC, None, *range(len(values))],
        y=[None if math.isnan(static) else static, None, *(None if math.isnan(each) else each for each in values)],
        customdata=[_("static vectors"), "", *(_("layer {layer}", layer=layer) for layer in range(len(values)))],
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 3, "dash": dash},
        marker={"size": 9, "color": colour, "symbol": symbol},
        hovertemplate=_("%{customdata}: <b>%{y:.3f}</b>"),
    )


def _layout(found: WordInContext, width: float, legend: int) -> dict[str, Any]:
    top = TITLE_HEIGHT + legend * LEGEND_LINE
    last = len(found.cosines) - 1
    step = 1 if last <= MOST_NAMED else 5
    places = [STATIC, *range(0, last + 1, step)]
    lowest = min([0.0, *(each for each in (*found.cosines, *found.baseline) if not math.isnan(each))])
    title = _("“{word}” in two sentences", word=tokens.visible(found.word))
    axis = {"showgrid": True, "gridcolor": SHADE, "fixedrange": True, "zeroline": False}
    return {
        "template": template(),
        "width": width,
        "height": HEIGHT + BELOW + top,
        "margin": {"l": LEFT, "r": 16, "t": top, "b": BELOW},
        "title": headed(title),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": axis
        | {
            "title": {"text": _("layer (0: input of the first layer)"), "font": {"size": FONT_SIZE}},
            "range": [STATIC - 0.5, last + 0.4],
            "tickvals": places,
            "ticktext": [_("static"), *map(str, places[1:])],
        },
        "yaxis": axis
        | {
            "title": {"text": _("cosine; 1: the same direction"), "font": {"size": FONT_SIZE}},
            "range": [lowest - 0.03, 1.05],
        },
    }
