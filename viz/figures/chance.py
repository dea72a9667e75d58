"""Attention map whose cells within the chance band are grey."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.captions.maps import notes_of
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import Colour
from viz.text.language import _, _n
from viz.views.view import View


def chance_heatmap(
    view: View,
    beyond: NDArray[np.bool_],
    *,
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    expected: float,
    chance: str,
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show a map with the cells that chance would give as well in grey.

    Rows are queries, from the top down; columns are keys. Hovering gives the weight and the band of its cell.

    Shapes: `beyond` [query, key]; `low` [query, key]; `high` [query, key].
    """
    weights = view.weights
    for name, values in (("beyond", beyond), ("low", low), ("high", high)):
        if values.shape != weights.shape:
            message = f"{name}: got shape {values.shape}; expected that of the map, {weights.shape}"
            raise ValueError(message)
    meaning = _("attention weight, where it is outside what chance gives; grey: inside it")
    share = _n(
        "{some} of {count} cell outside (about {expected} expected by chance)",
        "{some} of {count} cells outside (about {expected} expected by chance)",
        beyond.size,
        some=int(beyond.sum()),
        expected=round(beyond.size * expected),
    )
    band = _("by chance {low} to {high}", low="%{customdata[1]:.4f}", high="%{customdata[2]:.4f}")
    panel = panel_of(
        view,
        title=view.title,
        notes=(chance, share, *notes_of(view)),
        extras=(low, high),
        closing=f"<br>{band}",
        grey=~beyond,
    )
    colours = weight_colours(colour, width=width, meaning=meaning)
    return draw_panels([panel], colours, colour=colour, width=width, most_labelled=None)
