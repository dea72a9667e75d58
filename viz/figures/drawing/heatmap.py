"""What all heatmaps with a token a row and a token a column have in common: axes, headings, the colour bar's place."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.figures.drawing.panels import GAP, GLYPH_WIDTH, LINE_HEIGHT, TICK, Box, Grid, PanelSize, arrange
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE, template
from viz.text import tokens

LEGEND_HEIGHT = 72  # pixels of the colour bar with its title and numbers
LEGEND_WIDTH = 420
NUMBERS_HEIGHT = 26  # pixels of the numbers under it
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


def panel_size(queries: TokenSequence, keys: TokenSequence, *, note: str, longest: int) -> PanelSize:
    """Return what a panel with these rows and columns has to hold."""
    labels = tuple(tokens.widest((text,), longest) for text in keys.texts)
    return PanelSize(len(queries), len(keys), tokens.widest(queries.texts, longest), labels, note)


def wrapped_legend(colours: dict[str, Any], width: float) -> tuple[dict[str, Any], float]:
    """Return a colour axis whose title fits over its bar in a figure of `width` pixels, and the height it takes.

    A title that has lines already keeps them.
    """
    bar = colours["colorbar"]
    room = min(LEGEND_WIDTH, width - 20)
    lines = str(bar["title"]["text"]).split("<br>")
    if len(lines) == 1:
        lines = [tokens.escape(line) for line in textwrap.wrap(lines[0], int(room / (NOTE_SIZE * GLYPH_WIDTH)))]
    title = bar["title"] | {"text": "<br>".join(lines)}
    height = LEGEND_HEIGHT + max(len(lines) - 1, 0) * NOTE_SIZE * LINE_HEIGHT
    return colours | {"colorbar": bar | {"title": title}}, height


def fitting_title(title: str, short: str, notes: Sequence[str], width: float) -> tuple[str, tuple[str, ...]]:
    """Return a panel's title and notes; a title wider than `width` pixels goes to the notes, `short` replaces it."""
    fits = tokens.width(title) * TITLE_SIZE * GLYPH_WIDTH <= width
    return (title if fits else short), (tuple(notes) if fits else (title, *notes))


def base_layout(grid: Grid, colours: dict[str, Any], *, stacked: bool, legend: float = LEGEND_HEIGHT) -> dict[str, Any]:
    """Return the layout of a figure of `grid`, its colour bar below one row of panels, above several.

    `legend` is the height that `arrange` kept free for the bar.
    """
    lower = grid.height - legend if stacked else 0
    place = {"x": 0.0, "xanchor": "left", "y": (lower + NUMBERS_HEIGHT) / grid.height, "yanchor": "bottom"}
    bar = colours["colorbar"] | {"len": min(LEGEND_WIDTH, grid.width - 20), "xpad": 8, "ypad": 0, **place}
    return {
        "template": template(),
        "width": grid.width,
        "height": grid.height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False},
        "coloraxis": colours | {"colorbar": bar},
    }


def cell_gap(weights: NDArray[np.float32]) -> int:
    """Return the pixels between the cells of a map."""
    return 1 if max(weights.shape) <= MOST_GAPPED_CELLS else 0


def _axis(sequence: TokenSequence, longest: int, *, domain: tuple[float, float], anchor: str) -> dict[str, Any]:
    """Return an axis of integer positions: Plotly would merge equal labels into one row."""
    count = len(sequence)
    return {
        "type": "linear",
        "domain": domain,
        "anchor": anchor,
        "tickmode": "array",
        "tickvals": np.arange(count),
        "ticktext": [tokens.label(text, longest) for text in sequence.texts],
        "ticks": "outside",
        "ticklen": TICK,
        "tickcolor": "rgba(0,0,0,0)",
        "fixedrange": True,
        "automargin": False,
        "ticklabeloverflow": "allow",
    }


@dataclass(frozen=True, slots=True)
class Panel:
    """One map of a figure, as its axes and its heading need it.

    Parameters
    ----------
    title : str
    notes : tuple of str
        Small text under the title.
    queries, keys : TokenSequence
        What labels the rows and the columns.
    query_title, key_title : str
        What they are, in words.
    """

    title: str
    notes: tuple[str, ...]
    queries: TokenSequence
    keys: TokenSequence
    query_title: str
    key_title: str


