"""Pyramid of convolutions above a sentence: the tokens of each cell, and what changes its top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.lines import COLOURS, SHADE, TITLE_HEIGHT, headed
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, WEIGHT_RANGE, WEIGHT_SCALE, template
from viz.measures.pyramid import Numbers, Pyramid
from viz.text import tokens
from viz.text.language import _

ROW, BARS, BETWEEN, BELOW = 34, 110, 44, 74
"""Pixels of a row of cells, of the bars below, between them, and below those."""

FILLED = 0.92
"""How much of its place a cell takes."""


def pyramid_chart(found: Pyramid, moved: Numbers, texts: Sequence[str], *, width: float = 900) -> go.Figure:
    """Show every cell of the pyramid, and below how far its top moves without each token.

    Shapes: `moved` [token].
    """
    names = [tokens.escape(tokens.shorten(tokens.visible(text.strip() or text), 12)) for text in texts]
    said = _("without “%{customdata}” the one vector moves by <b>%{y:.2f}</b> of its length")
    bars = go.Bar(
        x=list(range(len(names))),
        y=moved,
        yaxis="y2",
        width=FILLED,
        marker={"color": COLOURS[0]},
        customdata=names,
        hovertemplate=said,
        name="",
        showlegend=False,
    )
    return go.Figure([_cells(found, names), bars], _layout(len(found.rows), names, width))


def _cells(found: Pyramid, names: Sequence[str]) -> go.Bar:
    """Return a bar for each cell, above the middle of its tokens."""
    places, rows, shares, says = [], [], [], []
    for row, (slopes, reach) in enumerate(zip(found.slopes, found.reaches, strict=True)):
        whole = max(float(slopes.sum()), 1e-12)
        for cell, slope in enumerate(slopes):
            places.append(cell + (reach - 1) / 2)
            rows.append(row)
            shares.append(float(slope) / whole)
            says.append(" ".join(names[cell : cell + reach]))
    said = _("made of: %{text}<br><b>%{customdata:.2f}</b> of its row's effect on the top")
    return go.Bar(
        x=places,
        y=[FILLED] * len(rows),
        base=rows,
        width=FILLED,
        text=says,
        textposition="none",
        customdata=shares,
        hovertemplate=said,
        name="",
        showlegend=False,
        marker={
            "color": shares,
            "colorscale": WEIGHT_SCALE,
            "cmin": WEIGHT_RANGE[0],
            "cmax": WEIGHT_RANGE[1],
            "line": {"color": SHADE, "width": 1},
            "colorbar": {
                "title": {"text": _("share of its row"), "font": {"size": NOTE_SIZE}},
                "thickness": 12,
                "len": 0.5,
                "y": 0.75,
            },
        },
    )


def _layout(rows: int, names: Sequence[str], width: float) -> dict[str, Any]:
    height = rows * ROW + BARS + BETWEEN
    axis = {"fixedrange": True, "zeroline": False}
    return {
        "template": template(),
        "width": width,
        "height": height + TITLE_HEIGHT + BELOW,
        "margin": {"l": 72, "r": 16, "t": TITLE_HEIGHT, "b": BELOW},
        "title": headed(_("Pyramid: {count} subwords folded into one vector", count=len(names))),
        "barmode": "overlay",
        "xaxis": axis
        | {
            "anchor": "y2",
            "range": [-0.6, len(names) - 0.4],
            "tickvals": list(range(len(names))),
            "ticktext": list(names),
            "automargin": True,
            "title": {"text": _("subwords of the sentence"), "font": {"size": FONT_SIZE}, "standoff": 6},
        },
        "yaxis": axis
        | {
            "domain": [(BARS + BETWEEN) / height, 1],
            "range": [-0.05, rows],
            "tickvals": [0.5, rows - 0.5] if rows > 1 else [0.5],
            "ticktext": [_("subwords"), _("top")][:rows],
            "title": {"text": _("rows, the top row above"), "font": {"size": FONT_SIZE}},
        },
        "yaxis2": axis
        | {
            "domain": [0, BARS / height],
            "rangemode": "tozero",
            "showgrid": True,
            "gridcolor": SHADE,
            "title": {"text": _("top moves"), "font": {"size": FONT_SIZE}},
        },
    }
