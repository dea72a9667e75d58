"""Positional encodings: values, and similarity of two positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.colour_bar import bar_height, difference_colours, place_bar
from viz.figures.drawing.headline import words_at
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.theme import HEAD_COLOURS, NOTE_SIZE, TITLE_SIZE
from viz.text import tokens
from viz.text.counting import FIRST_POSITION
from viz.text.language import _, _n

ROW_HEIGHT = 9
TOP, LEFT, BOTTOM = 46, 62, 52  # pixels for the title, the axis of positions and the axis of components
LINE_HEIGHT = 320


def position_encoding(encoding: NDArray[np.floating[Any]], *, width: float = 1320) -> go.Figure:
    """Show what is added to the token at each position: a row a position, a column a component, from -1 to 1.

    Shapes: `encoding` [position, d_model].
    """
    count, size = encoding.shape
    meaning = _("what is added to the token, from -1 to 1")
    colours = difference_colours("linear", width=width, meaning=meaning)
    area = max(count * ROW_HEIGHT, 150)
    height = TOP + area + BOTTOM + bar_height(colours)
    title = _n("{count} position, {size} numbers each", "{count} positions, {size} numbers each", count, size=size)
    layout = titled_layout(title, width, height) | {
        "coloraxis": place_bar(colours, width=width, height=height),
        "xaxis": named_axis(_("component: slower waves to the right"))
        | {"domain": [LEFT / width, 1], "anchor": "y", "range": [-0.5, size - 0.5]},
        "yaxis": named_axis(_("position"))
        | {
            "domain": [1 - (TOP + area) / height, 1 - TOP / height],
            "anchor": "x",
            "range": [count - 0.5 + FIRST_POSITION, FIRST_POSITION - 0.5],
        },
    }
    hover = _("<b>{value}</b><br>position {row}, component {column}", value="%{z:.4f}", row="%{y}", column="%{x}")
    heatmap = go.Heatmap(
        z=np.asarray(encoding, dtype=np.float32),
        y0=FIRST_POSITION,
        coloraxis="coloraxis",
        hovertemplate=f"{hover}<extra></extra>",
    )
    return go.Figure(heatmap, layout)


def dot_products(encoding: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Return the dot product of two positions by their distance.

    Shapes: `encoding` [position, d_model]; returns [distance].
    """
    exact = np.asarray(encoding, dtype=np.float64)
    products = exact @ exact.T
    count = len(exact)
    distances = np.arange(1 - count, count)
    bands = [np.diagonal(products, offset=int(distance)) for distance in distances]
    means = np.array([band.mean() for band in bands])
    spread = max(float(np.abs(band - mean).max()) for band, mean in zip(bands, means, strict=True))
    return distances, means, spread


def dot_products_by_distance(encoding: NDArray[np.floating[Any]], *, width: float = 1320) -> go.Figure:
    """Show how alike the encodings of two positions are, by how far apart the positions stand.

    Shapes: `encoding` [position, d_model].
    """
    distances, means, _spread = dot_products(encoding)
    height = TOP + LINE_HEIGHT + BOTTOM
    layout = titled_layout(_("Similarity of two positions"), width, height) | {
        "xaxis": named_axis(_("distance between the two positions"))
        | {"domain": [LEFT / width, 0.995], "anchor": "y", "nticks": 9},
        "yaxis": named_axis(_("dot product"))
        | {"domain": [BOTTOM / height, 1 - TOP / height], "anchor": "x", "showgrid": True, "nticks": 6}
        | {"gridcolor": "rgba(128,128,128,0.25)", "rangemode": "tozero"},
    }
    hover = _("<b>{value}</b> at distance {distance}", value="%{y:.2f}", distance="%{x}")
    line = go.Scatter(
        x=distances,
        y=means,
        mode="lines+markers",
        line={"color": HEAD_COLOURS[0], "width": 2},
        marker={"size": 5},
        hovertemplate=f"{hover}<extra></extra>",
    )
    return go.Figure(line, layout)


def titled_layout(title: str, width: float, height: float) -> dict[str, Any]:
    """Return the layout of a figure under its title."""
    heading = words_at(f"<b>{tokens.escape(title)}</b>", 0, 1, size=TITLE_SIZE)
    return bare_layout(width, height) | {"annotations": [heading], "showlegend": False}


def named_axis(title: str) -> dict[str, Any]:
    """Return an axis that says in words what it shows."""
    return {
        "title": {"text": title, "font": {"size": NOTE_SIZE + 1}, "standoff": 6},
        "tickfont": {"size": NOTE_SIZE},
        "fixedrange": True,
        "automargin": False,
    }
