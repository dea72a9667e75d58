"""One wrong word over a corpus: how far its error runs, free and forced, a line a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from viz.figures.drawing.lines import legend_lines, line_style, two_panels
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.translation.wrong_word_table import WrongWordRow


def wrong_words(rows: Sequence[WrongWordRow], titles: Mapping[str, str], *, width: float = 1320) -> go.Figure:
    """Show above which share of translations still differ, free, and below what right words lose, forced."""
    lines = []
    for place, row in enumerate(rows):
        shared: dict[str, Any] = {
            "x": list(range(1, len(row.differ) + 1)),
            "name": tokens.escape(titles.get(row.key, row.key)),
            "legendgroup": row.key,
            **line_style(place),
        }
        lines.append(go.Scatter(y=row.differ, hovertemplate=_("<b>%{y:.0%}</b> differ from word %{x} on"), **shared))
        said = _("<b>%{y:.2f}</b> nats lost at word %{x}")
        lines.append(go.Scatter(y=row.lost, yaxis="y2", showlegend=False, hovertemplate=said, **shared))
    layout = two_panels(
        _("One wrong word over the corpus"),
        {"title": _("words after the wrong one"), "dtick": 1},
        (
            {"title": _("free: still different"), "range": [0, 1], "tickformat": ".0%"},
            {"title": _("forced: nats lost")},
        ),
        width=width,
        legend=legend_lines([line.name for line in lines[::2]], width),
    )
    return go.Figure(lines, layout)
