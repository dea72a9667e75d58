"""Token axes and headings of panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.figures.drawing.colour_bar import bar_height, place_bar
from viz.figures.drawing.grid import GAP, GLYPH_WIDTH, TICK, Box, Grid, PanelSize, arrange
from viz.figures.drawing.headline import words_at
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE
from viz.text import tokens
from viz.text.language import broken_title

MOST_GAPPED_CELLS = 10  # in a row: with lines between cells Plotly draws them one by one
AXIS_TITLE_SIZE = NOTE_SIZE + 1
BROKEN_TITLE = 22  # characters of a line of an axis title that is wider than its axis
NOTE_GAP = "\u00a0· "  # between the notes of a panel
NARROW = 600  # pixels: labels of a figure as narrow as a phone are cut earlier
LONGEST_NARROW_LABEL = 14
BOLD_WIDTH = 0.6  # of a column of bold text, as a share of the font size
SHORT_AREA = 190  # pixels: beside fewer the title of the rows takes two lines


def longest_label(width: float) -> int:
    """Return the text columns that a label may take in a figure of `width` pixels."""
    return LONGEST_NARROW_LABEL if width < NARROW else tokens.LONGEST_LABEL


def panel_size(panel: Panel, longest: int) -> PanelSize:
    """Return what `panel` has to hold, its labels cut to `longest` columns of text."""
    labels = tuple(tokens.widest((text,), longest) for text in panel.keys.texts)
    widest = tokens.widest(panel.queries.texts, longest)
    return PanelSize(len(panel.queries), len(panel.keys), widest, labels, NOTE_GAP.join(panel.said))


def fitting_title(title: str, short: str, notes: Sequence[str], width: float) -> tuple[str, tuple[str, ...]]:
    """Return a panel's title and notes; a title wider than the figure goes to the notes, `short` replaces it."""
    fits = tokens.width(title) * TITLE_SIZE * GLYPH_WIDTH <= width
    return (title if fits else short), (tuple(notes) if fits else (title, *notes))


def cell_gap(weights: NDArray[np.float32]) -> int:
    """Return the pixels between the cells of a map.

    Shapes: `weights` [query, key].
    """
    return 1 if max(weights.shape) <= MOST_GAPPED_CELLS else 0


def token_axis(texts: Sequence[str], longest: int, *, every: int = 1, tick: int = TICK) -> dict[str, Any]:
    """Return an axis of integer positions, labelled: Plotly would merge equal labels into one row."""
    return {
        "type": "linear",
        "tickmode": "array",
        "tickvals": np.arange(0, len(texts), every),
        "ticktext": [tokens.label(text, longest) for text in texts[::every]],
        "ticks": "outside",
        "ticklen": tick,
        "tickcolor": "rgba(0,0,0,0)",
        "fixedrange": True,
        "automargin": False,
        "ticklabeloverflow": "allow",
    }


def panel_axes(panel: Panel, grid: Grid, box: Box, *, suffix: str, longest: int) -> dict[str, Any]:
    """Return the axes of panel `suffix`: a column a key, labelled above the cells; a row a query, from the top down.

    Their titles are those of `axis_titles`.
    """
    keys, queries = len(panel.keys), len(panel.queries)
    labels = {"side": "top", "tickangle": grid.angle, "tickfont": {"size": grid.column_font}}
    across = {"domain": grid.x_domain(box), "anchor": f"y{suffix}", "range": [-0.5, keys - 0.5]}
    down = {"domain": grid.y_domain(box), "anchor": f"x{suffix}", "range": [queries - 0.5, -0.5]}
    return {
        f"xaxis{suffix}": token_axis(panel.keys.texts, longest) | labels | across,
        f"yaxis{suffix}": token_axis(panel.queries.texts, longest) | down,
    }


AxisTitle = tuple[list[str], tuple[float, float]]
"""The lines of an axis title and its place in pixels from the upper left."""


