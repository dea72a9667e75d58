"""Overview of all heads for print: a small map a head, a rectangle a cell."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.theme import coloured
from viz.figures.printable import PrintedHeads
from viz.figures.publication.layout import GAP, LEADING, NOTE, PAD, TITLE, Width
from viz.figures.publication.scale import colours_of, draw_scale
from viz.figures.publication.sheet import LINE, Sheet
from viz.figures.publication.text import width_of
from viz.text import tokens
from viz.text.language import _

_SMALLEST, _NAMED, _LARGEST = 26.0, 54.0, 90.0  # points of a map's side: at least, at least with a label, at most
_FRAME = 1.6


def draw_heads(shown: PrintedHeads, width: Width, *, titles: bool) -> Figure:
    """Return all heads: a row a layer where that is their order."""
    sheet = Sheet(width)
    if titles:
        sheet.paragraph(shown.title, TITLE, bold=True)
        for note in shown.notes:
            sheet.paragraph(note, NOTE)
    layers = sorted({place.layer for place in shown.heads}) if shown.in_layers else [None]
    members = [[n for n, place in enumerate(shown.heads) if layer in (None, place.layer)] for layer in layers]
    least = max(_SMALLEST, min(_NAMED, max((width_of(each, NOTE) for each in shown.labels), default=0.0)))
    across = min(max(map(len, members)), max(int((sheet.width + PAD) / (least + PAD)), 1))
    across = math.ceil(max(map(len, members)) / math.ceil(max(map(len, members)) / across))
    side = min((sheet.width + PAD) / across - PAD, _LARGEST)
    shape = shown.cells.shape[1] / max(shown.cells.shape[2], 1)
    high = side * min(max(shape, 0.4), 1.6)
    names = [_("layer {layer}, head {head}", layer=place.layer, head=place.head) for place in shown.heads]
    if max(width_of(name, NOTE) for name in names) > side:
        names = [f"{place.layer}.{place.head}" for place in shown.heads]
        sheet.paragraph(_("over each map: its layer, its head"), NOTE)
    for text in shown.axes:
        sheet.paragraph(text, NOTE)
    sheet.bottom += PAD
    axis = weight_colours(shown.colour, width=sheet.width, meaning=shown.meaning)
    for group in members:
        for first in range(0, len(group), across):
            named = {number: names[number] for number in group[first : first + across]}
            _row(sheet, shown, named, (side, high), colours_of(axis))
    sheet.bottom += GAP
    draw_scale(sheet, axis)
    return sheet.done()


def _row(
    sheet: Sheet,
    shown: PrintedHeads,
    named: dict[int, str],
    size: tuple[float, float],
    scale: ScalarMappable,
) -> None:
    """Draw maps side by side, each under its name and its label."""
    side, high = size
    top = sheet.bottom + NOTE * LEADING * (2 if shown.labels else 1) + 1
    for column, (number, name) in enumerate(named.items()):
        left, place = column * (side + PAD), shown.heads[number]
        lines = [name, *([shown.labels[number]] if shown.labels else [])]
        for line, text in enumerate(lines):
            y = top - 1 - (len(lines) - line - 0.5) * NOTE * LEADING
            sheet.write(_fitting(text, side, NOTE), left, y, NOTE)
        cells = coloured(shown.cells[number], shown.colour)
        rows, columns = cells.shape
        xs, ys = np.linspace(left, left + side, columns + 1), np.linspace(top, top + high, rows + 1)
        sheet.cells(xs, ys, scale.to_rgba(cells))
        framed = shown.picked.get(place)
        sheet.frame(left, top, side, high, edgecolor=framed or LINE, linewidth=_FRAME if framed else 0.4)
    sheet.bottom = top + high + PAD


def _fitting(text: str, room: float, size: float) -> str:
    """Return `text`, or as much of it as fits, an ellipsis behind it."""
    if width_of(text, size) <= room:
        return text
    most = math.floor(len(text) * room / width_of(text, size))
    return next(
        (short for keep in range(most, 0, -1) if width_of(short := tokens.shorten(text, keep), size) <= room), ""
    )
