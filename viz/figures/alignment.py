"""Attention maps side by side, on one colour scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from models.sites import Site
from models.trace import AttentionTrace, Reading
from viz.captions.maps import linking_note, notes_of, scale_of, window_note
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel, panel_of
from viz.figures.drawing.theme import CLEAR, PAPER_COLOUR, WINDOW_COLOUR, Colour, text_on, weight_colour
from viz.text import tokens
from viz.text.language import _
from viz.views.aligned import Linking, aligned_cells
from viz.views.view import Head, Unit, View, choose_view
from viz.views.windows import windows_of


def alignment_heatmap(
    traces: AttentionTrace | View | Sequence[AttentionTrace | View],
    *,
    unit: Unit = "word",
    site: Site | str | None = None,
    head: Head | None = None,
    reading: Reading | None = None,
    colour: Colour = "linear",
    columns: int | None = None,
    titles: Sequence[str] = (),
    clickable: bool = False,
    linking: Linking = "none",
    width: float = 1320,
) -> go.Figure:
    """Show which key each query reads: one heatmap a trace, in one figure on one scale from 0 to 1.

    Rows are queries, from the top down; columns are keys. A cell's colour is the attention weight, whatever
    else the figure holds; hovering gives its exact value and both tokens. Each panel says what it shows and
    what was done to it: merged, edited, cut. Local attention whose windows were captured (``*.centre``) has them drawn
    in orange; with ``*.raw_weights`` one sigma of its Gaussian too.

    Parameters
    ----------
    traces : AttentionTrace, View, or sequence of either
        At least one. A view is shown as it was chosen; `unit`, `site`, `head` and `reading` are for traces.
    unit : {"word", "piece"}, optional
        Words (pieces summed over a key word, averaged over a query word), or the pieces that the model reads.
    site, head, reading : optional
        Which map; left out, the one that each trace names as its alignment.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root, which tells small weights apart. The
        colour bar says which; its numbers and those of the hover text are weights under either.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    titles : sequence of str, optional
        What tells panels of one model apart, one each; left out, each is called after its mechanism alone.
    clickable : bool, optional
        Whether a click selects a cell: the selected point's ``x`` and ``y`` are its column and its row.
    linking : {"none", "strongest", "grown"}, optional
        Which links are ringed: none, the strongest of each row, or those grown from the maxima of rows and columns.
    width : float, optional
        Pixels at which the figure will be shown: labels and gaps are laid out for it.

    Returns
    -------
    plotly.graph_objects.Figure
        Its height follows its rows.

    Raises
    ------
    KeyError
        If `site` was not captured.
    ValueError
        If there is no trace, or a choice is not one that there is.

    Examples
    --------
    >>> from models.trace import AttentionMap, AttentionTrace, Provenance, Step, TokenSequence
    >>> source, target = TokenSequence.from_words(("cats", "</s>")), TokenSequence.from_words(("chats", "</s>"))
    >>> cross = AttentionMap(Site("decoder", 0, "cross"), np.array([[[0.9, 0.1], [0.2, 0.8]]]), target, source)
    >>> trace = AttentionTrace(
    ...     source,
    ...     target,
    ...     TokenSequence.from_words(("<s>", "chats")),
    ...     (cross,),
    ...     tuple(Step(text, -1, 0.0) for text in target.texts),
    ...     "cats",
    ...     "chats",
    ...     Provenance("demo", "Demo", 2015, "", "", "demo-en-fr", "", (), "greedy"),
    ... )
    >>> figure = alignment_heatmap(trace)
    >>> figure.layout.yaxis.ticktext
    ('chats', '&lt;/s&gt;')
    """
    several = (traces,) if isinstance(traces, AttentionTrace | View) else tuple(traces)
    if not several:
        message = "alignment_heatmap shows at least one trace; got none"
        raise ValueError(message)
    views = [
        each if isinstance(each, View) else choose_view(each, unit=unit, site=site, head=head, reading=reading)
        for each in several
    ]
    colours = weight_colours(colour, width=width, meaning=scale_of(views))
    names = [_("{title}: {panel}", title=each, panel=view.title) for view, each in zip(views, titles, strict=False)]
    panels = [
        panel_of(view, title=name, notes=_notes(view, linking))
        for view, name in zip(views, names or [view.title for view in views], strict=True)
    ]
    figure = draw_panels(panels, colours, colour=colour, columns=columns, width=width, most_labelled=None)
    axes = [(each, each.replace("x", "y")) for each in figure.axes]
    figure.add_traces([line for view, pair in zip(views, axes, strict=True) for line in _window_lines(view, *pair)])
    if linking != "none":
        figure.add_traces([_rings(view, linking, *pair) for view, pair in zip(views, axes, strict=True)])
    if clickable:
        figure.add_traces([_markers(panel, figure, *pair) for panel, pair in zip(panels, axes, strict=True)])
        figure.update_layout(clickmode="event+select")
    return figure


def _notes(view: View, linking: Linking) -> tuple[str, ...]:
    return tuple(filter(None, (*notes_of(view), *window_note(windows_of(view)), linking_note(linking))))


def _rings(view: View, linking: Linking, xaxis: str, yaxis: str) -> go.Scatter:
    """Return a ring in each cell that is a link: dark on what is light, light on what is dark."""
    cells = aligned_cells(view, linking)
    shades = [text_on(weight_colour(float(view.weights[cell]), "linear")) for cell in cells]
    return go.Scatter(
        x=[key for _query, key in cells],
        y=[query for query, _key in cells],
        mode="markers",
        marker={"symbol": "circle-open", "size": 11, "color": shades, "line": {"width": 2}},
        hoverinfo="skip",
        showlegend=False,
        xaxis=xaxis,
        yaxis=yaxis,
    )


def _markers(panel: Panel, figure: go.Figure, xaxis: str, yaxis: str) -> go.Scatter:
    """Return a marker to click on each cell, which cannot be seen: Plotly selects no cell of a heatmap."""
    rows, columns = np.indices(panel.values.shape)
    start, end = figure.layout[xaxis.replace("x", "xaxis")].domain
    size = (end - start) * figure.layout.width / max(panel.values.shape[1], 1)
    words = [
        np.array([tokens.full_label(text) for text in each.texts], dtype=object) for each in (panel.queries, panel.keys)
    ]
    numbers = [panel.values.ravel(), words[0][rows.ravel()], words[1][columns.ravel()]]
    number, query, key = (f"<b>%{{customdata[{place}]{form}}}</b>" for place, form in enumerate((":.4f", "", "")))
    shown = {"opacity": 1}
    return go.Scatter(
        x=columns.ravel(),
        y=rows.ravel(),
        customdata=np.stack([np.asarray(each, dtype=object) for each in numbers], axis=-1),
        mode="markers",
        marker={"symbol": "square", "size": size, "color": CLEAR, "line": {"width": 0}},
        selected={"marker": shown},
        unselected={"marker": shown},
        hovertemplate=f"{panel.cell(weight=number, query=query, key=key)}<extra></extra>",
        showlegend=False,
        xaxis=xaxis,
        yaxis=yaxis,
    )


def _window_lines(view: View, xaxis: str, yaxis: str) -> list[go.Scatter]:
    """Draw the windows of local attention over their map: edges, centres, and one sigma of the Gaussian, dotted."""
    windows = windows_of(view)
    if windows is None:
        return []
    rows = np.arange(len(windows.centre))
    common = {"xaxis": xaxis, "yaxis": yaxis, "hoverinfo": "skip", "showlegend": False}
    ends = np.repeat(rows, 2) + np.tile((-0.5, 0.5), len(rows))  # each row from its upper to its lower edge
    drawn = [(windows.left, "solid"), (windows.right, "solid")]
    if windows.sigma_left is not None and windows.sigma_right is not None:
        drawn += [(windows.sigma_left, "dot"), (windows.sigma_right, "dot")]
    lines = []
    for places, dash in drawn:
        line = {"color": WINDOW_COLOUR, "width": 2, "dash": dash}
        lines.append(go.Scatter(x=np.repeat(places, 2), y=ends, mode="lines", line=line, **common))
    marker = {"color": WINDOW_COLOUR, "size": 6, "line": {"color": PAPER_COLOUR, "width": 1}}
    return [*lines, go.Scatter(x=windows.centre, y=rows, mode="markers", marker=marker, **common)]
