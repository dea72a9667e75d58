"""Training curves: loss and alignment error by tokens seen, a line a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.lines import legend_lines, line_style, two_panels
from viz.text import tokens
from viz.text.language import _


@dataclass(frozen=True, slots=True)
class Curve:
    """What was measured of one model through its training."""

    title: str
    tokens: Sequence[int]  # target tokens that it had seen, rising
    losses: Sequence[float]  # held-out loss there, in nats a target token
    errors: Sequence[float]  # alignment error rate there, 0 to 1


def loss_and_error(curves: Mapping[str, Curve], at: int, *, width: float = 1320) -> go.Figure:
    """Show the loss above and the alignment error below, against target tokens on a scale of powers of ten."""
    lines = []
    for place, (key, each) in enumerate(curves.items()):
        shared = {"x": each.tokens, "name": tokens.escape(each.title), "legendgroup": key, **line_style(place)}
        said = _("loss <b>%{y:.2f}</b> after %{x:,} tokens")
        lines.append(go.Scatter(y=each.losses, hovertemplate=said, **shared))
        said = _("alignment error rate <b>%{y:.2f}</b> after %{x:,} tokens")
        lines.append(go.Scatter(y=each.errors, yaxis="y2", showlegend=False, hovertemplate=said, **shared))
    return go.Figure(lines, _layout(at, width, legend_lines([line.name for line in lines[::2]], width)))


def _layout(at: int, width: float, legend: int) -> dict[str, Any]:
    layout = two_panels(
        _("Through training"),
        {"title": _("target tokens seen in training"), "type": "log", "dtick": 1, "tickformat": "~s"},
        ({"title": _("held-out loss, nats")}, {"title": _("alignment error rate"), "range": [0, 1]}),
        width=width,
        legend=legend,
    )
    here = {"type": "line", "xref": "x", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1}
    return layout | {"shapes": [here | {"line": {"color": "rgba(128, 128, 128, 0.9)", "width": 2, "dash": "dot"}}]}
