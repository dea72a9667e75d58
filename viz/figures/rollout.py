"""Attention rollout as a map: share of each input token in each token after several layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from models.trace import AttentionMap, AttentionTrace
from viz.captions.maps import common_notes
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import Colour
from viz.measures.rollout import rollout
from viz.text.language import _
from viz.views.heads import views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit, View, hide, masked_cells


def rollout_view(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    layer: int | None = None,
    unit: Unit = "word",
    hiding: Hiding = NOTHING,
) -> View:
    """Return attention rollout as a view, computed on the pieces that the model reads and merged to words after."""
    views = views_at(trace, sites, "piece")
    layers = [view.shown.site.layer for view in views]
    last = layers[-1] if layer is None else layer
    if views[0].shown.site.kind != "self" or layers[: last + 1] != list(range(last + 1)) or last not in layers:
        found = ", ".join(str(view.shown.site) for view in views)
        message = f"rollout follows self-attention from layer 0 through layer {last}; captured: {found}"
        raise ValueError(message)
    view = views[last]
    values = rollout([each.shown.weights for each in views[: last + 1]])[-1:].astype(np.float32)  # [1, query, key]
    pieces = AttentionMap(
        view.shown.site,
        values,
        view.shown.query_tokens,
        view.shown.key_tokens,
        rows_sum_to_one=all(each.shown.rows_sum_to_one for each in views[: last + 1]),
        causal=all(each.shown.causal for each in views[: last + 1]),
    )
    shown = pieces.to_words() if unit == "word" else pieces
    merged = shown.weights.shape != pieces.weights.shape
    return hide(
        replace(view, shown=shown, unit=unit, merged=merged, quantity="rollout", masked=masked_cells(shown)), hiding
    )


def rollout_heatmap(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    layer: int | None = None,
    unit: Unit = "word",
    colour: Colour = "linear",
    hiding: Hiding = NOTHING,
    width: float = 1320,
) -> go.Figure:
    """Show how much of each input token is in each token after a layer: attention rollout, from 0 to 1.

    It is computed from the weights of all layers up to there; it is no weight of the model, and says so. Rows are
    tokens after the layer, columns the tokens of the input.

    Parameters
    ----------
    trace : AttentionTrace
    sites, layer, unit, hiding : optional
        As in `rollout_view`.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the share or for its square root. All numbers are shares.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    KeyError, ValueError
        As in `rollout_view`.

    References
    ----------
    Abnar & Zuidema 2020, Quantifying Attention Flow in Transformers.
    """
    view = rollout_view(trace, sites=sites, layer=layer, unit=unit, hiding=hiding)
    last = view.shown.site.layer
    notes = (
        _("computed, not a weight of the model: each layer is assumed to keep half of a token and take half from"),
        _("what its heads move on average (Abnar & Zuidema 2020 take attention; moved: Kobayashi et al. 2020)")
        if trace.quantity == "moved"
        else _("the average attention of its heads (Abnar & Zuidema 2020)"),
    )
    title = _("Attention rollout, layers 0 to {last}", last=last) if last else _("Attention rollout, layer 0")
    meaning = _("attention rollout: share of the input token in this token, computed from all heads of these layers")
    panel = panel_of(view, title=title, notes=(" ".join(notes), *common_notes(view)))
    return draw_panels([panel], weight_colours(colour, width=width, meaning=meaning), colour=colour, width=width)
