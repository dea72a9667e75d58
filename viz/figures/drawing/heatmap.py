"""Heatmaps of attention: cells, hover texts, axes, headings and a colour bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.captions.maps import crossed_note, masked_note
from viz.figures.drawing.axes import any_cut, cell_gap, lay_out, longest_label
from viz.figures.drawing.long_maps import MOST_LABELLED, draw_long_panels
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import CROSS, GREY_SCALE, TEXT_COLOUR, Colour, coloured
from viz.text import tokens
from viz.text.language import _
from viz.views.hiding import drawn


class PanelFigure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A Plotly figure of maps that knows what was drawn, so that it can be drawn otherwise."""

    panels: tuple[Panel, ...] = ()
    axes: tuple[str, ...] = ()  # the horizontal axis of each panel, as a trace names it: ``x``, ``x2``,
    colours: Mapping[str, Any] = MappingProxyType({})  # the colour axis of all
    colour: Colour = "linear"  # of what kind it is


def draw_panels(
    panels: Sequence[Panel],
    colours: dict[str, Any],
    *,
    colour: Colour,
    width: float,
    columns: int | None = None,
    most_labelled: int | None = MOST_LABELLED,
) -> PanelFigure:
    """Draw `panels` side by side, or one below the other where there is no room, on the colour axis `colours`."""
    most = max(max(panel.values.shape) for panel in panels)
    panels = _with_masked_note(panels, crossed=most <= MOST_LABELLED)
    if most_labelled is not None and most > most_labelled:
        drawn_long = draw_long_panels(panels, colours, colour=colour, width=width)
        figure = PanelFigure(drawn_long.data, drawn_long.layout)
        figure.axes = tuple("" for _panel in panels)  # nothing is drawn over long maps
    else:
        layout, suffixes = lay_out(panels, colours, width=width, columns=columns)
        longest = longest_label(width)
        cells = (_heatmaps(panel, suffix, longest, colour) for panel, suffix in zip(panels, suffixes, strict=True))
        figure = PanelFigure([heatmap for each in cells for heatmap in each], layout)
        figure.axes = tuple(f"x{suffix}" for suffix in suffixes)
        if most <= MOST_LABELLED:  # nothing is drawn over long maps
            figure.add_traces([each for pair in zip(panels, figure.axes, strict=True) for each in _crosses(*pair)])
    figure.panels, figure.colours, figure.colour = tuple(panels), colours, colour
    return figure


def _with_masked_note(panels: Sequence[Panel], *, crossed: bool) -> list[Panel]:
    """Say under the first panel in which the causal mask hides cells which they are."""
    note = crossed_note if crossed else masked_note
    said = [note(each.masked) for each in panels]
    first = next((number for number, each in enumerate(said) if each), None)
    return [replace(each, notes=(*each.notes, *said[n])) if n == first else each for n, each in enumerate(panels)]


def _crosses(panel: Panel, xaxis: str) -> list[go.Scatter]:
    """Return a cross in each cell that the causal mask hides; its hover text is the score that it would have."""
    if panel.masked is None or not panel.masked.any():
        return []
    rows, columns = np.nonzero(panel.masked)
    scores = None if panel.later is None else panel.later[rows, columns]
    hover = _("masked: later word") if scores is None else _("masked: score {score}", score="%{customdata:.3f}")
    cross = go.Scatter(
        x=columns,
        y=rows,
        customdata=scores,
        mode="markers",
        marker={"symbol": CROSS, "size": 7, "color": TEXT_COLOUR, "line": {"width": 1, "color": TEXT_COLOUR}},
        hovertemplate=f"{hover}<extra></extra>",
        showlegend=False,
        xaxis=xaxis,
        yaxis=xaxis.replace("x", "y"),
    )
    return [cross]


def _heatmaps(panel: Panel, suffix: str, longest: int, colour: Colour) -> list[go.Heatmap]:
    values, gap = coloured(drawn(panel.values, panel.threshold), colour), cell_gap(panel.values)
    common = _hovering(panel, longest, colour) | {
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "xgap": gap,
        "ygap": gap,
    }
    if panel.grey is None:
        return [go.Heatmap(z=values, coloraxis="coloraxis", name=tokens.escape(panel.title), **common)]
    common["hoverongaps"] = False  # each has gaps where the other has cells
    greys: dict[str, Any] = {"colorscale": GREY_SCALE, "zmin": 0, "zmax": 1, "showscale": False}
    return [
        go.Heatmap(z=np.where(panel.grey, values, np.nan), name=_("within"), **greys, **common),
        go.Heatmap(z=np.where(panel.grey, np.nan, values), coloraxis="coloraxis", name=_("outside"), **common),
    ]


def _hovering(panel: Panel, longest: int, colour: Colour) -> dict[str, Any]:
    """Return the hover text, and what it needs of each cell beside its colour and its labels."""
    named_by_colour = colour == "linear" and not panel.extras and not panel.threshold and panel.grey is None
    cells: list[NDArray[Any]] = [] if named_by_colour else [panel.values, *panel.extras]
    names = {"query": "%{y}", "key": "%{x}"}
    if any_cut(panel.queries, panel.keys, longest):
        names = {name: f"%{{customdata[{len(cells) + place}]}}" for place, name in enumerate(names)}
        whole = ([tokens.full_label(text) for text in each.texts] for each in (panel.queries, panel.keys))
        cells = [*cells, *np.meshgrid(*(np.array(texts, dtype=object) for texts in whole), indexing="ij")]
    number = f"%{{{'z' if named_by_colour else 'customdata[0]'}:{'+' if panel.signed else ''}.4f}}"
    hover = panel.cell(weight=f"<b>{number}</b>", **{name: f"<b>{text}</b>" for name, text in names.items()})
    return {
        "customdata": np.stack(cells, axis=-1) if cells else None,  # [query, key, number or name]
        "hovertemplate": f"{hover}{panel.closing}<extra></extra>",
    }
