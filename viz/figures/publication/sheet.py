"""Sheet of paper to draw on: points from the upper left corner, as high as its content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from viz.figures.publication.layout import LEADING, MARGIN, NOTE, WIDTHS, Width, room_of
from viz.figures.publication.text import POINTS, font, lines_of

Numbers = NDArray[np.floating[Any]]
INK, FAINT, LINE = "#1c2330", "#4a5160", "#8a8f98"


def fill_cells(axes: Axes, xs: Numbers, ys: Numbers, colours: Numbers) -> None:
    """Fill a rectangle a cell that is not clear, between edges in `xs` and `ys`.

    Each reaches under the next ones, which are drawn later: a viewer that smooths edges shows no line between them.
    Shapes: `colours` [row, column, red green blue opacity].
    """
    seen = np.pad(colours[..., 3] > 0, ((0, 1), (0, 1)))
    corners = []
    for row, column in np.argwhere(seen):
        right = column + 1 + int(seen[row, column + 1])
        below = row + 1 + int(seen[row + 1, column] and seen[row + 1, right - 1])
        x, y, end, foot = xs[column], ys[row], xs[right], ys[below]
        corners.append(((x, y), (end, y), (end, foot), (x, foot)))
    shapes = PolyCollection(corners, facecolors=colours[seen[:-1, :-1]], linewidths=0, antialiased=False)
    axes.add_collection(shapes, autolim=False)


class Sheet:
    """A figure whose only axes are its own points, from within its margins."""

    def __init__(self, width: Width) -> None:
        self.width, self.bottom = room_of(width), 0.0
        self.figure = Figure(figsize=(WIDTHS[width] / POINTS, 1), dpi=POINTS)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.axes.set_xlim(-MARGIN, self.width + MARGIN)

    def done(self) -> Figure:
        """Return the figure, as high as what is on it."""
        end = max(self.bottom, 1.0) + MARGIN
        self.figure.set_size_inches(self.figure.get_figwidth(), (end + MARGIN) / POINTS)
        self.axes.set_ylim(end, -MARGIN)
        return self.figure

    def part(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes of their own in a part of the sheet, once it is done."""
        across, down = self.figure.get_size_inches() * POINTS
        return self.figure.add_axes(
            ((left + MARGIN) / across, 1 - (top + height + MARGIN) / down, width / across, height / down)
        )

    def write(self, text: str, x: float, y: float, size: float, *, bold: bool = False, **more: Any) -> None:
        """Write a line of text whose left end, or what `ha` names, stands at `x`, its middle, or `va`, at `y`."""
        usual: dict[str, Any] = {"va": "center", "parse_math": False, "color": INK, "clip_on": False}
        self.axes.text(x, y, text, fontproperties=font(size, bold=bold), **(usual | more))

    def paragraph(self, text: str, size: float, *, bold: bool = False, left: float = 0.0, room: float = 0.0) -> None:
        """Write text in lines that fit, below what is there."""
        for line in lines_of(text, size, room or self.width - left, bold=bold):
            self.write(line, left, self.bottom, size, bold=bold, va="top", color=INK if bold else FAINT)
            self.bottom += size * LEADING

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Fill a rectangle."""
        self.axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, linewidth=0, antialiased=False))

    def frame(self, x: float, y: float, width: float, height: float, **more: Any) -> None:
        """Draw the edges of a rectangle."""
        usual: dict[str, Any] = {"facecolor": "none", "edgecolor": LINE, "linewidth": 0.4}
        self.axes.add_patch(Rectangle((x, y), width, height, **(usual | more)))

    def letter(self, text: str, middle: float) -> None:
        """Write the letter of a part of the figure, if it has one, below what is there."""
        if text:
            self.write(text, middle, self.bottom, NOTE, ha="center", va="top")
            self.bottom += NOTE * LEADING

    def cells(self, xs: Numbers, ys: Numbers, colours: Numbers) -> None:
        """Fill a rectangle a cell, with nothing between them.

        Shapes: `colours` [row, column, red green blue opacity].
        """
        fill_cells(self.axes, xs, ys, colours)

    def box(self, x: float, y: float, width: float, height: float, **more: Any) -> None:
        """Draw a box with round corners."""
        usual: dict[str, Any] = {"facecolor": "none", "edgecolor": LINE, "linewidth": 0.7}
        self.axes.add_patch(
            FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=3", **(usual | more))
        )

    def line(self, points: Sequence[tuple[float, float]], colour: str, **more: Any) -> None:
        """Draw a line through points."""
        xs, ys = zip(*points, strict=True)
        self.axes.plot(xs, ys, color=colour, **({"linewidth": 0.7} | more))

    def link(
        self, start: tuple[float, float], end: tuple[float, float], colour: str, thick: float, **more: Any
    ) -> None:
        """Draw a curve that leaves `start` and reaches `end` upright."""
        half = (start[1] + end[1]) / 2
        path = Path(
            [start, (start[0], half), (end[0], half), end], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        )
        self.axes.add_patch(PathPatch(path, facecolor="none", edgecolor=colour, linewidth=thick, **more))
