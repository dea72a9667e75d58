"""Which weights are more than chance gives: a map whose cells inside the band of chance are grey."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.captions.maps import notes_of
from viz.figures.drawing.heatmap import Panel, cell_gap, lay_out
from viz.figures.drawing.theme import Colour, coloured, weight_axis
from viz.text import tokens
from viz.text.language import _, _n
from viz.views.view import View

GREYS = ((0.0, "#f1f1f1"), (1.0, "#a8a8a8"))
"""Of the cells inside the band: paler to darker by their weight."""


def rows_without(beyond: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the rows, of a map [query, key], in which no cell lies beyond the band."""
    return tuple(int(row) for row in np.flatnonzero(~beyond.any(axis=1)))


def chance_heatmap(
    view: View,
    beyond: NDArray[np.bool_],
    *,
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    chance: str,
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show a map with the cells that chance would give as well in grey.

    Rows are queries, from the top down; columns are keys. Hovering gives the weight and the band of its cell.

    Parameters
    ----------
    view : View
    beyond : bool array, [query, key]
        Where the weight lies outside the band of its cell.
    low, high : float32 array, [query, key]
        The bounds of the band.
    chance : str
        What gave the band, in words.
    colour : {"linear", "root"}, optional
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the arrays are not of the shape of the map.
    """
    weights = view.weights
    for name, values in (("beyond", beyond), ("low", low), ("high", high)):
        if values.shape != weights.shape:
            message = f"{name}: got shape {values.shape}; expected that of the map, {weights.shape}"
            raise ValueError(message)
    meaning = _("attention weight, where it is outside the central 95% of chance; grey: inside it")
    share = _n("{some} of {count} cell outside", "{some} of {count} cells outside", beyond.size, some=int(beyond.sum()))
    notes, shown = (chance, share, *notes_of(view)), view.shown
    panel = Panel(view.title, notes, shown.query_tokens, shown.key_tokens, view.query_title, view.key_title)
    layout, _suffixes = lay_out([panel], weight_axis(meaning, colour=colour), width=width)
    values, gap = coloured(weights, colour), cell_gap(weights)
    common = {
        "customdata": _hover(view, low, high),
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": gap,
        "ygap": gap,
    }
    inside = go.Heatmap(
        z=np.where(beyond, np.nan, values),
        colorscale=GREYS,
        zmin=0,
        zmax=1,
        showscale=False,
        name=_("inside"),
        **common,
    )
    outside = go.Heatmap(z=np.where(beyond, values, np.nan), coloraxis="coloraxis", name=_("outside"), **common)
    return go.Figure([inside, outside], layout)


def _hover(view: View, low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.object_]:
    texts = np.empty(low.shape, dtype=object)
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    for query, key in np.ndindex(*texts.shape):
        cell = view.cell(
            weight=f"<b>{view.weights[query, key]:.4f}</b>",
            query=f"<b>{tokens.full_label(queries[query])}</b>",
            key=f"<b>{tokens.full_label(keys[key])}</b>",
        )
        band = _("by chance {low} to {high}", low=f"{low[query, key]:.4f}", high=f"{high[query, key]:.4f}")
        texts[query, key] = f"{cell}<br>{band}"
    return texts


def sentence_of_chance(view: View, beyond: NDArray[np.bool_]) -> str:
    """Say how much of a map is more than chance, and name the rows of which nothing is."""
    texts: Sequence[str] = view.shown.query_tokens.texts
    empty = [f"“{tokens.visible(texts[row])}”" for row in rows_without(beyond)]
    said = _n(
        "{some} of {count} weight is outside what chance gives.",
        "{some} of {count} weights are outside what chance gives.",
        beyond.size,
        some=int(beyond.sum()),
    )
    if not empty:
        return said
    return said + " " + _("Nothing is left of the rows of {words}.", words=", ".join(empty))
