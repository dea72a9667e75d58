"""Attention map whose cells within the chance band are grey."""

from __future__ import annotations

from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """What chance gives for the cells of a map."""

    low: NDArray[np.float32]  # [query, key]
    high: NDArray[np.float32]  # [query, key]
    beyond: NDArray[np.bool_]  # [query, key] Whether a weight is outside
    expected: float  # share of cells that are outside by chance


def chance_heatmap(view: View, band: Band, *, chance: str, colour: Colour = "linear", width: float = 1320) -> go.Figure:
    """Show a map with the cells that chance would give as well in grey.

    Rows are queries, from the top down; columns are keys. Hovering gives the weight and the band of its cell.
    """
    weights = view.weights
    for name, values in (("beyond", band.beyond), ("low", band.low), ("high", band.high)):
        if values.shape != weights.shape:
            message = f"{name}: got shape {values.shape}; expected that of the map, {weights.shape}"
            raise ValueError(message)
    meaning = _("attention weight outside the chance range; grey: within it")
    share = _n(
        "{some} of {count} cell outside the chance range (about {expected} expected by chance)",
        "{some} of {count} cells outside the chance range (about {expected} expected by chance)",
        band.beyond.size,
        some=int(band.beyond.sum()),
        expected=round(band.beyond.size * band.expected),
    )
    said = _("chance range: {low} to {high}", low="%{customdata[1]:.4f}", high="%{customdata[2]:.4f}")
    panel = panel_of(view, title=view.title, notes=(chance, share, *notes_of(view)))
    panel = replace(panel, extras=(band.low, band.high), closing=f"<br>{said}", grey=~band.beyond)
    colours = weight_colours(colour, width=width, meaning=meaning)
    return draw_panels([panel], colours, colour=colour, width=width, most_labelled=None)
