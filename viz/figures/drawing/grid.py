"""Grid of panels: sizes in pixels, with room for labels.

Plotly gives room to labels at the edges of a figure only, never between its subplots. Here every panel gets
the gutters that its own labels need, all panels share one cell size, and rows start at one height.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, SMALLEST_FONT, TITLE_SIZE
from viz.text.tokens import wrap

GLYPH_WIDTH = 0.56  # of a column of text, as a share of the font size: a little over the mean of common fonts
LINE_HEIGHT = 1.35  # as a share of the font size
AXIS_TITLE = 28  # pixels beside an axis for its title
ROW_LABEL = 6  # text columns of row labels at least: above them a page says what rows and columns are
GAP = 17  # pixels between panels: that of the pages' columns, so that a panel stands under its card
TICK = 5  # pixels between a label and its cell
SMALLEST_CELL = 10  # pixels: below that there are fewer panels in a row
SLANTED_CELL = 17  # pixels: below that slanted labels would be too small to read, so they stand upright
SLANTED_FONT = 0.72  # of a cell: slanted lines are that far apart
SLANT = 0.71  # of a slanted label's length: what it takes to the side, and upwards
SLANT_MARGIN = 0.43  # of the font size: what its height adds to either
FIT = 0.25  # pixels by which a label may miss
THINNEST_CELL = 10  # pixels: rather than thinner cells a wider figure, which a page can scroll
LARGEST_CELL = 72
ROW_HEIGHT = 28
HIGHEST_CELL = 2  # times as high as it is wide, where rows can be lower
LOW_ROW_HEIGHT = 20  # pixels: of a figure with so many rows that one scrolls through them anyway
MANY_ROWS = 40
MOST_COLUMNS = 4  # panels in a row: of more, titles would not fit
SHORTEST_AREA = 150  # pixels: the axis title beside the rows must fit


@dataclass(frozen=True, slots=True)
class PanelSize:
    """What a panel has to hold."""

    rows: int  # cells
    columns: int  # cells
    row_label: int  # text columns of the widest row label
    column_labels: tuple[int, ...]  # text columns of each column label
    note: str = ""  # small text under the panel's title, one line or several


@dataclass(frozen=True, slots=True)
class Box:
    """Where the cells of a panel lie, in pixels from the upper left of the figure.

    `head_left` and `head_top` are where the panel's title begins; `note` is its small text, in lines.
    """

    left: float
    right: float
    top: float
    bottom: float
    head_left: float
    head_top: float
    note: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The panels of one figure in their places."""

    width: float  # of the figure, in pixels
    height: float  # of the figure, in pixels
    boxes: tuple[Box, ...]  # one a panel
    columns: int  # panels in a row
    angle: int  # of the column labels, in degrees: 0, -45 or -90
    column_font: int  # size of the column labels in pixels
    label_height: float  # pixels that they take above the cells

    def x_domain(self, box: Box) -> tuple[float, float]:
        """Return the horizontal span of `box` as shares of the figure's width."""
        return box.left / self.width, min(box.right / self.width, 1.0)

    def y_domain(self, box: Box) -> tuple[float, float]:
        """Return the vertical span of `box` as shares of the figure's height, counted from below."""
        return max(1 - box.bottom / self.height, 0.0), 1 - box.top / self.height


@dataclass(frozen=True, slots=True)
class _Labels:
    """How the column labels of all panels are written, and the pixels that the highest takes above the cells."""

    angle: int
    font: int
    height: float

    def clear(self, height: float) -> float:
        """Return the pixels beyond the first cell that no label reaches in the upper `height` ones."""
        return max(self.height - height, 0.0) if self.angle == -45 else 0.0

    def needed(self, size: PanelSize, cell: float) -> float:
        """Return the pixels from the first cell of a panel to the end of its last one, or of the label farthest out."""
        middles = [(place + 0.5) * cell for place in range(size.columns)]
        widths = [label * GLYPH_WIDTH * self.font for label in size.column_labels]
        share = {0: 0.5, -45: SLANT, -90: 0.0}[self.angle]
        beyond = SLANT_MARGIN * self.font if self.angle == -45 else 0.0
        ends = [middle + width * share + beyond for middle, width in zip(middles, widths, strict=True)]
        return max([size.columns * cell, *ends])


