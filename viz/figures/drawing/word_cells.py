"""A grid of words: each cell names a word, its colour is the word's share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.colour_bar import NUMBERS_HEIGHT, bar_height, place_bar, weight_colours
from viz.figures.drawing.lines import TITLE_HEIGHT, headed
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, WINDOW_COLOUR, template
from viz.text import tokens

ROW, LEFT, RIGHT = 26, 108, 8
"""Pixels of a row, of the names of the rows and right of all."""

LONGEST = 14  # columns of text of a word
HEADER, BELOW = 28, 16  # pixels of the columns' names, and between the rows and the colour bar


@dataclass(frozen=True, slots=True)
class WordCells:
    """What stands in a grid of words."""

    title: str
    meaning: str  # of the colour
    hover: str  # of a cell
    rows: Sequence[str]  # what each is called, escaped
    columns: Sequence[str]
    shares: Sequence[Sequence[float]]  # [row, column]
    words: Sequence[Sequence[str]]  # [row, column] As they are drawn
    told: Sequence[Sequence[Any]]  # [row, column] What the hover text says of each, its `customdata`
    framed: Sequence[tuple[int, int]] = ()  # rows and columns
    axes: tuple[str, str] = ("", "")  # titles of the rows and the columns
    largest: float = 1.0  # share of the darkest colour


def word_of(text: str) -> str:
    """Return a word as a cell shows it."""
    return tokens.escape(tokens.shorten(tokens.visible(text), LONGEST))


def draw_word_cells(cells: WordCells, *, width: float) -> go.Figure:
    """Show the words, darker where their share is larger, some framed."""
    colours = weight_colours("linear", width=width, meaning=cells.meaning, largest=cells.largest)
    top = TITLE_HEIGHT + HEADER + HEADER * bool(cells.axes[1])
    height = top + ROW * len(cells.rows) + bar_height(colours) + BELOW
    colours = place_bar(colours, width=width, height=height)
    rows = list(range(len(cells.rows)))
    heatmap = go.Heatmap(  # its colours are its own: no printer draws the words in its cells
        z=cells.shares,
        text=cells.words,
        customdata=cells.told,
        x=cells.columns,
        y=rows,
        colorscale=colours["colorscale"],
        zmin=0,
        zmax=cells.largest,
        colorbar=colours["colorbar"] | _below_left(len(rows), width, height - top),
        texttemplate="%{text}",
        textfont={"size": NOTE_SIZE},
        xgap=2,
        ygap=2,
        hovertemplate=f"{cells.hover}<extra></extra>",
    )
    return go.Figure([heatmap], _layout(cells, (width, top, height)))


def _below_left(rows: int, width: float, below_title: float) -> dict[str, float]:
    """Return where the colour bar is, in shares of the cells' width and height: below them, at the left."""
    cells = ROW * rows
    return {"x": -LEFT / (width - LEFT - RIGHT), "y": (NUMBERS_HEIGHT - (below_title - cells)) / cells}


def _layout(cells: WordCells, size: tuple[float, int, float]) -> dict[str, Any]:
    width, top, height = size
    frames = [
        {
            "type": "rect",
            "x0": column - 0.5,
            "x1": column + 0.5,
            "y0": row - 0.5,
            "y1": row + 0.5,
            "line": {"color": WINDOW_COLOUR, "width": 2.5},
        }
        for row, column in cells.framed
    ]
    axis = {"fixedrange": True, "tickfont": {"size": NOTE_SIZE}}
    across, down = ({"text": each, "font": {"size": FONT_SIZE}, "standoff": 6} for each in reversed(cells.axes))
    names = {"tickvals": list(range(len(cells.rows))), "ticktext": list(cells.rows)}
    return {
        "template": template(),
        "width": width,
        "height": height,
        "margin": {"l": LEFT, "r": RIGHT, "t": top, "b": height - top - ROW * len(cells.rows)},
        "title": headed(cells.title),
        "xaxis": axis | {"side": "top", "type": "category", "title": across},
        "yaxis": axis | {"autorange": "reversed", "title": down, **names},
        "font": {"size": FONT_SIZE},
        "shapes": frames,
    }
