"""Strips of numbers for print: a rectangle a number, labelled where it fits."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from viz.captions.strips import heading_of
from viz.figures.drawing.theme import DIFFERENCE_SCALE, WEIGHT_SCALE
from viz.figures.printable import PrintedStrips
from viz.figures.publication.layout import GAP, LABEL, LEADING, NOTE, PAD, Width, labels_of
from viz.figures.publication.scale import colours_of
from viz.figures.publication.sheet import INK, Sheet
from viz.figures.publication.text import width_of
from viz.views.strips import Strip

_ROW = 13.0  # points
_WIDEST, _GUTTER = 42.0, 0.3  # points of a cell; share of the width that labels of rows may take
_DARK = 0.6  # of the scale, from where a number is written in white


def draw_strips(shown: PrintedStrips, width: Width, *, titles: bool) -> Figure:
    """Return strips of numbers below each other, drawn for print."""
    sheet = Sheet(width)
    if titles:
        sheet.paragraph(shown.title, LABEL, bold=True)
        sheet.bottom += PAD
    widest = max((width_of(row, LABEL) for strip in shown.strips for row in labels_of(strip.rows)), default=0.0)
    left = min(widest + PAD, sheet.width * _GUTTER)
    small = LABEL * min(1.0, (left - PAD) / widest) if widest else LABEL
    for strip in shown.strips:
        sheet.paragraph(heading_of(strip), NOTE)
        _draw(sheet, strip, left, small)
        sheet.bottom += GAP
    return sheet.done()


def _draw(sheet: Sheet, strip: Strip, left: float, small: float) -> None:
    rows, columns = strip.values.shape
    cell = min((sheet.width - left) / columns, _WIDEST)
    _name_columns(sheet, strip, left, cell)
    top = sheet.bottom
    xs, ys = left + cell * np.arange(columns + 1), top + _ROW * np.arange(rows + 1)
    sheet.cells(xs, ys, scale_of(strip).to_rgba(np.ma.masked_invalid(strip.values)))
    for name, above, below in zip(labels_of(strip.rows), ys, ys[1:], strict=False):
        sheet.write(name, left - PAD, (above + below) / 2, small, ha="right")
    _write_numbers(sheet, strip, xs, ys)
    sheet.bottom = float(ys[-1])
    sheet.frame(left, top, cell * columns, sheet.bottom - top)


def _name_columns(sheet: Sheet, strip: Strip, left: float, cell: float) -> None:
    """Write the names of the columns, upright where they would lie over each other, and then as many as fit."""
    names = labels_of(strip.columns)
    if not names:
        sheet.bottom += PAD
        return
    longest = max(width_of(name, LABEL) for name in names)
    upright = longest > cell - PAD
    sheet.bottom += PAD + (longest if upright else LABEL * LEADING)
    every = math.ceil(LABEL * LEADING / cell) if upright else 1
    for place, name in list(enumerate(names))[::every]:
        middle = left + (place + 0.5) * cell
        sheet.write(name, middle, sheet.bottom - 1, LABEL, ha="center", va="bottom", rotation=90 if upright else 0)
    sheet.bottom += 1


def _write_numbers(sheet: Sheet, strip: Strip, xs: np.ndarray, ys: np.ndarray) -> None:
    digits = 0 if strip.kind == "mask" else 1 if strip.limit >= 100 else 2
    texts = [[_written(value, digits) for value in row] for row in strip.values.tolist()]
    size = min(LABEL, _ROW / LEADING)
    if max(width_of(text, size) for row in texts for text in row) > xs[1] - xs[0] - 1:
        return
    for row, (above, below) in enumerate(pairwise(ys)):
        for column, (start, end) in enumerate(pairwise(xs)):
            dark = abs(strip.values[row, column]) > _DARK * strip.limit
            colour = "white" if dark else INK
            sheet.write(texts[row][column], (start + end) / 2, (above + below) / 2, size, ha="center", color=colour)


def _written(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "\u2212") if np.isfinite(value) else "\u2212\u221e"


def scale_of(strip: Strip) -> ScalarMappable:
    """Return the colours of a strip: those of every map, or white at 0."""
    signed = strip.kind == "signed"
    scale = DIFFERENCE_SCALE if signed else WEIGHT_SCALE
    return colours_of({"colorscale": scale, "cmin": -strip.limit if signed else 0.0, "cmax": strip.limit})
