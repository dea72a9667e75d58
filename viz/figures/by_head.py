"""One number of every head as a grid: a row a layer, a column a head."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from models.trace import TokenSequence
from viz.figures.drawing.axes import fitting_title
from viz.figures.drawing.colour_bar import difference_colours, weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel
from viz.text.language import _
from viz.views.heads import HeadPlace


def numbers_by_head(
    values: Mapping[HeadPlace, float],
    *,
    title: str,
    meaning: str,
    largest: float | None = None,
    width: float = 1320,
) -> go.Figure:
    """Show a number of every head, a row a layer; with `largest` on a scale that goes at least so far either way."""
    signed = largest is not None
    layers = sorted({place.layer for place in values})
    heads = range(max(place.head for place in values) + 1)
    cells = np.array([[values.get(HeadPlace(layer, head), np.nan) for head in heads] for layer in layers], np.float32)
    largest = max(float(np.nanmax(np.abs(cells))), largest or 0.0, 0.01 if signed else 1.0)
    if signed:
        colours = difference_colours("linear", width=width, meaning=meaning, largest=largest)
    else:
        colours = weight_colours("linear", width=width, meaning=meaning, largest=largest)
    title, notes = fitting_title(title, _("Heads"), (), width)
    panel = Panel(
        title=title,
        notes=notes,
        queries=TokenSequence.from_words(map(str, layers)),
        keys=TokenSequence.from_words(map(str, heads)),
        query_title=_("layer"),
        key_title=_("head"),
        values=cells,
        cell=_cell,
        signed=signed,
    )
    return draw_panels([panel], colours, colour="linear", width=width, most_labelled=None)


def _cell(*, weight: str, query: str, key: str) -> str:
    return _("{weight} · layer {query}, head {key}", weight=weight, query=query, key=key)
