"""Line and scatter charts for print, from a Plotly figure with one pair of axes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from viz.figures.publication.layout import GAP, LABEL, LEADING, NOTE, PAD, SMALLEST_LABEL, TITLE, Width
from viz.figures.publication.scale import colours_of, draw_scale
from viz.figures.publication.sheet import FAINT, LINE, Sheet, fill_cells
from viz.figures.publication.text import font, width_of

_DASHES = {None: "-", "solid": "-", "dash": "--", "dot": ":"}
_MARKERS = {"circle": "o", "diamond": "D", "square": "s"}
Words = list[tuple[float, str]]
_KEY = 22.0  # points of a line beside its name
_HEIGHTS = {"column": 150.0, "page": 230.0}
_FOOT = 2 * LABEL * LEADING + 2 * PAD
_CLEAR = re.compile(r"rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)")


def draw_chart(shown: go.Figure, width: Width, *, titles: bool) -> Figure:
    """Return a chart drawn for print: axes, names and colours are those of the figure."""
    sheet = Sheet(width)
    if titles:
        for text in headings_of(shown):
            sheet.paragraph(text, TITLE if sheet.bottom == 0 else NOTE, bold=sheet.bottom == 0)
    _legend(sheet, shown)
    sheet.bottom += PAD
    ends = tuple(_labels(shown.layout[name]) if name in shown.layout else [] for name in ("yaxis", "yaxis2"))
    left, right = (max((width_of(text, LABEL) for _at, text in each), default=24.0) + 3 * PAD for each in ends)
    left += LABEL * LEADING
    right = right if ends[1] else 2 * PAD
    rows = max(len(each) for each in ends)
    top = sheet.bottom + (_above(shown.layout.xaxis) if shown.layout.xaxis.side == "top" else 0)
    high = max(_HEIGHTS[width], rows * LABEL * LEADING)
    if (
        any(isinstance(each, go.Heatmap) for each in shown.data)
        and len(ends[0]) == len(_labels(shown.layout.xaxis)) > 0
    ):
        high = sheet.width - left - right  # a square of the same names on both axes
    sheet.bottom = top + high + (PAD if shown.layout.xaxis.side == "top" else _FOOT) + GAP
    axis = shown.layout.coloraxis.to_plotly_json()
    if axis.get("colorscale"):
        draw_scale(sheet, axis)
    figure = sheet.done()
    axes = sheet.part(left, top, sheet.width - left - right, high)
    _draw(axes, shown)
    _dress(axes, shown, ends[1], (sheet.width - left - right, high))
    return figure


def plain(text: object) -> str:
    """Return the text of a Plotly figure without its markup, a line break a space."""
    return unescape(re.sub(r"<[^>]*>", "", str(text or "").replace("<br>", " ")))


def headings_of(shown: go.Figure) -> list[str]:
    """Return the lines over a chart."""
    heads = [shown.layout.title.text] + [each.text for each in shown.layout.annotations if each.xref == "paper"]
    return [plain(each) for each in heads if each]


def _labels(axis: Any) -> Words:
    """Return the words of an axis with their places; none where it has numbers, or nothing."""
    if axis.ticktext is None or axis.showticklabels is False:
        return []
    return [(float(at), plain(text)) for at, text in zip(axis.tickvals, axis.ticktext, strict=True)]


def _above(axis: Any) -> float:
    return max((width_of(text, LABEL) for _at, text in _labels(axis)), default=LABEL) + LABEL * LEADING + 3 * PAD


def _named(shown: go.Figure) -> list[go.Scatter]:
    several = shown.layout.showlegend is not False
    return [
        each
        for each in shown.data
        if isinstance(each, go.Scatter) and several and each.showlegend is not False and each.name
    ]


def _style(each: go.Scatter) -> dict[str, Any]:
    """Return how matplotlib draws what Plotly draws so."""
    style: dict[str, Any] = {"linestyle": "", "marker": "", "linewidth": 1.3, "markersize": 3.6}
    colour, opacity = _colour(each.line.color or each.marker.color or FAINT)
    style |= {"color": colour, "alpha": opacity}
    if "lines" in (each.mode or "lines"):
        style |= {"linestyle": _DASHES.get(each.line.dash, "-"), "linewidth": 0.45 * (each.line.width or 2)}
    if "markers" in (each.mode or ""):
        style["marker"] = _MARKERS.get(each.marker.symbol, "o")
    return style


def _colour(text: Any) -> tuple[str, float]:
    """Return a colour and how much it covers."""
    found = _CLEAR.fullmatch(str(text))
    if found is None:
        return str(text), 1.0
    red, green, blue = map(int, found.groups()[:3])
    return f"#{red:02x}{green:02x}{blue:02x}", float(found[4])


def _legend(sheet: Sheet, shown: go.Figure) -> None:
    """Write the names of the lines, as many in a row as fit."""
    x, y = 0.0, sheet.bottom + NOTE * LEADING / 2
    for each in _named(shown):
        name = plain(each.name)
        wide = _KEY + width_of(name, NOTE) + GAP
        if x and x + wide - GAP > sheet.width:
            x, y = 0.0, y + NOTE * LEADING
        sheet.axes.add_line(Line2D([x + 1, x + _KEY / 2, x + _KEY - 4], [y] * 3, markevery=[1], **_style(each)))
        sheet.write(name, x + _KEY, y, NOTE)
        x += wide
    if x:
        sheet.bottom = y + NOTE * LEADING / 2


def _draw(axes: Axes, shown: go.Figure) -> None:
    for shape in shown.layout.shapes:
        if shape.type == "rect" and shape.yref == "paper":
            colour, opacity = _colour(shape.fillcolor)
            axes.axvspan(shape.x0, shape.x1, color=colour, alpha=opacity, linewidth=0)
        elif shape.type == "rect":
            left, right, low, high = shape.x0, shape.x1, shape.y0, shape.y1
            xs, ys = (left, right, right, left, left), (low, low, high, high, low)
            axes.plot(xs, ys, color=shape.line.color, linewidth=1, clip_on=False, zorder=4)
    for each in shown.data:
        if isinstance(each, go.Heatmap):
            _cells(axes, each, shown)
        elif isinstance(each, go.Scatter) and _colour(each.marker.color)[1] > 0 and each.x is not None:
            bars = each.error_y
            if bars.array is not None:
                error = [bars.array if bars.arrayminus is None else bars.arrayminus, bars.array]
                colour = _colour(each.line.color)[0]
                axes.errorbar(each.x, each.y, error, linestyle="", color=colour, linewidth=0.6, capsize=2, capthick=0.6)
            axes.plot(np.asarray(each.x, dtype=float), np.asarray(each.y, dtype=float), **_style(each))
            if "text" in (each.mode or ""):
                for x, y, text in zip(each.x, each.y, each.text, strict=True):
                    over: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "parse_math": False}
                    axes.annotate(plain(text), (x, y), (0, PAD), fontproperties=font(SMALLEST_LABEL), **over)


def _cells(axes: Axes, each: go.Heatmap, shown: go.Figure) -> None:
    values = np.asarray(each.z, dtype=np.float32)
    scale = colours_of(shown.layout.coloraxis.to_plotly_json())
    first = float(each.y0 or 0)
    edges = np.arange(values.shape[1] + 1) - 0.5, np.arange(values.shape[0] + 1) - 0.5 + first
    fill_cells(axes, *edges, scale.to_rgba(np.ma.masked_invalid(values)))


def _dress(axes: Axes, shown: go.Figure, behind: Words, size: tuple[float, float]) -> None:
    """Give the axes, so wide and high, their ranges, numbers or words, and titles."""
    layout = shown.layout
    if layout.xaxis.side == "top":
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
    _measure(layout.xaxis, axes.xaxis, axes.set_xlim, size[0], upright=layout.xaxis.side == "top")
    _measure(layout.yaxis, axes.yaxis, axes.set_ylim, size[1])
    if layout.yaxis.showgrid:
        axes.grid(axis="y", color="#e3e5e9", linewidth=0.5)
        axes.set_axisbelow(True)
    both = [axes]
    if behind:
        both.append(axes.twinx())
        both[1].set_ylim(axes.get_ylim())
        _name(both[1].yaxis, behind, size[1])
    for each in both:
        each.tick_params(length=2, width=0.4, pad=PAD / 2)
        for side in each.spines.values():
            side.set(linewidth=0.4, color=LINE)
    for note in layout.annotations:
        if note.xref == "x":
            place: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "top", "parse_math": False}
            axes.text(0.995, 1 - 3 / size[1], plain(note.text), fontproperties=font(NOTE), color=FAINT, **place)


def _measure(axis: Any, own: Axis, limit: Callable[..., Any], room: float, *, upright: bool = False) -> None:
    """Give one axis its range, its numbers or words, and its title."""
    if axis.range is not None:
        limit(*axis.range)
    elif axis.rangemode == "tozero":
        limit(0)
    if axis.showticklabels is False or axis.visible is False:
        own.set_ticks([])
    _name(own, _labels(axis), room, upright=upright)
    own.set_label_text(plain(axis.title.text), fontproperties=font(LABEL), color=FAINT)


def _name(axis: Axis, words: Words, room: float, *, upright: bool = False) -> None:
    """Write words, or the numbers that there are, along an axis: as large as leaves each its line, some left out."""
    size = LABEL
    if words:
        size = min(LABEL, max(SMALLEST_LABEL, room / len(words) / LEADING))
        every = max(1, math.ceil(size * LEADING * len(words) / room - 1e-6))
        axis.set_ticks([at for at, _text in words[::every]], labels=[text for _at, text in words[::every]])
    for text in axis.get_ticklabels():
        text.set(fontproperties=font(size), parse_math=False, **({"rotation": 90} if upright else {}))
