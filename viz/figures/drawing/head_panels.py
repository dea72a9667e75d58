"""Panels that show what heads read: drawn alike whether a value is a weight, a difference or a sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing import heatmap
from viz.figures.drawing.heatmap import any_cut, cell_gap, lay_out, longest_label
from viz.figures.drawing.long_maps import draw_long_panels, is_long
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import Colour, coloured
from viz.text import tokens
from viz.text.language import _
from viz.views.hiding import drawn, threshold_note
from viz.views.view import View


def difference_panel(
    title: str,
    view: View,
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    *,
    names: tuple[str, str],
    notes: tuple[str, ...],
) -> Panel:
    """Return the panel of `first` less `second`, both named in its note and with their own numbers in its hover text.

    Parameters
    ----------
    title : str
        Plain text.
    view : View
        What labels the axes.
    first, second : float32 array, [query, key]
    names : tuple of str
        What tells the two apart, in plain text.
    notes : tuple of str
        What else is said under the title.
    """
    one, other = names
    numbers = _(
        "{first}: {one}<br>{second}: {other}",
        first=tokens.escape(one),
        one="%{customdata[1]:.4f}",
        second=tokens.escape(other),
        other="%{customdata[2]:.4f}",
    )
    return Panel(
        title=title,
        notes=(_("{first}, less {second}", first=one, second=other), *notes),
        view=view,
        values=np.asarray(first - second, dtype=np.float32),
        signed=True,
        extras=(first, second),
        closing=f"<br>{numbers}",
    )


def draw_panels(
    panels: Sequence[Panel], colours: dict[str, Any], *, colour: Colour, columns: int | None = None, width: float
) -> go.Figure:
    """Draw `panels` side by side, or one below the other where there is no room, on the colour axis `colours`.

    Parameters
    ----------
    panels : sequence of Panel
        At least one.
    colours : dict
        A colour axis for all of them.
    colour : {"linear", "root"}
        Of what kind it is.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    width : float
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap a panel; its height follows its rows. Of long texts as `viz.figures.drawing.long_maps` draws them.
    """
    if any(map(is_long, panels)):
        return draw_long_panels(panels, colours, colour=colour, width=width)
    layout, suffixes = lay_out(list(map(_framed, panels)), colours, width=width, columns=columns)
    longest = longest_label(width)
    drawn_maps = [_heatmap(panel, suffix, longest, colour) for panel, suffix in zip(panels, suffixes, strict=True)]
    return go.Figure(drawn_maps, layout)


def _framed(panel: Panel) -> heatmap.Panel:
    shown, view = panel.view.shown, panel.view
    notes = (*panel.notes, *threshold_note([panel.values], view.threshold))
    titles = (view.query_title, view.key_title)
    return heatmap.Panel(panel.title, notes, shown.query_tokens, shown.key_tokens, *titles)


def _heatmap(panel: Panel, suffix: str, longest: int, colour: Colour) -> go.Heatmap:
    queries, keys = panel.view.shown.query_tokens, panel.view.shown.key_tokens
    named_by_colour = colour == "linear" and not panel.extras and not panel.view.threshold
    cells: list[NDArray[Any]] = [] if named_by_colour else [panel.values, *panel.extras]
    names = {"query": "%{y}", "key": "%{x}"}
    if any_cut(queries, keys, longest):
        names = {name: f"%{{customdata[{len(cells) + place}]}}" for place, name in enumerate(names)}
        whole = ([tokens.full_label(text) for text in each.texts] for each in (queries, keys))
        cells = [*cells, *np.meshgrid(*(np.array(texts, dtype=object) for texts in whole), indexing="ij")]
    number = f"%{{{'z' if named_by_colour else 'customdata[0]'}:{'+' if panel.signed else ''}.4f}}"
    hover = panel.view.cell(**{name: f"<b>{each}</b>" for name, each in {"weight": number, **names}.items()})
    gap = cell_gap(panel.values)
    return go.Heatmap(
        z=coloured(drawn(panel.values, panel.view.threshold), colour),
        customdata=np.stack(cells, axis=-1) if cells else None,  # [query, key, number or name]
        coloraxis="coloraxis",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        xgap=gap,
        ygap=gap,
        name=tokens.escape(panel.title),
        hovertemplate=f"{hover}{panel.closing}<extra></extra>",
    )
