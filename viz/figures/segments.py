"""The second segment of a text, and what it attends to in itself and in the segment before."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.figures.drawing.axes import fitting_title
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel
from viz.text.language import _


def segment_map(
    weights: NDArray[np.floating],
    keys: TokenSequence,
    *,
    title: str,
    memory: int,
    width: float = 900,
) -> go.Figure:
    """Show the weights of the second segment's tokens, the first `memory` keys being those of the segment before.

    Shapes: `weights` [query, key].
    """
    lead = weights.shape[1] - weights.shape[0]
    note = _("left of the line: the segment before") if memory else _("no memory: this segment alone")
    title, notes = fitting_title(title, _("Second segment"), (note,), width)
    panel = Panel(
        title=title,
        notes=notes,
        queries=TokenSequence.from_words(keys.texts[lead:]),
        keys=keys,
        query_title=_("query: token of the second segment"),
        key_title=_("key: token that it attends to"),
        values=np.asarray(weights, dtype=np.float32),
        cell=_cell,
        masked=np.tri(len(weights), len(keys), lead) == 0,
    )
    colours = weight_colours("linear", width=width)
    figure = draw_panels([panel], colours, colour="linear", width=width, most_labelled=None)
    if memory:
        figure.add_vline(x=memory - 0.5, line={"color": "#d55e00", "width": 2.5})
    return figure


def _cell(*, weight: str, query: str, key: str) -> str:
    return _("“{query}” gives “{key}” weight {weight}", query=query, key=key, weight=weight)
