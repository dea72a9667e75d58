"""The one way to draw maps: cells, what hovering over them says, axes in words, headings with notes, a colour bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.axes import any_cut, cell_gap, lay_out, longest_label
from viz.figures.drawing.long_maps import MOST_LABELLED, draw_long_panels
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import GREY_SCALE, Colour, coloured
from viz.text import tokens
from viz.text.language import _
from viz.views.hiding import drawn


def draw_panels(
    panels: Sequence[Panel],
    colours: dict[str, Any],
    *,
    colour: Colour,
    width: float,
    columns: int | None = None,
    most_labelled: int | None = MOST_LABELLED,
) -> go.Figure:
    """Draw `panels` side by side, or one below the other where there is no room, on the colour axis `colours`.

    Parameters
    ----------
    panels : sequence of Panel
        At least one.
    colours : dict
        A colour axis for all of them, as `viz.figures.drawing.colour_bar` makes it.
    colour : {"linear", "root"}
        Of what kind it is.
    width : float
        Pixels at which the figure will be shown.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    most_labelled : int or None, optional
        Tokens of an axis up to which each has its label; beyond that `viz.figures.drawing.long_maps` draws. None:
        each has its label, however many there are.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap a panel, two where some of its cells are grey; its height follows its rows.
    """
    if most_labelled is not None and any(max(panel.values.shape) > most_labelled for panel in panels):
        return draw_long_panels(panels, colours, colour=colour, width=width)
    layout, suffixes = lay_out(panels, colours, width=width, columns=columns)
    longest = longest_label(width)
    return go.Figure(
        [
            heatmap
            for panel, suffix in zip(panels, suffixes, strict=True)
            for heatmap in _heatmaps(panel, suffix, longest, colour)
        ],
        layout,
    )


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
        go.Heatmap(z=np.where(panel.grey, values, np.nan), name=_("inside"), **greys, **common),
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