def _write_labels(sizes: Sequence[PanelSize], cell: float) -> _Labels:
    """Choose how column labels are written above cells of `cell` pixels: level where they fit, slanted, or upright."""
    every = [[label * GLYPH_WIDTH for label in size.column_labels] for size in sizes]
    widest = max(itertools.chain.from_iterable(every), default=0.0)
    # Level labels may be wider than their cells where their neighbours leave room, as characters do beside </s>.
    apart = [sum(pair) / 2 for labels in every for pair in itertools.pairwise(labels)]
    closest = max(apart, default=widest)
    for font in range(FONT_SIZE, NOTE_SIZE - 1, -1):
        if closest * font <= cell - TICK:
            return _Labels(0, font, font * LINE_HEIGHT)
    if cell >= SLANTED_CELL:
        font = min(FONT_SIZE, int(cell * SLANTED_FONT))
        return _Labels(-45, font, (widest * SLANT + SLANT_MARGIN) * font + font)
    font = max(SMALLEST_FONT, min(FONT_SIZE, int(cell - 1)))
    return _Labels(-90, font, widest * font + 4)


def _row_gutter(sizes: Sequence[PanelSize]) -> float:
    return max(ROW_LABEL, *(size.row_label for size in sizes)) * GLYPH_WIDTH * FONT_SIZE + AXIS_TITLE + TICK + GAP


def _cell_width(sizes: Sequence[PanelSize], room: float) -> float:
    """Return the widest cell with which every panel, its labels too, fits into `room` pixels beside its row labels."""
    most = max(max(size.columns for size in sizes), 1)
    cell = min(room / most, LARGEST_CELL)
    while cell > THINNEST_CELL:
        labels = _write_labels(sizes, cell)  # they may turn when cells become narrower, and then reach farther
        beyond = max(labels.needed(size, cell) for size in sizes) - room
        if beyond <= FIT:
            break
        cell -= max(beyond / most, FIT)
    return cell


def balanced(count: int, most: int) -> int:
    """Return how many of `count` things stand in a row of at most `most`, so that rows are as long as each other."""
    return -(-count // -(-count // most)) if count else 1


def choose_columns(sizes: Sequence[PanelSize], width: float) -> int:
    """Return how many panels stand in a row of `width` pixels: four at most, with cells that can be told apart.

    As few rows as that takes, all as long as each other or nearly so.
    """
    gutter = _row_gutter(sizes)
    for columns in range(min(len(sizes), MOST_COLUMNS), 1, -1):
        if _cell_width(sizes, (width + GAP) / columns - GAP - gutter) >= SMALLEST_CELL:
            return balanced(len(sizes), columns)
    return 1


def arrange(
    sizes: Sequence[PanelSize],
    *,
    width: float,
    columns: int | None = None,
    legend: float = 0.0,
    axis_title: float = GAP + AXIS_TITLE,
    title: float | None = None,
) -> Grid:
    """Return every panel its place, with `axis_title` pixels for the title of the columns above their labels.

    A panel's title of `title` pixels stands beside the labels of its columns where these leave it room, else above.
    """
    columns = columns or choose_columns(sizes, width)
    gutter, pitch = _row_gutter(sizes), (width + GAP) / columns
    cell = max(_cell_width(sizes, pitch - GAP - gutter), THINNEST_CELL)
    pitch = max(pitch, gutter + max(size.columns for size in sizes) * cell + GAP)
    rows = max(max(size.rows for size in sizes), 1)
    usual = min(ROW_HEIGHT, max(HIGHEST_CELL * cell, LOW_ROW_HEIGHT)) if rows <= MANY_ROWS else LOW_ROW_HEIGHT
    row_height = max(usual, SHORTEST_AREA / rows)
    labels = _write_labels(sizes, cell)
    stacked = len(sizes) > columns
    boxes: list[Box] = []
    top = legend if stacked else 0.0
    for start in range(0, len(sizes), columns):
        row = sizes[start : start + columns]
        notes = [tuple(wrap(size.note, int((pitch - GAP) / (NOTE_SIZE * GLYPH_WIDTH)))) for size in row]
        heading = TITLE_SIZE * LINE_HEIGHT * (1 + max(map(len, notes)))  # lines are as high as the first
        above = heading + axis_title + labels.height
        if title is not None and not any(notes) and title <= gutter + labels.clear(heading):
            above = max(heading + NOTE_SIZE * LINE_HEIGHT, labels.height)
        cells = top + above + TICK
        for place, (size, note) in enumerate(zip(row, notes, strict=True)):
            left = place * pitch + gutter
            right, bottom = left + size.columns * cell, cells + size.rows * row_height
            boxes.append(Box(left, right, cells, bottom, place * pitch, top, note))
        top = max(box.bottom for box in boxes[start:]) + 2 * GAP
    width = pitch * columns - GAP
    return Grid(
        width, top + (0 if stacked else legend), tuple(boxes), columns, labels.angle, labels.font, labels.height
    )
