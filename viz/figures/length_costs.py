"""What one encoder layer costs as a text grows to 64 times its length: a chart a cost, a line a kind of layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from models.experiments.length_costs import GROWTH, LayerCost, cost_of
from viz.figures.drawing.lines import BELOW, LEFT, PANEL, TITLE_HEIGHT, WRAPPED_LINE, headed, legend_lines, line_axis
from viz.figures.drawing.lines import line_style as style_of
from viz.figures.drawing.theme import NOTE_SIZE, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.path_lengths import LayerForm

NARROW = 640
"""Pixels in which no two charts stand side by side."""

GAP = 62
"""Pixels between charts, one above the other: for the numbers and the title of an axis."""


@dataclass(frozen=True, slots=True)
class CostLine:
    """A kind of layer."""

    name: str
    form: LayerForm
    reach: int | None = None  # of the window of self-attention; None for none
    milliseconds: Mapping[int, float] | None = None  # measured, by tokens; None where it was not


@dataclass(frozen=True, slots=True)
class _Chart:
    """One cost."""

    title: str
    value: Callable[[LayerCost], float] | None  # None: what was measured
    ticks: str = "SI"


def length_costs(lines: Sequence[CostLine], count: int, *, width: float = 1320) -> go.Figure:
    """Show five costs of a layer against the tokens, from the `count` of a text to 64 times as many; log scales."""
    charts = (
        _Chart(_("multiply-adds"), lambda cost: cost.operations),
        _Chart(_("steps in sequence"), lambda cost: cost.in_turn),
        _Chart(_("memory, bytes"), lambda cost: cost.memory),
        _Chart(_("path: layers or steps"), lambda cost: cost.path),
        _Chart(_("measured: milliseconds"), None, "none"),
    )
    traces = [trace for number, chart in enumerate(charts, 1) for trace in _traces(chart, number, lines, count)]
    legend = legend_lines([line.name for line in lines], width)
    return go.Figure(traces, _layout(charts, count, 1 if width < NARROW else 2, width, legend))


def _traces(chart: _Chart, number: int, lines: Sequence[CostLine], count: int) -> list[go.Scatter]:
    """Return the lines of one chart; the first chart's stand in the legend."""
    found = []
    for place, line in enumerate(lines):
        if chart.value is None:
            values = dict(line.milliseconds or {})
        else:
            values = {
                count * times: chart.value(cost_of(line.form, count * times, reach=line.reach)) for times in GROWTH
            }
        style = style_of(place)
        style["line"] |= {"width": 6 - 2 * min(place, 2), "dash": "dot" if line.reach is not None else "solid"}
        found.append(
            go.Scatter(
                x=list(values),
                y=list(values.values()),
                xaxis=f"x{number}",
                yaxis=f"y{number}",
                name=tokens.escape(line.name),
                legendgroup=line.name,
                showlegend=number == 1,
                hovertemplate="<b>%{y:,}</b> " + tokens.escape(chart.title) + "<br>" + _("%{x:,} tokens"),
                **style,
            )
        )
    return found


def _layout(charts: Sequence[_Chart], count: int, columns: int, width: float, legend: int) -> dict[str, Any]:
    rows = -(-len(charts) // columns)
    top = TITLE_HEIGHT + legend * WRAPPED_LINE
    inside = rows * PANEL + (rows - 1) * GAP
    layout: dict[str, Any] = {
        "template": template(),
        "width": width,
        "height": inside + top + BELOW,
        "margin": {"l": LEFT + 8, "r": 16, "t": top, "b": BELOW},
        "title": headed(_("One encoder layer, 1 to 64 times this text")),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
    }
    across = (1 - (columns - 1) * (LEFT + 20) / (width - LEFT - 24)) / columns  # share of the width of a chart
    for number, chart in enumerate(charts, 1):
        row, column = divmod(number - 1, columns)
        left = column * (1 - across)
        upper = 1 - row * (PANEL + GAP) / inside
        layout[f"xaxis{number}"] = line_axis(_tokens_axis(count, number, [left, left + across]))
        ends = {"domain": [max(upper - PANEL / inside, 0), upper], "anchor": f"x{number}"}
        scale = {"type": "log", "dtick": 1, "exponentformat": chart.ticks, "title": chart.title}
        layout[f"yaxis{number}"] = line_axis(scale | ends)
    return layout


def _tokens_axis(count: int, number: int, domain: list[float]) -> dict[str, Any]:
    return {
        "title": _("tokens (log scale)"),
        "type": "log",
        "tickvals": [count * times for times in GROWTH],
        "ticktext": [f"{count * times}" for times in GROWTH],
        "range": [math.log10(count) - 0.05, math.log10(count * GROWTH[-1]) + 0.05],
        "domain": domain,
        "anchor": f"y{number}",
    }