def panel_axes(panel: Panel, grid: Grid, box: Box, *, suffix: str, longest: int) -> dict[str, Any]:
    """Return the axes of panel `suffix`: a column a key, labelled above the cells; a row a query, from the top down.

    Their titles are those of `axis_titles`.
    """
    keys, queries = len(panel.keys), len(panel.queries)
    columns = _axis(panel.keys, longest, domain=grid.x_domain(box), anchor=f"y{suffix}")
    rows = _axis(panel.queries, longest, domain=grid.y_domain(box), anchor=f"x{suffix}")
    labels = {"side": "top", "tickangle": grid.angle, "tickfont": {"size": grid.column_font}}
    return {
        f"xaxis{suffix}": columns | labels | {"range": [-0.5, keys - 0.5]},
        f"yaxis{suffix}": rows | {"range": [queries - 0.5, -0.5]},
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
    columns = textwrap.wrap(panel.key_title, BROKEN_TITLE) if wide else [panel.key_title]
    high = box.bottom - box.top >= SHORT_AREA
    rows = panel.query_title if high else panel.query_title.replace(": ", ":\n", 1)
    above, middle = box.top - TICK - grid.label_height, (box.top + box.bottom) / 2
    return (columns, (box.left + room / 2, above)), (rows.split("\n"), (box.head_left, middle))


def axis_titles(panel: Panel, grid: Grid, box: Box, *, suffix: str) -> list[dict[str, Any]]:
    """Return what `axis_places` gives of the panel `suffix`, as annotations named "x" and "y".

    Titles of Plotly's own axes would be placed by measuring every label in the page, which takes longer than drawing
    the maps.
    """
    shared = {"xref": "paper", "yref": "paper", "showarrow": False, "borderpad": 0, "font": {"size": AXIS_TITLE_SIZE}}
    anchors: tuple[dict[str, Any], ...] = (
        {"name": f"x{suffix}", "xanchor": "center", "yanchor": "bottom"},
        {"name": f"y{suffix}", "xanchor": "left", "yanchor": "middle", "textangle": -90},
    )
    return [
        {"text": "<br>".join(lines), "x": x / grid.width, "y": 1 - y / grid.height, **anchor, **shared}
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
    return {
        "text": f"<b>{tokens.escape(title)}</b>{small}",
        "x": box.head_left / grid.width,
        "y": 1 - box.head_top / grid.height,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "align": "left",
        "showarrow": False,
        "font": {"size": heading_size(title, grid)},
    }


def any_cut(queries: TokenSequence, keys: TokenSequence, longest: int) -> bool:
    """Return whether an axis shows less than the whole of a token, so that hovering must."""
    return any(tokens.is_cut(text, longest) for text in (*queries.texts, *keys.texts))


def lay_out(
    panels: Sequence[Panel], colours: dict[str, Any], *, width: float, columns: int | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the layout of a figure of `panels`, and the suffix of each panel's axes ("", "2", ...).

    Parameters
    ----------
    panels : sequence of Panel
        At least one.
    colours : dict
        The colour axis that all share.
    width : float
        Pixels at which the figure will be shown.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    """
    longest = longest_label(width)
    colours, legend = wrapped_legend(colours, width)
    sizes = [panel_size(each.queries, each.keys, note=NOTE_GAP.join(each.notes), longest=longest) for each in panels]
    grid = arrange(sizes, width=width, columns=columns, legend=legend)
    layout = base_layout(grid, colours, stacked=len(panels) > grid.columns, legend=legend)
    titles: list[dict[str, Any]] = []
    suffixes = tuple("" if number == 1 else str(number) for number in range(1, len(panels) + 1))
    for panel, box, suffix in zip(panels, grid.boxes, suffixes, strict=True):
        layout |= panel_axes(panel, grid, box, suffix=suffix, longest=longest)
        titles += axis_titles(panel, grid, box, suffix=suffix)
    headings = [heading(panel.title, grid, box) for panel, box in zip(panels, grid.boxes, strict=True)]
    return layout | {"annotations": headings + titles}, suffixes
