"""Similarity of all heads: pairwise divergence, clustered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from models.trace import AttentionTrace
from viz.captions.maps import common_notes
from viz.figures.drawing.colour_bar import bar_height, fitting_colours, place_bar
from viz.figures.drawing.grid import LINE_HEIGHT
from viz.figures.drawing.headline import LINE, headline, wrapped
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.theme import (
    CLEAR,
    NOTE_SIZE,
    PICKED_COLOUR,
    SMALLEST_FONT,
    TITLE_SIZE,
    divergence_axis,
)
from viz.measures.similarity import Similarity, head_similarity
from viz.text import tokens
from viz.text.language import _, _n
from viz.views.heads import HeadPlace, sites_at, views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit

NAMED_GUTTER = 136  # pixels for the names of heads and the title of an axis


GUTTER = 28  # pixels for the title alone, where cells are too small for names


LARGEST_CELL = 26


WIDEST = 1000  # pixels of all cells
NARROWEST = 576  # pixels of a figure, where there is room: its title and its note need them


def similarity_heatmap(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    hiding: Hiding = NOTHING,
    similarity: Similarity | None = None,
    picked: Sequence[HeadPlace] = (),
    width: float = 1320,
) -> go.Figure:
    """Show how differently every two heads read: dark where they read alike, like beside like.

    A click on a cell below the diagonal names its two heads: the selected point's ``x`` and ``y`` are what
    `Similarity.pair` takes.

    Parameters
    ----------
    trace : AttentionTrace
    sites, unit : optional
        As in `viz.figures.overview`.
    hiding : Hiding, optional
        As in `head_similarity`; the figure says what is left out.
    similarity : Similarity, optional
        What `head_similarity` gave; left out, it is computed.
    picked : sequence of HeadPlace, optional
        Heads whose rows and columns are marked.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        A heatmap, and over its cells below the diagonal markers that cannot be seen, to be clicked.

    Raises
    ------
    KeyError, ValueError
        As in `viz.figures.overview`.
    """
    view = views_at(trace, sites, unit, hiding)[0]
    found = head_similarity(trace, sites=sites, unit=unit, hiding=hiding) if similarity is None else similarity
    grid = _fit(len(found.places), width)
    notes = [*common_notes(view)]
    if not all(trace[site].rows_sum_to_one for site in sites_at(trace, sites)):
        notes.append(_("weight on no token counts as one more token"))
    layout = _layout(found, grid, notes) | {"meta": asdict(view.subject)}
    layout["shapes"] = [each for place in picked for each in _marks(found.places.index(place), grid.heads)]
    return go.Figure([_heatmap(found), _markers(found, grid.cell)], layout)


class _Square(NamedTuple):
    """Rows and columns of heads, in pixels."""

    heads: int  # rows, and columns
    cell: float  # of one cell and of all
    side: float  # of one cell and of all
    named: bool  # whether there is room for the name of each head
    gutter: float  # before the cells, for names and the title of an axis
    across: float  # of the whole figure


def _fit(count: int, width: float) -> _Square:
    """Fit `count` rows and columns into `width` pixels."""
    cell = min(LARGEST_CELL, min(width - NAMED_GUTTER, WIDEST) / max(count, 1))
    named = cell >= SMALLEST_FONT
    gutter = NAMED_GUTTER if named else GUTTER
    cell = cell if named else min(width - gutter, WIDEST) / max(count, 1)
    side = cell * count
    return _Square(count, cell, side, named, gutter, max(side + gutter, min(width, NARROWEST)))


def _layout(found: Similarity, grid: _Square, notes: Sequence[str]) -> dict[str, Any]:
    across, side = grid.across, grid.side
    meaning = _("Jensen-Shannon divergence, mean over queries: 0 same attention, 1 no token in common")
    colours = fitting_colours(divergence_axis(meaning), across)
    title = wrapped(_n("Similarity of {count} head", "Similarity of {count} heads", grid.heads), across, TITLE_SIZE)
    explained = _("similar heads are next to each other; dark: similar attention")
    note = wrapped("\u00a0· ".join((explained, *notes)), across)
    top = len(title) * TITLE_SIZE * LINE_HEIGHT + len(note) * LINE + grid.gutter
    height = top + side + bar_height(colours) + LINE
    ends = [-0.5, grid.heads - 0.5]
    columns, rows = _axis(found, grid, _("column: the other head")), _axis(found, grid, _("row: one head"))
    x_span = {"domain": [grid.gutter / across, min((grid.gutter + side) / across, 1)], "range": ends}
    y_span = {"domain": [max(1 - (top + side) / height, 0), 1 - top / height], "range": ends[::-1]}
    return bare_layout(across, height) | {
        "clickmode": "event+select",
        "xaxis": columns | x_span | {"side": "top", "tickangle": -90},
        "yaxis": rows | y_span,
        "coloraxis": place_bar(colours, width=across, height=height),
        "annotations": headline(title, note, height),
    }


def _axis(found: Similarity, grid: _Square, title: str) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": np.arange(grid.heads),
        "ticktext": [tokens.escape(place.title) for place in found.places],
        "tickfont": {"size": max(SMALLEST_FONT, min(NOTE_SIZE, int(grid.cell - 1)))},
        "showticklabels": grid.named,
        "fixedrange": True,
        "automargin": False,
        "title": {"text": title, "font": {"size": NOTE_SIZE + 1}, "standoff": 4},
    }


def _hover(value: str) -> str:
    return f"<b>{value}</b><br>" + _("{one} and {other}", one="%{y}", other="%{x}") + "<extra></extra>"


def _heatmap(found: Similarity) -> go.Heatmap:
    z = found.divergence.astype(np.float32)
    return go.Heatmap(z=z, coloraxis="coloraxis", hovertemplate=_hover("%{z:.3f}"))


def _markers(found: Similarity, cell: float) -> go.Scatter:
    """Return markers to click, which Plotly has none of on a heatmap; a cell above the diagonal repeats one below."""
    rows, columns = np.tril_indices(len(found.places), k=-1)
    return go.Scatter(
        x=columns.astype(np.int16),
        y=rows.astype(np.int16),
        customdata=found.divergence[rows, columns].astype(np.float32),
        mode="markers",
        marker={"symbol": "square", "size": max(cell, 1), "color": CLEAR, "line": {"width": 0}},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=_hover("%{customdata:.3f}"),
        showlegend=False,
    )


def _marks(number: int, count: int) -> list[dict[str, Any]]:
    """Return frames around the row and the column of a head."""
    line = {"color": PICKED_COLOUR, "width": 2}
    near, far, end = number - 0.5, number + 0.5, count - 0.5
    across = {"x0": -0.5, "x1": end, "y0": near, "y1": far}
    down = {"x0": near, "x1": far, "y0": -0.5, "y1": end}
    return [{"type": "rect", "line": line, **corners} for corners in (across, down)]
