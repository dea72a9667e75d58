"""Layout of maps for print: maps a row, cell size, which labels fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from types import MappingProxyType
from typing import Literal

from viz.figures.drawing.panel import Panel
from viz.figures.publication.text import lines_of, width_of
from viz.text import tokens

Width = Literal["column", "page"]
WIDTHS = MappingProxyType({"column": 85 / 25.4 * 72, "page": 178 / 25.4 * 72})
"""Points: 85 and 178 mm, one column and two of most journals."""
MARGIN = 3.0  # points around what is drawn, within the width

LABEL, SMALLEST_LABEL, TITLE, NOTE = 7.5, 4.0, 9.0, 6.5  # points
LEADING = 1.25  # points from line to line for each point of the font
GAP = 10.0  # between panels
PAD = 3.0  # between a label and its cells
WIDEST_CELL, LARGEST_SQUARE = 42.0, 22.0
_LONGEST_LABEL = 22  # columns of text


@dataclass(frozen=True, slots=True)
class PrintPlace:
    """Where one map stands, in points from the upper left corner."""

    left: float  # of its first cell
    top: float  # of its first cell
    cell: tuple[float, float]  # width and height of a cell
    label: float  # size of the labels
    every: tuple[int, int]  # which rows and which columns have a label: each, every second,
    upright: bool  # whether the labels of the columns stand upright
    band: float  # height of the labels of the columns
    gutter: float  # width of the labels of the rows
    title: tuple[str, ...]  # in lines that fit
    notes: tuple[str, ...]  # in lines that fit


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands."""

    height: float  # points of the maps, without the colour bar
    places: tuple[PrintPlace, ...]  # one a panel


def labels_of(texts: Sequence[str]) -> list[str]:
    """Return what stands on an axis: nothing invisible, nothing longer than there is room for."""
    return [tokens.shorten(tokens.visible(text), _LONGEST_LABEL) for text in texts]


def room_of(width: Width) -> float:
    """Return the points between the margins."""
    return WIDTHS[width] - 2 * MARGIN


def letters_of(count: int) -> list[str]:
    """Return (a), (b) and so on, as papers name the parts of a figure; a part that is alone has no letter."""
    if count == 1:
        return [""]
    names = (*ascii_lowercase, *(first + second for first in ascii_lowercase for second in ascii_lowercase))
    return [f"({name})" for name in names[:count]]


def lay_out(panels: Sequence[Panel], width: Width, *, titles: bool, square: bool) -> Layout:
    """Return where `panels` stand: as many in a row as leave each column room for its label."""
    total = room_of(width)
    across = _across(panels, total)
    slot = (total - GAP * (across - 1)) / across
    places: list[PrintPlace] = []
    top, letter = 0.0, NOTE * LEADING if len(panels) > 1 else 0.0
    for start in range(0, len(panels), across):
        row = panels[start : start + across]
        found = [_place(panel, slot, titles=titles, square=square) for panel in row]
        above = max(_above(each) for each in found)
        for number, each in enumerate(found):
            left = number * (slot + GAP) + each.gutter
            places.append(_moved(each, left=left, top=top + above))
        top += above + max(each.cell[1] * len(panel.queries) for each, panel in zip(found, row, strict=True))
        top += letter + GAP
    return Layout(top, tuple(places))


def _across(panels: Sequence[Panel], total: float) -> int:
    for across in range(min(len(panels), 4), 1, -1):
        slot = (total - GAP * (across - 1)) / across
        if all((slot - _gutter(panel, LABEL)) / len(panel.keys) >= LABEL * LEADING for panel in panels):
            return across
    return 1


def _gutter(panel: Panel, label: float) -> float:
    """Return the width of what stands left of the cells: the title of the rows, upright, and their labels."""
    widest = max(width_of(text, label) for text in labels_of(panel.queries.texts))
    return widest + PAD + LABEL * LEADING + PAD


def _above(place: PrintPlace) -> float:
    """Return the height of what stands above the cells of a map."""
    heading = len(place.title) * TITLE * LEADING + len(place.notes) * NOTE * LEADING
    return heading + LABEL * LEADING + PAD + place.band + PAD


def _place(panel: Panel, slot: float, *, titles: bool, square: bool) -> PrintPlace:
    """Return the place of a map in a slot so wide, from its own corner."""
    gutter = _gutter(panel, LABEL)
    width = (slot - gutter) / len(panel.keys)
    label = min(LABEL, max(SMALLEST_LABEL, width / LEADING))
    gutter = _gutter(panel, label)
    width = min((slot - gutter) / len(panel.keys), LARGEST_SQUARE if square else WIDEST_CELL)
    height = width if square else max(label * LEADING, min(width, label * 2))
    every = tuple(max(1, math.ceil(label * LEADING / side - 1e-6)) for side in (height, width))
    widths = [width_of(text, label) for text in labels_of(panel.keys.texts)]
    upright = max(widths) + PAD > width
    return PrintPlace(
        left=0.0,
        top=0.0,
        cell=(width, height),
        label=label,
        every=(every[0], every[1]),
        upright=upright,
        band=max(widths) if upright else label * LEADING,
        gutter=gutter,
        title=tuple(lines_of(panel.title, TITLE, slot, bold=True)) if titles and panel.title else (),
        notes=tuple(lines_of(" · ".join(panel.said), NOTE, slot)) if titles and panel.said else (),
    )


def _moved(place: PrintPlace, *, left: float, top: float) -> PrintPlace:
    return replace(place, left=left, top=top)
