"""Learnt vectors of relative positions: similarity, norm, contribution to a score (Shaw et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.captions.maps import notes_of
from viz.figures.drawing.axes import fitting_title
from viz.figures.drawing.colour_bar import difference_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel, panel_of
from viz.figures.drawing.theme import HEAD_COLOURS, NOTE_SIZE
from viz.figures.positions import BOTTOM, LEFT, LINE_HEIGHT, TOP, named_axis, titled_layout
from viz.measures.distances import cosines
from viz.text import tokens
from viz.text.language import _
from viz.views.view import View

FAINT = "rgba(128,128,128,0.55)"
"""Of the heads that are not picked."""

Numbers = NDArray[np.floating[Any]]


def signed(distance: int) -> str:
    """Return a distance with its sign, as axes name it."""
    return f"{distance:+d}".replace("-", "\u2212") if distance else "0"


def distance_cosines(tables: Mapping[str, Numbers], distances: NDArray[np.int64], *, width: float = 1320) -> go.Figure:
    """Show how alike the vectors of every two distances are: a map a table, from -1 to 1.

    Shapes: `tables` [distance, d_head]; `distances` [distance].
    """
    meaning = _("cosine of two vectors: 1 same direction, 0 at right angles, below 0 opposing")
    labels = TokenSequence.from_words(map(signed, distances.tolist()))
    panels = []
    for name, vectors in tables.items():
        title, notes = fitting_title(name, name, (), width / len(tables))
        panels.append(
            Panel(
                title=title,
                notes=notes,
                queries=labels,
                keys=labels,
                query_title=_("distance: key minus query, in tokens"),
                key_title=_("another distance"),
                values=cosines(vectors),
                cell=_cosine,
                signed=True,
            )
        )
    colours = difference_colours("linear", width=width, meaning=meaning)
    return draw_panels(panels, colours, colour="linear", width=width, most_labelled=None)


def _cosine(*, weight: str, query: str, key: str) -> str:
    return _("{weight}: cosine of distance {query} and distance {key}", weight=weight, query=query, key=key)


def distance_norms(tables: Mapping[str, Numbers], distances: NDArray[np.int64], *, width: float = 1320) -> go.Figure:
    """Show how long the vector of each distance is: a line a table."""
    lines = {name: np.linalg.norm(np.asarray(vectors, np.float64), axis=1) for name, vectors in tables.items()}
    drawn = [_line(name, distances, each, HEAD_COLOURS[place]) for place, (name, each) in enumerate(lines.items())]
    layout = _lines_layout(_("Lengths of the vectors"), _("norm of the vector"), width)
    layout["yaxis"]["rangemode"] = "tozero"
    return go.Figure(drawn, layout)


def distance_biases(values: Numbers, distances: NDArray[np.int64], *, head: int, width: float = 1320) -> go.Figure:
    """Show what each distance adds to a score, on average over a text: a line a head, the picked one in colour.

    Shapes: `values` [head, distance]; `distances` [distance].
    """
    order = [*(each for each in range(len(values)) if each != head), head]  # the picked one is drawn over the others
    lines = [
        _line(_("head {head}", head=each), distances, values[each], HEAD_COLOURS[0] if each == head else FAINT)
        for each in order
    ]
    title = _("What a distance adds to the score, head {head}; other heads in grey", head=head)
    return go.Figure(lines, _lines_layout(title, _("added to the score"), width) | {"showlegend": False})


def _line(name: str, distances: NDArray[np.int64], values: Numbers, colour: str) -> go.Scatter:
    hover = _("<b>{value}</b> at distance {distance}", value="%{y:.3f}", distance="%{x}")
    return go.Scatter(
        x=distances,
        y=values,
        name=tokens.escape(name),
        mode="lines+markers",
        line={"color": colour, "width": 1.5 if colour == FAINT else 2.5},
        marker={"size": 4 if colour == FAINT else 6},
        hovertemplate=f"{tokens.escape(name)}: {hover}<extra></extra>",
    )


def _lines_layout(title: str, meaning: str, width: float) -> dict[str, Any]:
    height = TOP + LINE_HEIGHT + BOTTOM
    grid = {"showgrid": True, "gridcolor": "rgba(128,128,128,0.25)", "zeroline": True}
    return titled_layout(title, width, height) | {
        "xaxis": named_axis(_("distance: key minus query, in tokens"))
        | {"domain": [LEFT / width, 0.995], "anchor": "y", "nticks": 9},
        "yaxis": named_axis(meaning)
        | {"domain": [BOTTOM / height, 1 - TOP / height], "anchor": "x", "nticks": 6, **grid},
        "showlegend": True,
        "legend": {"x": 1, "xanchor": "right", "y": BOTTOM / height, "yanchor": "bottom", "font": {"size": NOTE_SIZE}},
    }


def score_parts_heatmap(view: View, words: Numbers, distance: Numbers, *, width: float = 1320) -> go.Figure:
    """Show the part of each score that the words give beside the part that the distance gives, on one scale.

    Shapes: `words` [query, key]; `distance` [query, key].
    """
    largest = max(float(np.nanmax(np.abs(each))) for each in (words, distance)) or 1.0
    meaning = _("part of the score before the softmax: above 0 raises the weight of this token, below 0 lowers it")
    colours = difference_colours("linear", width=width, meaning=meaning, largest=largest)
    panels = []
    for title, values in ((_("From the words: q k"), words), (_("From the distance: q a^K"), distance)):
        fitting, notes = fitting_title(title, title, tuple(notes_of(view)), width / 2)
        panel = panel_of(view, title=fitting, notes=notes)
        panels.append(replace(panel, values=np.asarray(values, np.float32), signed=True))
    return draw_panels(panels, colours, colour="linear", width=width, most_labelled=None)
