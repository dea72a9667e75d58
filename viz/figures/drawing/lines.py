"""Shared parts of line charts: colours, symbols, legend, two charts one above the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viz.figures.drawing.grid import GLYPH_WIDTH
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, TITLE_SIZE, template
from viz.text import tokens

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b", "#8c6bb1")
"""Told apart with any colour vision (Okabe and Ito 2008, the last two added)."""

SYMBOLS = ("circle", "diamond", "square")
"""Of the points: the next is taken when all colours are used."""

SHADE = "rgba(128, 128, 128, 0.14)"
LEFT = 64
TITLE_HEIGHT, LEGEND_LINE = 36, 21
KEY_WIDTH = 50  # pixels of a legend's line and point beside its name

PANEL, BETWEEN, BELOW = 190, 34, 60
"""Pixels of a picture, between the two, and below them."""

UPPER = PANEL / (2 * PANEL + BETWEEN)
"""The share of the height that a picture takes."""

WRAPPED_LINE = 31
"""Pixels of a line of the legend where it has several."""


def line_style(place: int) -> dict[str, Any]:
    """Return colour and symbol of a line with marks."""
    colour, symbol = COLOURS[place % len(COLOURS)], SYMBOLS[place // len(COLOURS) % len(SYMBOLS)]
    return {
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2.5},
        "marker": {"size": 6, "color": colour, "symbol": symbol},
    }


def legend_lines(names: Sequence[str], width: float) -> int:
    """Return the lines that a legend of these names takes: Plotly gives each the room of the widest."""
    widest = max(map(tokens.width, names)) * GLYPH_WIDTH * NOTE_SIZE + KEY_WIDTH
    return -(-len(names) // max(int((width - LEFT) / widest), 1))


def two_panels(
    title: str,
    across: Mapping[str, Any],
    vertical: tuple[Mapping[str, Any], Mapping[str, Any]],
    *,
    width: float,
    legend: int,
) -> dict[str, Any]:
    """Return the layout of a figure whose traces are on ``y``, above, and on ``y2``, below."""
    upper, lower = vertical
    top = TITLE_HEIGHT + legend * (LEGEND_LINE if legend == 1 else WRAPPED_LINE)
    return {
        "template": template(),
        "width": width,
        "height": 2 * PANEL + BETWEEN + top + BELOW,
        "margin": {"l": LEFT + 8, "r": 16, "t": top, "b": BELOW},
        "title": headed(title),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": line_axis({"anchor": "y2", **across}),
        "yaxis": line_axis({"domain": [1 - UPPER, 1], **upper}),
        "yaxis2": line_axis({"domain": [0, UPPER], **lower}),
    }


def line_axis(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return an axis of a line chart, with a grid, from what is wanted of it: its title at least."""
    title = {"text": wanted["title"], "font": {"size": FONT_SIZE}}
    return {"showgrid": True, "gridcolor": SHADE, "fixedrange": True, **wanted, "title": title}


def headed(title: str) -> dict[str, Any]:
    """Return the title of a chart, at the upper left."""
    place = {"x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"t": 8}}
    return {"text": f"<b>{tokens.escape(title)}</b>", "font": {"size": TITLE_SIZE}, **place}
