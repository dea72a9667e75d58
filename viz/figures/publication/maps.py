"""Attention maps for print: a rectangle a cell, labels and a colour bar."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import CLEAR, CROSS, GREY_SCALE, coloured
from viz.figures.publication.layout import (
    LABEL,
    LEADING,
    NOTE,
    PAD,
    TITLE,
    PrintPlace,
    Width,
    labels_of,
    lay_out,
    letters_of,
)
from viz.figures.publication.scale import colours_of, draw_scale
from viz.figures.publication.sheet import FAINT, Sheet
from viz.views.hiding import drawn

_DASHES = {"solid": "-", "dot": ":", "dash": "--", None: "-"}


def draw_maps(shown: PanelFigure, width: Width, *, titles: bool, square: bool) -> Figure:
    """Return the maps of a figure, drawn for print."""
    sheet = Sheet(width)
    layout = lay_out(shown.panels, width, titles=titles, square=square)
    lines = [each for each in shown.data if isinstance(each, go.Scatter) and not _is_clear(each)]
    letters = letters_of(len(shown.panels))
    for panel, place, axis, letter in zip(shown.panels, layout.places, shown.axes, letters, strict=True):
        _map(sheet, panel, place, shown)
        for line in lines:
            if line.xaxis == axis and line.x is not None:
                _line(sheet, line, place, len(panel.keys))
        _label(sheet, panel, place)
        _head(sheet, panel, place)
        sheet.letter(letter, place.left + place.cell[0] * len(panel.keys) / 2)
    sheet.bottom = layout.height
    draw_scale(sheet, dict(shown.colours))
    return sheet.done()


def _is_clear(line: go.Scatter) -> bool:
    return isinstance(line.marker.color, str) and line.marker.color == CLEAR


def _map(sheet: Sheet, panel: Panel, place: PrintPlace, shown: PanelFigure) -> None:
    rows, columns = panel.values.shape
    wide, high = place.cell
    values = coloured(drawn(panel.values, panel.threshold), shown.colour)
    colours = colours_of(dict(shown.colours)).to_rgba(np.ma.masked_invalid(values))
    if panel.grey is not None:
        greys = LinearSegmentedColormap.from_list("greys", list(GREY_SCALE))
        colours[panel.grey] = greys(values[panel.grey])
    sheet.cells(place.left + wide * np.arange(columns + 1), place.top + high * np.arange(rows + 1), colours)
    sheet.frame(place.left, place.top, wide * columns, high * rows)
    sheet.bottom = place.top + high * rows + PAD


def _label(sheet: Sheet, panel: Panel, place: PrintPlace) -> None:
    wide, high = place.cell
    for row, text in list(enumerate(labels_of(panel.queries.texts)))[:: place.every[0]]:
        sheet.write(text, place.left - PAD, place.top + (row + 0.5) * high, place.label, ha="right")
    for column, text in list(enumerate(labels_of(panel.keys.texts)))[:: place.every[1]]:
        turned = place.upright and len(text) > 1  # a Chinese character, or a mark, reads best as it stands
        common: dict[str, Any] = {"ha": "center", "va": "bottom", "rotation": 90 if turned else 0}
        sheet.write(text, place.left + (column + 0.5) * wide, place.top - PAD, place.label, **common)


def _head(sheet: Sheet, panel: Panel, place: PrintPlace) -> None:
    """Write the title, the notes and what rows and columns are."""
    left, middle = place.left - place.gutter, place.top + place.cell[1] * len(panel.queries) / 2
    y = place.top - PAD - place.band - PAD - LABEL * LEADING
    sheet.write(panel.key_title, place.left, y, LABEL, va="top", color=FAINT)
    sheet.write(panel.query_title, left, middle, LABEL, rotation=90, color=FAINT)
    y -= len(place.notes) * NOTE * LEADING + len(place.title) * TITLE * LEADING
    for line in place.title:
        sheet.write(line, left, y, TITLE, bold=True, va="top")
        y += TITLE * LEADING
    for line in place.notes:
        sheet.write(line, left, y, NOTE, va="top", color=FAINT)
        y += NOTE * LEADING


def _line(sheet: Sheet, line: go.Scatter, place: PrintPlace, columns: int) -> None:
    """Draw what lies over a map: rings, windows of local attention as far as its edge, their centres."""
    (wide, high), cell = place.cell, min(place.cell)
    xs, ys = np.clip(np.asarray(line.x, dtype=float) + 0.5, 0, columns), np.asarray(line.y, dtype=float) + 0.5
    points = list(zip(place.left + xs * wide, place.top + ys * high, strict=True))
    if line.marker.symbol == "circle-open":
        ring: dict[str, Any] = {"markersize": cell * 0.55, "markerfacecolor": "none", "markeredgewidth": cell * 0.07}
        sheet.line(points, line.marker.color, linestyle="", marker="o", zorder=3, **ring)
    elif line.marker.symbol == CROSS:
        stroke: dict[str, Any] = {"markersize": cell * 0.4, "markeredgewidth": 0.4}
        sheet.line(points, line.marker.color, linestyle="", marker="x", **stroke)
    elif "markers" in line.mode:
        sheet.line(points, line.marker.color, linestyle="", marker="o", markersize=2.5)
    else:
        sheet.line(points, line.line.color, linestyle=_DASHES[line.line.dash], linewidth=0.9)
