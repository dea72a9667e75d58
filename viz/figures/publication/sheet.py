"""Sheet of paper to draw on: points from the upper left corner, as high as its content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from viz.figures.publication.layout import LEADING
from viz.figures.publication.text import POINTS, font, lines_of

Numbers = NDArray[np.floating[Any]]
INK, FAINT, LINE = "#1c2330", "#4a5160", "#8a8f98"


class Sheet:
    """A figure whose only axes are its own points."""

    def __init__(self, width: float) -> None:
        self.width, self.bottom = width, 0.0
        self.figure = Figure(figsize=(width / POINTS, 1), dpi=POINTS)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.axes.set_xlim(0, width)

    def done(self) -> Figure:
        """Return the figure, as high as what is on it."""
        self.figure.set_size_inches(self.width / POINTS, max(self.bottom, 1.0) / POINTS)
        self.axes.set_ylim(max(self.bottom, 1.0), 0)
        return self.figure

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

    def cells(self, xs: Numbers, ys: Numbers, values: Numbers, scale: ScalarMappable) -> None:
        """Fill a rectangle a cell, with nothing between them.

        Shapes: `values` [row, column].
        """
        shapes: dict[str, Any] = {"antialiased": False, "linewidth": 0, "rasterized": False, "norm": scale.norm}
        self.axes.pcolormesh(xs, ys, values, cmap=scale.cmap, **shapes)

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
