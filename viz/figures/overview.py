"""All heads of all layers at a glance: one mosaic of small maps, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.figures.drawing.heads import (
    HeadPlace,
    common_notes,
    headline,
    legend_height,
    map_title,
    place_legend,
    views_at,
    weight_colours,
)
from viz.figures.drawing.mosaic import FRAME, LINE, MAP_GAP, Mosaic, arrange_mosaic, block_texts, wrapped
from viz.figures.drawing.panels import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE, Colour, bare_layout, coloured
from viz.text import tokens
from viz.text.language import _
from viz.views.hiding import NOTHING, Hiding, drawn, threshold_note
from viz.views.view import Unit, View

PICKED_COLOUR = "#e8590c"
"""Around the small maps of picked heads: far from every colour of the weights, on light and dark pages."""

LABEL_SIZE = NOTE_SIZE + 1


def head_overview(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    picked: Sequence[HeadPlace] = (),
    colour: Colour = "linear",
    hiding: Hiding = NOTHING,
    width: float = 1320,
) -> go.Figure:
    """Show every head of every layer as a small map: which key each query reads, all on one scale from 0 to 1.

    Rows of the mosaic are layers, columns heads. In each small map rows are queries from the top down and
    columns keys. Hovering names layer, head, both tokens and the exact weight; of a text of more than
    `head_mosaic.MOST_TOKENS` tokens a cell shows the largest weight of a few, and says so.

    Parameters
    ----------
    trace : AttentionTrace
    sites : str, optional
        Which maps, as a pattern: ``encoder.*.self``, ``decoder.*.self`` or ``decoder.*.cross``.
    unit : {"word", "piece"}, optional
        Words (pieces summed over a key word, averaged over a query word), or the pieces that the model reads.
    picked : sequence of HeadPlace, optional
        Heads that are marked with a frame.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root, which tells small weights apart. The
        numbers of the colour bar and of the hover text are weights under either.
    hiding : Hiding, optional
        Tokens that are left out, what they are given standing in a last column, and the threshold below which a
        cell is drawn empty.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If `sites` names maps of several stacks or kinds, or a choice is not one that there is.

    Examples
    --------
    >>> from models.sites import Site
    >>> from models.trace import AttentionMap, Provenance, TokenSequence
    >>> text, nothing = TokenSequence.from_words(("cats", "</s>")), TokenSequence.from_words(())
    >>> weights = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]]])
    >>> maps = tuple(AttentionMap(Site("encoder", layer, "self"), weights, text, text) for layer in (0, 1))
    >>> provenance = Provenance("demo", "Demo", 2017, "", "", "demo", "", (), "none")
    >>> figure = head_overview(AttentionTrace(text, nothing, nothing, maps, (), "cats", "", provenance))
    >>> figure.data[0].z.shape  # a row and a column between the small maps stay empty
    (5, 5)
    """
    views = views_at(trace, sites, unit, hiding)
    colours = weight_colours(colour, width=width)
    title = wrapped(map_title(views[0].shown.site), width, TITLE_SIZE)
    note = wrapped(overview_note(views), width)
    mosaic = arrange_mosaic(
        views[0].weights.shape,
        layers=len(views),
        heads=max(len(view.shown.head_names) for view in views),
        width=width,
        heading=len(title) * TITLE_SIZE * LINE_HEIGHT + len(note) * LINE + MAP_GAP,
        legend=legend_height(colours) + MAP_GAP,
        alone=bool(views[0].hidden_keys),
    )
    layout = _layout(views, mosaic, colours)
    layout["annotations"] = [
        *headline(title, note, mosaic.height),
        *_layer_labels(views, mosaic),
        *_head_labels(mosaic),
    ]
    layout["shapes"] = [_frame(views, mosaic, place) for place in picked]
    return go.Figure(_heatmap(views, mosaic, colour), layout)


def overview_note(views: Sequence[View]) -> str:
    """Say what rows and columns of the small maps are, and what holds for all of them: plain text."""
    view = views[0]
    empty = threshold_note([each.shown.weights for each in views], view.threshold)
    rows, columns = view.query_title.partition(": ")[2], view.key_title.partition(": ")[2]
    parts = [_("rows, from the top: query, {rows}", rows=rows), _("columns: key, {columns}", columns=columns)]
    return "\u00a0· ".join((*parts, *common_notes(view), *empty))


def _heatmap(views: Sequence[View], mosaic: Mosaic, colour: Colour) -> go.Heatmap:
    weights = mosaic.cells([view.shown.weights for view in views])
    number = "%{z:.4f}" if colour == "linear" else "%{customdata:.4f}"
    text = _("largest of these: <b>{weight}</b>", weight=number) if mosaic.is_pooled else f"<b>{number}</b>"
    return go.Heatmap(
        z=coloured(drawn(weights, views[0].threshold), colour),
        customdata=None if colour == "linear" else weights,
        x=mosaic.x_edges(),
        y=mosaic.y_edges(),
        coloraxis="coloraxis",
        hoverongaps=False,
        hovertemplate=f"{text}<br>%{{y}}<br>%{{x}}<extra></extra>",
    )


def _layout(views: Sequence[View], mosaic: Mosaic, colours: dict[str, Any]) -> dict[str, Any]:
    shown, (across, down) = views[0].shown, mosaic.area
    queries = block_texts(shown.query_tokens.texts, mosaic.queries)
    keys = block_texts(shown.key_tokens.texts, mosaic.keys)
    layers = [view.shown.site.layer for view in views]
    rows = [_("layer {layer} · query: <b>{text}</b>", layer=layer, text=text) for layer in layers for text in queries]
    columns = [
        _("head {head} · key: <b>{text}</b>", head=head, text=text) for head in range(mosaic.heads) for text in keys
    ]
    (left, top), (right, bottom) = mosaic.place(-FRAME, -FRAME), mosaic.place(across + FRAME, down + FRAME)
    x_span = {"domain": [max(left, 0), min(right, 1)], "range": [-FRAME, across + FRAME]}
    y_span = {"domain": [max(bottom, 0), min(top, 1)], "range": [down + FRAME, -FRAME]}
    return bare_layout(mosaic.width, mosaic.height) | {
        "coloraxis": place_legend(colours, width=mosaic.width, height=mosaic.height),
        "xaxis": _axis(mosaic.x_edges(), len(keys), columns) | x_span,
        "yaxis": _axis(mosaic.y_edges(), len(queries), rows) | y_span,
    }


def _axis(edges: NDArray[np.float64], cells: int, texts: list[str]) -> dict[str, Any]:
    """Return an axis that is not drawn, but names each cell for the hover text; the empty cells have no name."""
    middles = (edges[:-1] + edges[1:]) / 2
    named = np.arange(len(middles)) % (cells + 1) != cells
    return {
        "tickmode": "array",
        "tickvals": middles[named],
        "ticktext": texts,
        "showticklabels": False,
        "fixedrange": True,
        "automargin": False,
    }


def _text(text: str, size: int, place: tuple[float, float], *, x: str, y: str) -> dict[str, Any]:
    """Return a text at `place`, in shares of the figure, anchored at `x` and `y` of its own box."""
    where = {"x": place[0], "y": place[1], "xanchor": x, "yanchor": y, "xref": "paper", "yref": "paper"}
    return {"text": text, "showarrow": False, "align": "left", "font": {"size": size}, "borderpad": 0} | where


def _layer_labels(views: Sequence[View], mosaic: Mosaic) -> list[dict[str, Any]]:
    down, anchor = (-FRAME, "bottom") if mosaic.is_narrow else (mosaic.map_height / 2, "middle")
    places = [(0.0, mosaic.place(0, mosaic.layer_top(row) + down)[1]) for row in range(mosaic.layers)]
    names = [_("layer {layer}", layer=view.shown.site.layer) for view in views]
    return [_text(name, LABEL_SIZE, place, x="left", y=anchor) for name, place in zip(names, places, strict=True)]


def _head_labels(mosaic: Mosaic) -> list[dict[str, Any]]:
    """Name the columns: whole if there is room, else the first whole and the others by number."""
    names = [_("head {head}", head=head) for head in range(mosaic.heads)]
    whole = tokens.widest(names) * GLYPH_WIDTH * LABEL_SIZE <= mosaic.map_width
    top = -FRAME - (LINE if mosaic.is_narrow else 0)
    labels = []
    for head, name in enumerate(names):
        middle = mosaic.place(mosaic.head_left(head) + mosaic.map_width / 2, top)
        edge = mosaic.place(mosaic.head_left(head), top)
        if whole or head:
            labels.append(_text(name if whole else str(head), LABEL_SIZE, middle, x="center", y="bottom"))
        else:
            labels.append(_text(name, LABEL_SIZE, edge, x="left", y="bottom"))
    return labels


def _frame(views: Sequence[View], mosaic: Mosaic, place: HeadPlace) -> dict[str, Any]:
    rows = {view.shown.site.layer: row for row, view in enumerate(views)}
    if place.layer not in rows or not 0 <= place.head < len(views[rows[place.layer]].shown.head_names):
        message = f"no head {place.head} in layer {place.layer} to mark; layers are {', '.join(map(str, rows))}"
        raise ValueError(message)
    half = FRAME / 2
    left, top = mosaic.head_left(place.head), mosaic.layer_top(rows[place.layer])
    corners = {"x0": left - half, "x1": left + mosaic.map_width + half}
    corners |= {"y0": top - half, "y1": top + mosaic.map_height + half}
    return {"type": "rect", "line": {"color": PICKED_COLOUR, "width": 3}} | corners
