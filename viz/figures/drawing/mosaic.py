"""Where the small maps of an overview lie, in pixels, and which tokens their cells stand for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from viz.figures.drawing.panels import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.pooling import blocks, pooled
from viz.figures.drawing.theme import NOTE_SIZE
from viz.text import tokens

MOST_TOKENS = 96
"""Rows or columns of a small map; of a longer text each cell is the largest of a few."""

LINE = NOTE_SIZE * LINE_HEIGHT
NARROW = 600  # pixels: with less room the name of a layer stands above its maps, not beside them
LARGEST_MAP = 190  # pixels of a small map's side
SMALLEST_MAP = 32
SHORTEST_MAP = 56
TALLEST_MAP = 1.5  # times its width
MAP_GAP = 7  # pixels between small maps
FRAME = 4  # pixels around a map that the frame of a picked one takes
LAYER_LABELS = 70
HEAD_LABELS = 24


@dataclass(frozen=True, slots=True)
class Mosaic:
    """Small maps in rows (layers) and columns (heads).

    Parameters
    ----------
    layers, heads : int
        Rows and columns of small maps.
    queries, keys : int array
        Where each cell of a small map begins, counted in tokens, then the count of tokens itself.
    map_width, map_height : float
        Of a small map, in pixels.
    row_gap : float
        Pixels between two rows.
    left, top : float
        Of the first small map, in pixels from the figure's upper left corner.
    width, height : float
        Of the figure, in pixels.
    """

    layers: int
    heads: int
    queries: NDArray[np.int64]
    keys: NDArray[np.int64]
    map_width: float
    map_height: float
    row_gap: float
    left: float
    top: float
    width: float
    height: float

    @property
    def area(self) -> tuple[float, float]:
        """Width and height of all small maps with the gaps between them."""
        return self.head_left(self.heads) - MAP_GAP, self.layer_top(self.layers) - self.row_gap

    @property
    def is_narrow(self) -> bool:
        """Whether the names of layers stand above their maps, for want of room beside them."""
        return self.left <= FRAME

    @property
    def is_pooled(self) -> bool:
        """Whether a cell stands for several tokens."""
        return any(starts[-1] > len(starts) - 1 for starts in (self.queries, self.keys))

    def head_left(self, head: int) -> float:
        """Return where the maps of `head` begin, from the first map's left edge."""
        return head * (self.map_width + MAP_GAP)

    def layer_top(self, row: int) -> float:
        """Return where the maps of a row begin, from the first map's upper edge."""
        return row * (self.map_height + self.row_gap)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point, from the first map's upper left corner, as shares of the figure from below."""
        return (self.left + x) / self.width, 1 - (self.top + y) / self.height

    def x_edges(self) -> NDArray[np.float64]:
        """Return the edges of all cells from left to right; an empty cell lies between two maps."""
        return _edges([self.head_left(head) for head in range(self.heads)], self.map_width, len(self.keys) - 1)

    def y_edges(self) -> NDArray[np.float64]:
        """Return the edges of all cells from the top down; an empty cell lies between two maps."""
        return _edges([self.layer_top(row) for row in range(self.layers)], self.map_height, len(self.queries) - 1)

    def cells(self, maps: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the values of all cells, NaN in the empty ones.

        Parameters
        ----------
        maps : sequence of float32 array, [head, query, key]
            One a layer.

        Returns
        -------
        float32 array, [row, column]
            Where a cell stands for several tokens, the largest of their weights.
        """
        rows, columns = len(self.queries), len(self.keys)  # of a small map with the empty cell after it
        values = np.full((self.layers * rows - 1, self.heads * columns - 1), np.nan, dtype=np.float32)
        for row, layer in enumerate(maps):
            for head, weights in enumerate(layer):
                top, left = row * rows, head * columns
                values[top : top + rows - 1, left : left + columns - 1] = pooled(weights, self.queries, self.keys)
        return values


def _edges(starts: Sequence[float], length: float, count: int) -> NDArray[np.float64]:
    inner = np.linspace(0, length, count + 1)
    return np.concatenate([start + inner for start in starts])


def arrange_mosaic(
    shape: tuple[int, ...],
    *,
    layers: int,
    heads: int,
    width: float,
    heading: float,
    legend: float,
    alone: bool = False,
) -> Mosaic:
    """Return every small map its place.

    Parameters
    ----------
    shape : tuple of int
        Queries and keys of a map.
    layers, heads : int
    width : float
        Wanted of the figure, in pixels; it becomes wider if the smallest maps need more.
    heading, legend : float
        Pixels kept free above and below the maps.
    alone : bool, optional
        Whether the last key is not a token, and has a cell of its own however long the text is.

    Returns
    -------
    Mosaic
    """
    queries, keys = shape
    narrow = width < NARROW
    left = FRAME if narrow else LAYER_LABELS
    each = min(max((width - left - FRAME + MAP_GAP) / heads - MAP_GAP, SMALLEST_MAP), LARGEST_MAP)
    height = min(max(each * queries / max(keys, 1), SHORTEST_MAP), TALLEST_MAP * max(each, SHORTEST_MAP))
    row_gap = LINE + MAP_GAP if narrow else MAP_GAP
    top = heading + HEAD_LABELS + (LINE if narrow else 0)
    whole = top + layers * (height + row_gap) + legend
    across = max(left + heads * (each + MAP_GAP) - MAP_GAP + FRAME, width)
    cells = blocks(queries, MOST_TOKENS), blocks(keys, MOST_TOKENS, alone=alone)
    return Mosaic(layers, heads, *cells, each, height, row_gap, left, top, across, whole)


def block_texts(texts: Sequence[str], starts: NDArray[np.int64]) -> list[str]:
    """Name what each cell stands for: a token, or the first and the last of several, fit for a hover text.

    Examples
    --------
    >>> block_texts(("a", "b", "c"), np.array([0, 2, 3]))
    ['a … b', 'c']
    """
    spans = (sorted({first, after - 1}) for first, after in pairwise(starts))
    return [" … ".join(tokens.full_label(texts[place]) for place in span) for span in spans]


def wrapped(text: str, width: float, size: int = NOTE_SIZE) -> tuple[str, ...]:
    """Break text of `size` pixels into lines that fit into `width` pixels."""
    return tuple(textwrap.wrap(text, max(int(width / (size * GLYPH_WIDTH)), 10)))
