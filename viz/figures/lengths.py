"""BLEU by source length, a line a model, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from viz.figures.drawing.headline import words_at
from viz.figures.drawing.lines import COLOURS, LEFT, LEGEND_LINE, SHADE, SYMBOLS, TITLE_HEIGHT, headed, legend_lines
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.translation.length_table import LengthRow

HEIGHT = 390  # pixels of the axes with their titles


def bleu_by_length(
    rows: Sequence[LengthRow],
    titles: Mapping[str, str],
    *,
    without_attention: Sequence[str] = (),
    training_length: int = 30,
    width: float = 1320,
) -> go.Figure:
    """Show BLEU against the words of the source, with 95% intervals; lengths past those of training are shaded."""
    if not rows:
        message = "bleu_by_length shows at least one row; got none"
        raise ValueError(message)
    places = {key: place for place, key in enumerate(titles)}
    lines = [
        _line(
            sorted((row for row in rows if row.key == key), key=lambda row: row.most),
            name=titles.get(key, key),
            number=places.get(key, len(places)),
            dash="dash" if key in without_attention else "solid",
        )
        for key in dict.fromkeys(row.key for row in rows)
    ]
    longest = max(row.most for row in rows)
    layout = _layout(longest, width, legend_lines([line.name for line in lines], width))
    if longest > training_length:
        layout |= _shade_untrained(training_length, longest)
    return go.Figure(lines, layout)


def _line(rows: Sequence[LengthRow], *, name: str, number: int, dash: str) -> go.Scatter:
    """Return the line of the model with this number through `rows`, shortest first, each with its interval."""
    colour, symbol = COLOURS[number % len(COLOURS)], SYMBOLS[number // len(COLOURS) % len(SYMBOLS)]
    return go.Scatter(
        x=[(row.fewest + row.most) / 2 for row in rows],
        y=[row.bleu for row in rows],
        error_y={
            "array": [row.high - row.bleu for row in rows],
            "arrayminus": [row.bleu - row.low for row in rows],
            "thickness": 1.2,
            "width": 4,
        },
        customdata=[[row.fewest, row.most, row.low, row.high, row.sentences] for row in rows],
        name=tokens.escape(name),
        mode="lines+markers",
        line={"color": colour, "width": 3, "dash": dash},
        marker={"size": 8, "color": colour, "symbol": symbol},
        hovertemplate=_(
            "<b>%{y:.1f}</b> BLEU (95%: %{customdata[2]:.1f} to %{customdata[3]:.1f})<br>%{customdata[0]} to "
            "%{customdata[1]} words, %{customdata[4]} sentences"
        ),
    )


def _layout(longest: int, width: float, legend_lines: int) -> dict[str, Any]:
    """Return the layout for sources of up to `longest` words, with room for so many lines of a legend."""
    top = TITLE_HEIGHT + legend_lines * LEGEND_LINE
    return {
        "template": template(),
        "width": width,
        "height": HEIGHT + top,
        "margin": {"l": LEFT, "r": 16, "t": top, "b": 60},
        "title": headed(_("BLEU by the length of the source")),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": {
            "title": {"text": _("words of the source"), "font": {"size": FONT_SIZE}},
            "range": [0, longest + 1],
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": _("BLEU: higher is closer to the reference"), "font": {"size": FONT_SIZE}},
            "rangemode": "tozero",
            "showgrid": True,
            "gridcolor": SHADE,
            "fixedrange": True,
        },
    }


def _shade_untrained(training_length: int, longest: int) -> dict[str, Any]:
    """Return the part of a layout that shades lengths past `training_length`, and says why."""
    shade = {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": training_length + 0.5,
        "x1": longest + 1,
        "y0": 0,
        "y1": 1,
        "fillcolor": SHADE,
        "line": {"width": 0},
        "layer": "below",
    }
    said = tokens.escape(_("longer than in training"))
    label = words_at(said, longest + 0.8, 0.99, size=NOTE_SIZE, xref="x", xanchor="right")
    return {"shapes": [shade], "annotations": [label]}
