"""BLEU of an encoder limited to a pattern of attention, against the keys that a query may attend to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from viz.figures.drawing.headline import words_at
from viz.figures.drawing.lines import (
    BELOW,
    COLOURS,
    LEFT,
    TITLE_HEIGHT,
    WRAPPED_LINE,
    headed,
    legend_lines,
    line_axis,
    line_style,
)
from viz.figures.drawing.theme import NOTE_SIZE, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.translation.pattern_table import PatternTable

HEIGHT = 330


def limited_encoders(
    table: PatternTable, names: Mapping[str, str], *, chosen: tuple[str, int] = ("", 0), width: float = 1320
) -> go.Figure:
    """Show a line a pattern, with 95% intervals; dashed the encoder without a limit. The `chosen` point is larger."""
    lines = []
    for place, (pattern, name) in enumerate(names.items()):
        rows = sorted((row for row in table.rows if row.pattern == pattern), key=lambda row: row.keys)
        style = line_style(place)
        style["marker"]["size"] = [15 if (row.pattern, row.size) == chosen else 7 for row in rows]
        lines.append(
            go.Scatter(
                x=[row.keys for row in rows],
                y=[row.bleu for row in rows],
                error_y={
                    "array": [row.high - row.bleu for row in rows],
                    "arrayminus": [row.bleu - row.low for row in rows],
                    "thickness": 1.2,
                    "width": 4,
                },
                customdata=[[row.size, row.low, row.high] for row in rows],
                name=tokens.escape(name),
                hovertemplate=_(
                    "<b>%{y:.1f}</b> BLEU (95%: %{customdata[1]:.1f} to %{customdata[2]:.1f})<br>size "
                    "%{customdata[0]}: %{x:.1f} keys a query"
                ),
                **style,
            )
        )
    figure = go.Figure(lines, _layout(width, legend_lines([line.name for line in lines], width)))
    whole = next((row for row in table.rows if not row.pattern), None)
    if whole is not None:
        figure.add_hline(y=whole.bleu, line={"dash": "dash", "width": 1.5, "color": COLOURS[6]})
        said = tokens.escape(
            _("dashed: no limit, {bleu} BLEU, {keys} keys", bleu=f"{whole.bleu:.1f}", keys=f"{whole.keys:.1f}")
        )
        figure.add_annotation(words_at(said, 0.99, 0.02, size=NOTE_SIZE, xanchor="right", yanchor="bottom"))
    return figure


def _layout(width: float, legend: int) -> dict[str, object]:
    top = TITLE_HEIGHT + legend * WRAPPED_LINE
    keys = {"title": _("keys a query may attend to (mean, log scale)"), "type": "log", "tickvals": [1, 2, 4, 8, 16, 32]}
    return {
        "template": template(),
        "width": width,
        "height": HEIGHT + top,
        "margin": {"l": LEFT, "r": 16, "t": top, "b": BELOW},
        "title": headed(_("BLEU when the encoder is limited")),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": line_axis(keys),
        "yaxis": line_axis({"title": _("BLEU: higher is closer to the reference"), "rangemode": "tozero"}),
    }
