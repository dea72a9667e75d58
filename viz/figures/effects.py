"""What each source word is worth to each written word: a map of effects, not of weights."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.captions.differences import signed
from viz.figures.drawing.heatmap import Panel, cell_gap, fitting_title, lay_out
from viz.figures.drawing.theme import Colour, coloured, difference_axis
from viz.text import tokens
from viz.text.language import _


def effect_heatmap(
    losses: NDArray[np.floating],
    queries: TokenSequence,
    keys: TokenSequence,
    *,
    title: str,
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show how much less likely each written word is without each source word: purple, more likely: orange.

    Parameters
    ----------
    losses : array, [query, key]
        Log-probability (nats) with all words, less that without the key.
    queries, keys : TokenSequence
        What was written, and what was left out.
    title : str
        Of the model.
    colour : {"linear", "root"}, optional
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        The colour scale ends at the largest change, which its title names.

    Raises
    ------
    ValueError
        If `losses` has not a row a query and a column a key.
    """
    if losses.shape != (len(queries), len(keys)):
        message = f"losses: got shape {losses.shape}; expected {(len(queries), len(keys))} from its tokens"
        raise ValueError(message)
    largest = max(float(np.abs(losses).max(initial=0.0)), 0.01)
    meaning = _("loss of log-probability without this word, in nats; the scale ends at {most}", most=f"{largest:.2f}")
    title, notes = fitting_title(title, _("Effect"), (_("each word left out in turn"),), width)
    panel = Panel(title, notes, queries, keys, _("the word being written"), _("the source word left out"))
    layout, _suffixes = lay_out([panel], difference_axis(meaning, largest=largest, colour=colour), width=width)
    gap = cell_gap(np.asarray(losses, dtype=np.float32))
    heatmap = go.Heatmap(
        z=coloured(losses, colour),
        customdata=_hover(losses, queries, keys),
        coloraxis="coloraxis",
        xgap=gap,
        ygap=gap,
        hovertemplate="%{customdata}<extra></extra>",
    )
    return go.Figure([heatmap], layout)


def _hover(losses: NDArray[np.floating], queries: TokenSequence, keys: TokenSequence) -> NDArray[np.object_]:
    texts = np.empty(losses.shape, dtype=object)
    for query, key in np.ndindex(*losses.shape):
        texts[query, key] = _(
            "<b>{change}</b> nats for “<b>{query}</b>” without “<b>{key}</b>”",
            change=signed(-float(losses[query, key])),
            query=tokens.full_label(queries.texts[query]),
            key=tokens.full_label(keys.texts[key]),
        )
    return texts
