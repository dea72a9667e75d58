"""Attention maps for print: a rectangle a cell, labels and a colour bar."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from viz.figures.drawing.colour_bar import title_lines
from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import CLEAR, GREY_SCALE, coloured
from viz.figures.publication.layout import (
    BAR,
    LABEL,
    LEADING,
    NOTE,
    PAD,
    TITLE,
    Layout,
    PrintPlace,
    Width,
    labels_of,
    lay_out,
)
from viz.figures.publication.scale import colours_of
from viz.figures.publication.text import POINTS, font, lines_of
from viz.views.hiding import drawn

_DASHES = {"solid": "-", "dot": ":", "dash": "--", None: "-"}
_BAR_WIDTH = 170.0  # points


def draw_maps(shown: PanelFigure, width: Width, *, titles: bool, square: bool) -> Figure:
    """Return the maps of a figure, drawn for print."""
    layout = lay_out(shown.panels, width, titles=titles, square=square)
    meaning = lines_of(unescape(" ".join(title_lines(dict(shown.colours)))), NOTE, layout.width)
    height = layout.height + BAR + len(meaning) * NOTE * LEADING
    figure = Figure(figsize=(layout.width / POINTS, height / POINTS), dpi=POINTS)
    colours = dict(shown.colours)
    scale = colours_of(colours)
    lines = [each for each in shown.data if isinstance(each, go.Scatter) and not _is_clear(each)]
    for panel, place, axis in zip(shown.panels, layout.places, shown.axes, strict=True):
        axes = _map(figure, panel, place, scale, shown)
        for line in lines:
            if line.xaxis == axis and line.x is not None:
                _line(axes, line, min(place.cell))
    _bar(figure, layout, height, meaning, colours)
    return figure


def _is_clear(line: go.Scatter) -> bool:
    return isinstance(line.marker.color, str) and line.marker.color == CLEAR


def _map(figure: Figure, panel: Panel, place: PrintPlace, scale: ScalarMappable, shown: PanelFigure) -> Axes:
    rows, columns = panel.values.shape
    wide, high = place.cell[0] * columns, place.cell[1] * rows
    across, down = figure.get_size_inches() * POINTS
    axes = figure.add_axes((place.left / across, 1 - (place.top + high) / down, wide / across, high / down))
    values = coloured(drawn(panel.values, panel.threshold), shown.colour)
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    grey = np.zeros(values.shape, dtype=bool) if panel.grey is None else panel.grey
    cells: dict[str, Any] = {"antialiased": False, "linewidth": 0, "rasterized": False}
    axes.pcolormesh(
        *edges,
        np.ma.masked_where(grey, values),
        cmap=scale.cmap,
        vmin=shown.colours["cmin"],
        vmax=shown.colours["cmax"],
        **cells,
    )
    if grey.any():
        greys = LinearSegmentedColormap.from_list("greys", list(GREY_SCALE))
        axes.pcolormesh(*edges, np.ma.masked_where(~grey, values), cmap=greys, vmin=0, vmax=1, **cells)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    _label(axes, panel, place)
    _head(figure, panel, place, (across, down), high)
    return axes


def _label(axes: Axes, panel: Panel, place: PrintPlace) -> None:
    words: dict[str, Any] = {"fontproperties": font(place.label), "parse_math": False}
    rows = range(0, len(panel.queries), place.every[0])
    columns = range(0, len(panel.keys), place.every[1])
    queries, keys = labels_of(panel.queries.texts), labels_of(panel.keys.texts)
    axes.tick_params(
        length=0, pad=PAD, top=False, bottom=False, labeltop=True, labelbottom=False
    )  # before they are turned: these are others
    axes.set_yticks(list(rows), [queries[row] for row in rows], **words)
    axes.set_xticks(list(columns), [keys[column] for column in columns], **words)
    for written in axes.get_xticklabels() if place.upright else ():
        if len(written.get_text()) > 1:  # a Chinese character, or a mark, reads best as it stands
            written.set(rotation=90, va="bottom")
    for side in axes.spines.values():
        side.set(linewidth=0.4, color="#8a8f98")


def _head(figure: Figure, panel: Panel, place: PrintPlace, size: tuple[float, float], high: float) -> None:
    """Write the title, the notes and what rows and columns are."""
    across, down = size
    left = place.left - place.gutter

    def write(text: str, x: float, y: float, points: float, **more: Any) -> None:
        bold = bool(more.pop("bold", False))
        common: dict[str, Any] = {"fontproperties": font(points, bold=bold), "parse_math": False, "va": "top"}
        figure.text(x / across, 1 - y / down, text, **(common | more))

    y = place.top - PAD - place.band - PAD - LABEL * LEADING
    write(panel.key_title, place.left, y, LABEL, color="#4a5160")
    middle = place.top + high / 2
    write(panel.query_title, left, middle, LABEL, color="#4a5160", rotation=90, va="center")
    y -= len(place.notes) * NOTE * LEADING + len(place.title) * TITLE * LEADING
    for line in place.title:
        write(line, left, y, TITLE, bold=True)
        y += TITLE * LEADING
    for line in place.notes:
        write(line, left, y, NOTE, color="#4a5160")
        y += NOTE * LEADING


def _line(axes: Axes, line: go.Scatter, cell: float) -> None:
    """Draw what lies over a map, whose cells have so many points: rings, windows of local attention, their centres."""
    if line.marker.symbol == "circle-open":
        rings: dict[str, Any] = {"facecolors": "none", "edgecolors": line.marker.color, "linewidths": cell * 0.07}
        axes.scatter(line.x, line.y, s=(cell * 0.55) ** 2, zorder=3, **rings)
    elif "markers" in line.mode:
        axes.plot(line.x, line.y, linestyle="", marker="o", markersize=2.5, color=line.marker.color)
    else:
        axes.plot(line.x, line.y, linestyle=_DASHES[line.line.dash], linewidth=0.9, color=line.line.color)


def _bar(figure: Figure, layout: Layout, height: float, meaning: list[str], colours: dict[str, Any]) -> None:
    words = len(meaning) * NOTE * LEADING
    top = layout.height + words + PAD
    place = (0.02, 1 - (top + 7) / height, min(_BAR_WIDTH, layout.width * 0.9) / layout.width, 7 / height)
    axes = figure.add_axes(place)
    bar = figure.colorbar(colours_of(colours), cax=axes, orientation="horizontal")
    bar.outline.set_linewidth(0.4)
    if bar.solids is not None:
        bar.solids.set_rasterized(False)
    ticks = colours["colorbar"].get("tickvals")
    if ticks is not None:
        bar.set_ticks(list(ticks), labels=list(colours["colorbar"]["ticktext"]))
    for text in axes.get_xticklabels():
        text.set_fontproperties(font(NOTE))
    axes.tick_params(length=2, width=0.4, pad=1.5)
    for number, line in enumerate(meaning):
        y = 1 - (layout.height + number * NOTE * LEADING) / height
        figure.text(0.02, y, line, fontproperties=font(NOTE), va="top", parse_math=False)
