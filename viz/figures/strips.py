"""Vectors and matrices as strips of coloured cells, each with its shape and range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.captions.strips import heading_of
from viz.figures.drawing.axes import longest_label, token_axis
from viz.figures.drawing.grid import GLYPH_WIDTH, LARGEST_CELL, SLANTED_CELL, SLANTED_FONT
from viz.figures.drawing.headline import LINE, words_at
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.theme import (
    DIFFERENCE_SCALE,
    NOTE_SIZE,
    PICKED_COLOUR,
    SMALLEST_FONT,
    WEIGHT_SCALE,
)
from viz.text import tokens
from viz.text.language import _
from viz.views.strips import Strip

GAP = 14  # pixels between strips


TOOLBAR = 40  # pixels at the right of the first heading, for the button that saves the picture


VECTOR_HEIGHT = 26


ROW_HEIGHT = 20


MANY_ROWS_HEIGHT = 440  # pixels that a matrix of many rows takes


LOWEST_ROW = 5


TICK = 4


LARGEST_GUTTER = 0.3  # of the width, for row labels


CELL_OF_NUMBER = 44  # pixels: in narrower cells no number is written


CELL_OF_DECIMALS = 56  # pixels: in wider ones numbers have three decimals


MOST_NUMBERED_ROWS = 16


MOST_GAPPED = 64  # columns: a line between narrower cells would leave nothing of them


_NUMBER_SIZE = 12


@dataclass(frozen=True, slots=True)
class _ColumnLabels:
    """How the labels of columns are written: every `every`-th, at an angle, in a size, taking so many pixels."""

    angle: int
    font: int
    height: float
    every: int = 1


@dataclass(frozen=True, slots=True)
class _Block:
    """Where a strip lies, in pixels from the top of the figure."""

    strip: Strip
    heading: tuple[str, ...]
    labels: _ColumnLabels
    top: float
    cells: float
    cell: float
    row_height: float

    @property
    def bottom(self) -> float:
        rows: int = self.strip.values.shape[0]
        return self.cells + rows * self.row_height


def number_strips(strips: Sequence[Strip], *, width: float = 1320) -> go.Figure:
    """Show vectors and matrices below each other, a cell a number.

    Weights and masks have the colours of every map, from 0 to 1. Other numbers are white at 0, orange below and purple
    above; the range of their colours stands in their heading, since vectors and scores are not of one size. Numbers are
    written into the cells where there is room; pointing at a cell gives its number in any case.
    """
    if not strips:
        message = "number_strips shows at least one strip; got none"
        raise ValueError(message)
    longest = longest_label(width)
    widest = max(tokens.widest(strip.rows, longest) for strip in strips) * GLYPH_WIDTH * NOTE_SIZE
    left = min(widest + 2 * TICK, width * LARGEST_GUTTER) if widest else 1.0
    blocks: list[_Block] = []
    for strip in strips:
        blocks.append(_place(strip, blocks[-1].bottom + GAP if blocks else 0.0, width, left, longest))
    height = blocks[-1].bottom + TICK
    layout: dict[str, Any] = {
        **bare_layout(width, height),
        "annotations": [_heading(block, height) for block in blocks],
        "shapes": [],
    }
    heatmaps = []
    for place, block in enumerate(blocks, start=1):
        suffix = "" if place == 1 else str(place)
        layout[f"xaxis{suffix}"] = _columns(block, left, width, suffix, longest)
        layout[f"yaxis{suffix}"] = _rows(block, height, suffix, longest)
        layout["shapes"] += _marks(block, suffix)
        heatmaps.append(_heatmap(block, suffix))
    return go.Figure(heatmaps, layout)


def _place(strip: Strip, top: float, width: float, left: float, longest: int) -> _Block:
    count_rows, count_columns = strip.values.shape
    room = width - left - 2
    cell = min(room / count_columns, LARGEST_CELL)
    labels = _column_labels(strip, cell, longest)
    if labels.angle == -45:  # the last label reaches beyond its cell
        cell = min(cell, (room - max(labels.height - cell / 2, 0)) / count_columns)
        labels = _column_labels(strip, cell, longest)
    heading = tuple(tokens.wrap(heading_of(strip), max(int((width - TOOLBAR) / (NOTE_SIZE * GLYPH_WIDTH)), 20)))
    row = VECTOR_HEIGHT if count_rows == 1 else min(ROW_HEIGHT, max(MANY_ROWS_HEIGHT / count_rows, LOWEST_ROW))
    cells = top + len(heading) * LINE + TICK + labels.height
    return _Block(strip, heading, labels, top, cells, cell, row)


def _column_labels(strip: Strip, cell: float, longest: int) -> _ColumnLabels:
    widest = tokens.widest(strip.columns, longest) * GLYPH_WIDTH
    if not strip.columns:
        return _ColumnLabels(0, NOTE_SIZE, 0.0)
    if widest * NOTE_SIZE <= cell - TICK:
        return _ColumnLabels(0, NOTE_SIZE, LINE + TICK)
    if cell >= SLANTED_CELL:
        font = min(NOTE_SIZE, int(cell * SLANTED_FONT))
        return _ColumnLabels(-45, font, (widest * 0.71 + 1) * font + TICK)
    font = max(SMALLEST_FONT, min(NOTE_SIZE, int(cell)))
    return _ColumnLabels(-90, font, widest * font + 2 * TICK, math.ceil((font + 1) / cell))


def _axis(labels: Sequence[str], longest: int, every: int, font: int) -> dict[str, Any]:
    """Return an axis of integer positions with a label at every `every`-th; without labels none is shown."""
    if not labels:
        return {"type": "linear", "fixedrange": True, "automargin": False, "showticklabels": False}
    return token_axis(labels, longest, every=every, tick=TICK) | {"showticklabels": True, "tickfont": {"size": font}}


def _columns(block: _Block, left: float, width: float, suffix: str, longest: int) -> dict[str, Any]:
    count = block.strip.values.shape[1]
    domain = [left / width, min((left + count * block.cell) / width, 1.0)]
    axis = _axis(block.strip.columns, longest, block.labels.every, block.labels.font)
    place = {"domain": domain, "anchor": f"y{suffix}", "side": "top", "range": [-0.5, count - 0.5]}
    return axis | place | {"tickangle": block.labels.angle}


def _rows(block: _Block, height: float, suffix: str, longest: int) -> dict[str, Any]:
    count = block.strip.values.shape[0]
    every = math.ceil((NOTE_SIZE + 2) / block.row_height) if block.row_height < NOTE_SIZE + 2 else 1
    axis = _axis(block.strip.rows, longest, every, NOTE_SIZE)
    domain = [max(1 - block.bottom / height, 0.0), 1 - block.cells / height]
    return axis | {"domain": domain, "anchor": f"x{suffix}", "range": [count - 0.5, -0.5]}


def _heading(block: _Block, height: float) -> dict[str, Any]:
    """Return the annotation above a strip, its symbol in bold."""
    first, *further = map(tokens.escape, block.heading)
    symbol = tokens.escape(block.strip.symbol)
    text = "<br>".join((first.replace(symbol, f"<b>{symbol}</b>", 1), *further))
    return words_at(text, 0, 1 - block.top / height, size=NOTE_SIZE, align="left", borderpad=0)


def _marks(block: _Block, suffix: str) -> list[dict[str, Any]]:
    """Return the frame around the chosen row, column or cell."""
    row, column = block.strip.marked
    if row is None and column is None:
        return []
    rows, columns = block.strip.values.shape
    down = (-0.5, rows - 0.5) if row is None else (row - 0.5, row + 0.5)
    across = (-0.5, columns - 0.5) if column is None else (column - 0.5, column + 0.5)
    corners = dict(zip(("x0", "x1", "y0", "y1"), (*across, *down), strict=True))
    line = {"color": PICKED_COLOUR, "width": 2}
    return [{"type": "rect", "xref": f"x{suffix}", "yref": f"y{suffix}", "line": line, **corners}]


def _decimals(strip: Strip, cell: float) -> int:
    """Return how many decimals there is room for."""
    if strip.kind == "mask":
        return 0
    if strip.limit >= 100:
        return 1
    return 3 if cell >= CELL_OF_DECIMALS and strip.limit < 10 else 2


def _heatmap(block: _Block, suffix: str) -> go.Heatmap:
    strip = block.strip
    rows, columns = strip.values.shape
    low, scale = (-strip.limit, DIFFERENCE_SCALE) if strip.kind == "signed" else (0.0, WEIGHT_SCALE)
    gap = 1 if columns <= MOST_GAPPED and block.row_height >= NOTE_SIZE else 0
    digits = _decimals(strip, block.cell)
    numbered = block.cell >= CELL_OF_NUMBER and rows <= MOST_NUMBERED_ROWS
    row = "%{y}" if strip.rows else _("row {row}", row="%{y}") if rows > 1 else ""
    column = "%{x}" if strip.columns else _("component {column}", column="%{x}")
    where = " \u00b7 ".join(filter(None, (row, column)))
    return go.Heatmap(
        z=np.asarray(strip.values, dtype=np.float32),
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        zmin=low,
        zmax=strip.limit,
        colorscale=scale,
        showscale=False,
        xgap=gap,
        ygap=gap,
        hoverongaps=False,
        name=tokens.escape(strip.name),
        texttemplate=f"%{{z:.{digits}f}}" if numbered else None,
        textfont={"size": _NUMBER_SIZE} if numbered else None,
        hovertemplate=f"<b>%{{z:.4f}}</b><br>{tokens.escape(strip.name)}<br>{where}<extra></extra>",
    )
