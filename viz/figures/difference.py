"""How two mechanisms read one translation differently: a signed map, symmetric about 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.captions.differences import notes_of_difference, signed
from viz.figures.drawing.heatmap import Panel, any_cut, cell_gap, fitting_title, lay_out, longest_label
from viz.figures.drawing.theme import Colour, coloured, difference_axis
from viz.text import tokens
from viz.text.language import _
from viz.views.differences import Difference, choose_difference
from viz.views.view import Unit, View


def difference_heatmap(
    first: AttentionTrace | View,
    second: AttentionTrace | View,
    *,
    unit: Unit = "word",
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show what the first gives to each key less what the second gives: purple above 0, orange below, from -1 to 1.

    Rows are queries, from the top down; columns are keys. Hovering gives the difference, both weights and both
    tokens.

    Parameters
    ----------
    first, second : AttentionTrace or View
        Of one source and one target: force both on one translation. `choose_difference` explains which rows are
        compared.
    unit : {"word", "piece"}, optional
        For traces; a view is shown as it was chosen.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the difference or for its signed square root. All numbers are differences.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the two do not share source and target tokens.

    Examples
    --------
    >>> from models.sites import Site
    >>> from models.trace import AttentionMap, AttentionTrace, Provenance, Step, TokenSequence
    >>> source, target = TokenSequence.from_words(("cats", "</s>")), TokenSequence.from_words(("chats", "</s>"))
    >>> traces = [
    ...     AttentionTrace(
    ...         source,
    ...         target,
    ...         TokenSequence.from_words(("<s>", "chats")),
    ...         (AttentionMap(Site("decoder", 0, "cross"), np.array([weights, [0.0, 1.0]])[None], target, source),),
    ...         tuple(Step(text, -1, 0.0) for text in target.texts),
    ...         "cats",
    ...         "chats",
    ...         Provenance("demo", name, 2015, "", "", "demo-en-fr", "", (), "forced"),
    ...     )
    ...     for name, weights in (("One", [0.75, 0.25]), ("Other", [0.5, 0.5]))
    ... ]
    >>> difference_heatmap(*traces).data[0].z.tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """
    shown = choose_difference(first, second, unit=unit)
    one, other = shown.names()
    meaning = _("above 0: {first} gives this word more; below: {second}", first=one, second=other)
    title, notes = fitting_title(shown.title, _("Difference"), notes_of_difference(shown), width)
    layout, _suffixes = lay_out([_panel(shown, title, notes)], difference_axis(meaning, colour=colour), width=width)
    return go.Figure([_heatmap(shown, "", colour, longest_label(width))], layout)


def _panel(shown: Difference, title: str, notes: tuple[str, ...]) -> Panel:
    return Panel(title, notes, shown.queries, shown.keys, shown.query_title, shown.first.key_title)


def difference_multiples(
    views: Sequence[View], reference: View, *, colour: Colour = "linear", width: float = 1320
) -> go.Figure:
    """Show what each of several gives to each key less what one of them gives: small multiples on one scale.

    Parameters
    ----------
    views : sequence of View
        At least one, of the source and target of `reference`; `choose_difference` explains which rows are compared.
    reference : View
        What is taken away from each.
    colour : {"linear", "root"}, optional
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If there is no view, or one does not share source and target tokens with the reference.
    """
    if not views:
        message = "difference_multiples shows at least one view; got none"
        raise ValueError(message)
    several = [choose_difference(view, reference) for view in views]
    meaning = _("above 0: it gives this word more than {title} does; below: less", title=several[0].names()[1])
    panels = [
        _panel(each, _("{title} \u2212 the chosen", title=each.names()[0]), notes_of_difference(each))
        for each in several
    ]
    layout, suffixes = lay_out(panels, difference_axis(meaning, colour=colour), width=width)
    longest = longest_label(width)
    heatmaps = [_heatmap(each, suffix, colour, longest) for each, suffix in zip(several, suffixes, strict=True)]
    return go.Figure(heatmaps, layout)


def _heatmap(shown: Difference, suffix: str, colour: Colour, longest: int) -> go.Heatmap:
    gap = cell_gap(shown.weights)
    whole = any_cut(shown.queries, shown.keys, longest)
    numbers = np.stack((shown.weights, shown.first.weights, shown.second.weights), axis=-1)  # [query, key, number]
    return go.Heatmap(
        z=coloured(shown.weights, colour),
        customdata=_whole_texts(shown) if whole else numbers,
        coloraxis="coloraxis",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        xgap=gap,
        ygap=gap,
        name=tokens.escape(shown.title),
        hovertemplate=f"{'%{customdata}' if whole else _hover(shown, **_FROM_FIGURE)}<extra></extra>",
    )


_FROM_FIGURE = {
    "difference": "%{customdata[0]:+.4f}",
    "one": "%{customdata[1]:.4f}",
    "other": "%{customdata[2]:.4f}",
    "query": "%{y}",
    "key": "%{x}",
}
"""What Plotly puts into the hover text itself."""


def _hover(shown: Difference, *, difference: str, one: str, other: str, query: str, key: str) -> str:
    """Return the hover text of a cell."""
    first, second = map(tokens.escape, shown.names())
    return _(
        "<b>{difference}</b>: {first} {one}, {second} {other}<br>“<b>{query}</b>” reads “<b>{key}</b>”",
        difference=difference,
        first=first,
        one=one,
        second=second,
        other=other,
        query=query,
        key=key,
    )


def _whole_texts(shown: Difference) -> NDArray[np.object_]:
    """Return the hover text of each cell, with whole tokens where a label on an axis is cut."""
    values = np.empty(shown.weights.shape, dtype=object)
    for query, key in np.ndindex(*values.shape):
        values[query, key] = _hover(
            shown,
            difference=signed(float(shown.weights[query, key])),
            one=f"{shown.first.weights[query, key]:.4f}",
            other=f"{shown.second.weights[query, key]:.4f}",
            query=tokens.full_label(shown.queries.texts[query]),
            key=tokens.full_label(shown.keys.texts[key]),
        )
    return values
