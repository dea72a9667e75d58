"""Signed difference of two mechanisms on one translation, colours symmetric about 0."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go

from models.trace import AttentionTrace
from viz.captions.differences import notes_of_difference
from viz.figures.drawing.axes import fitting_title
from viz.figures.drawing.colour_bar import difference_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import Colour
from viz.text import tokens
from viz.text.language import _, mark
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
    >>> import numpy as np
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
    if shown.first.quantity == "moved":
        meaning = _(
            "difference of what is moved: above 0 (purple) more by {first}, below 0 (orange) more by {second}",
            first=one,
            second=other,
        )
    title, notes = fitting_title(shown.title, _("Difference"), notes_of_difference(shown), width)
    colours = difference_colours(colour, width=width, meaning=meaning)
    return draw_panels([_panel(shown, title, notes)], colours, colour=colour, width=width, most_labelled=None)


def _panel(shown: Difference, title: str, notes: tuple[str, ...]) -> Panel:
    return Panel(
        title=title,
        notes=notes,
        queries=shown.queries,
        keys=shown.keys,
        query_title=shown.query_title,
        key_title=shown.first.key_title,
        values=shown.weights,
        cell=partial(_cell, shown),
        signed=True,
        extras=(shown.first.weights, shown.second.weights),
        subject=shown.first.subject,
        masked=shown.masked,
    )


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
    colours = difference_colours(colour, width=width, meaning=meaning)
    return draw_panels(panels, colours, colour=colour, width=width, most_labelled=None)


def _cell(shown: Difference, *, weight: str, query: str, key: str) -> str:
    """Return the hover text of a cell: the difference, both weights, both tokens."""
    first, second = map(tokens.escape, shown.names())
    said = mark("{difference}: {first} {one}, {second} {other}<br>“{query}” attends to “{key}”")
    if shown.first.quantity == "moved":
        said = mark("{difference}: {first} {one}, {second} {other}<br>“{key}” moves “{query}”")
    return _(
        said,
        difference=weight,
        first=first,
        one="%{customdata[1]:.4f}",
        second=second,
        other="%{customdata[2]:.4f}",
        query=query,
        key=key,
    )
