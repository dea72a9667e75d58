"""Map of effects: what each source word is worth to each generated word."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.figures.drawing.axes import fitting_title
from viz.figures.drawing.colour_bar import difference_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import Colour
from viz.text.language import _


def effect_heatmap(
    losses: NDArray[np.floating],
    queries: TokenSequence,
    keys: TokenSequence,
    *,
    title: str,
    axes: tuple[str, str] | None = None,
    without: str | None = None,
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show how much less likely each written word is without each source word: purple, more likely: orange.

    Of a classifier: the class that it tells without each word, or without each hop.

    Shapes: `losses` [query, key].
    """
    if losses.shape != (len(queries), len(keys)):
        message = f"losses: got shape {losses.shape}; expected {(len(queries), len(keys))} from its tokens"
        raise ValueError(message)
    largest = max(float(np.abs(losses).max(initial=0.0)), 0.01)
    meaning = _("loss of log-probability without this word, in nats; the scale ends at {most}", most=f"{largest:.2f}")
    if without is not None:
        meaning = _("loss of log-probability without it, in nats; the scale ends at {most}", most=f"{largest:.2f}")
    title, notes = fitting_title(title, _("Effect"), (without or _("each word left out in turn"),), width)
    query_title, key_title = axes or (_("the word being written"), _("the source word left out"))
    values = np.asarray(losses, dtype=np.float32)
    panel = Panel(
        title=title,
        notes=notes,
        queries=queries,
        keys=keys,
        query_title=query_title,
        key_title=key_title,
        values=values,
        cell=_cell,
        signed=True,
    )
    colours = difference_colours(colour, width=width, meaning=meaning, largest=largest)
    return draw_panels([panel], colours, colour=colour, width=width, most_labelled=None)


def _cell(*, weight: str, query: str, key: str) -> str:
    """Say how much log-probability was lost."""
    return _("“{query}” without “{key}”: {loss} nats lost", loss=weight, query=query, key=key)