def axis_places(panel: Panel, grid: Grid, box: Box) -> tuple[AxisTitle, AxisTitle]:
    """Return what the columns and the rows of `panel` are, in words, each with its place.

    That of the columns is the middle of its lower edge; that of the rows, which is turned to be read from below, the
    middle of its left edge.
    """
    room = box.right - box.left
    wide = tokens.width(panel.key_title) * GLYPH_WIDTH * AXIS_TITLE_SIZE > room
    columns = _broken(panel.key_title) if wide else [panel.key_title]
    high = box.bottom - box.top >= SHORT_AREA
    rows = panel.query_title if high else broken_title(panel.query_title)
    above, middle = box.top - TICK - grid.label_height, (box.top + box.bottom) / 2
    return (columns, (box.left + room / 2, above)), (rows.split("\n"), (box.head_left, middle))


def _broken(title: str) -> list[str]:
    """Return a title in two lines about as long as each other, or where words forbid it, in lines of `BROKEN_TITLE`."""
    halves = tokens.wrap(title, tokens.width(title) // 2 + 2)
    return halves if len(halves) <= 2 else tokens.wrap(title, BROKEN_TITLE)


def axis_titles(panel: Panel, grid: Grid, box: Box, *, suffix: str) -> list[dict[str, Any]]:
    """Return what `axis_places` returns of the panel `suffix`, as annotations named "x" and "y".

    Titles of Plotly's own axes would be placed by measuring every label in the page, which takes longer than drawing
    the maps.
    """
    anchors: tuple[dict[str, Any], ...] = (
        {"name": f"x{suffix}", "xanchor": "center", "yanchor": "bottom"},
        {"name": f"y{suffix}", "yanchor": "middle", "textangle": -90},
    )
    return [
        words_at("<br>".join(lines), x / grid.width, 1 - y / grid.height, size=AXIS_TITLE_SIZE, borderpad=0, **anchor)
        for (lines, (x, y)), anchor in zip(axis_places(panel, grid, box), anchors, strict=True)
    ]


def heading_size(title: str, grid: Grid) -> int:
    """Return the font size of the title of a panel, in pixels: as large as its width allows."""
    room = (grid.width + GAP) / grid.columns - GAP
    fitting = int(room / max(tokens.width(title) * BOLD_WIDTH, 1))
    return max(min(TITLE_SIZE, fitting), NOTE_SIZE)


def heading(title: str, grid: Grid, box: Box) -> dict[str, Any]:
    """Return the annotation that says what a panel shows, with its note in small."""
    note = "<br>".join(map(tokens.escape, box.note))
    small = f'<br><span style="font-size:{NOTE_SIZE}px">{note}</span>' if note else ""
    x, y = box.head_left / grid.width, 1 - box.head_top / grid.height
    return words_at(f"<b>{tokens.escape(title)}</b>{small}", x, y, size=heading_size(title, grid), align="left")


def any_cut(queries: TokenSequence, keys: TokenSequence, longest: int) -> bool:
    """Return whether an axis shows less than the whole of a token, so that hovering must."""
    return any(tokens.is_cut(text, longest) for text in (*queries.texts, *keys.texts))


def lay_out(
    panels: Sequence[Panel], colours: dict[str, Any], *, width: float, columns: int | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the layout of a figure of `panels`, and the suffix of each panel's axes ("", "2", ...)."""
    longest, legend = longest_label(width), bar_height(colours)
    grid = arrange([panel_size(each, longest) for each in panels], width=width, columns=columns, legend=legend)
    lower = grid.height - legend if len(panels) > grid.columns else 0.0
    axis = place_bar(colours, width=grid.width, height=grid.height, below=lower)
    layout = bare_layout(grid.width, grid.height) | {"coloraxis": axis}
    titles: list[dict[str, Any]] = []
    suffixes = tuple("" if number == 1 else str(number) for number in range(1, len(panels) + 1))
    for panel, box, suffix in zip(panels, grid.boxes, suffixes, strict=True):
        layout |= panel_axes(panel, grid, box, suffix=suffix, longest=longest)
        titles += axis_titles(panel, grid, box, suffix=suffix)
    headings = [heading(panel.title, grid, box) for panel, box in zip(panels, grid.boxes, strict=True)]
    return layout | {"annotations": headings + titles}, suffixes
