"""A few heads in full: side by side, difference of two, sum or mean of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from models.trace import AttentionTrace
from viz.captions.maps import common_notes
from viz.figures.drawing.colour_bar import difference_colours, weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import difference_panel, panel_of
from viz.figures.drawing.theme import Colour
from viz.text.language import SEMICOLON, _, _n, listed
from viz.views.heads import HeadPlace, pick_views
from viz.views.hiding import NOTHING, Hiding
from viz.views.later import scores_of
from viz.views.view import Unit, View

Combination = Literal["sum", "mean"]


def head_comparison(
    trace: AttentionTrace,
    *,
    heads: Sequence[HeadPlace],
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    colour: Colour = "linear",
    hiding: Hiding = NOTHING,
    crossed: Sequence[View] = (),
    columns: int | None = None,
    width: float = 1320,
) -> go.Figure:
    """Show which key each query reads in a few heads, side by side on one scale from 0 to 1.

    Parameters
    ----------
    trace : AttentionTrace
    heads : sequence of HeadPlace
        At least one; four can be told apart on a page.
    sites : str, optional
        Whose heads: ``encoder.*.self``, ``decoder.*.self`` or ``decoder.*.cross``.
    unit : {"word", "piece"}, optional
        Words (pieces summed over a key word, averaged over a query word), or the pieces that the model reads.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root, which tells small weights apart. The
        numbers of the colour bar and of the hover text are weights under either.
    hiding : Hiding, optional
        Tokens that are left out, what they are given standing in a last column, and the threshold below which a
        cell is drawn empty.
    crossed : sequence of View, optional
        The same heads' scores of later words, as `viz.views.later` gives them: what a cell that is crossed out says.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap a head.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If there is no head, or a choice is not one that there is.

    Examples
    --------
    >>> from models import load
    >>> trace = load("transformer-en-fr").attend("The cat sleeps.")
    >>> len(head_comparison(trace, heads=[HeadPlace(0, 0), HeadPlace(2, 7)]).data)
    2
    """
    places = _some(heads)
    views = pick_views(trace, sites, unit, places, hiding)
    common = common_notes(views[0])  # what holds for all is said under the first
    panels = [
        panel_of(view, title=place.title, notes=() if number else common)
        for number, (place, view) in enumerate(zip(places, views, strict=True))
    ]
    if crossed:
        panels = [replace(each, later=scores_of(later)) for each, later in zip(panels, crossed, strict=True)]
    colours = weight_colours(colour, width=width, meaning=views[0].meaning)
    return draw_panels(panels, colours, colour=colour, columns=columns, width=width)


def head_difference(
    trace: AttentionTrace,
    *,
    first: HeadPlace,
    second: HeadPlace,
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    colour: Colour = "linear",
    hiding: Hiding = NOTHING,
    width: float = 1320,
) -> go.Figure:
    """Show how two heads differ: the weights of `first` less those of `second`, on a scale from -1 to 1.

    Where a cell is above 0 the first head reads this key more, where it is below 0 the second. Hovering gives
    the difference and both weights.

    Parameters
    ----------
    trace : AttentionTrace
    first, second : HeadPlace
        They may be the same; the difference is then 0 everywhere.
    sites, unit, colour, hiding, width : optional
        As in `head_comparison`.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    KeyError, ValueError
        As in `head_comparison`.
    """
    one, other = pick_views(trace, sites, unit, (first, second), hiding)
    meaning = _(
        "difference of weights: above 0 (purple) {first} attends to this token more, below 0 (orange) {second}",
        first=first.title,
        second=second.title,
    )
    if one.quantity == "moved":
        meaning = _(
            "difference of what is moved: above 0 (purple) more by {first}, below 0 (orange) more by {second}",
            first=first.title,
            second=second.title,
        )
    panel = difference_panel(
        _("Difference of two heads"),
        one,
        (one.weights, other.weights),
        names=(first.title, second.title),
        notes=common_notes(one),
    )
    colours = difference_colours(colour, width=width, meaning=meaning)
    return draw_panels([panel], colours, colour=colour, width=width)


def head_combination(
    trace: AttentionTrace,
    *,
    heads: Sequence[HeadPlace],
    how: Combination = "mean",
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    colour: Colour = "linear",
    hiding: Hiding = NOTHING,
    width: float = 1320,
) -> go.Figure:
    """Show several heads as one map: the sum of their weights, or the mean.

    A mean is a weight, on the scale from 0 to 1. A sum is not: its scale goes from 0 to the number of heads, and
    says so.

    Parameters
    ----------
    trace : AttentionTrace
    heads : sequence of HeadPlace
        At least one.
    how : {"sum", "mean"}, optional
    sites, unit, colour, hiding, width : optional
        As in `head_comparison`.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    KeyError, ValueError
        As in `head_comparison`.
    """
    if how not in get_args(Combination):
        message = f"how is 'sum' or 'mean'; got {how!r}"
        raise ValueError(message)
    places = _some(heads)
    views = pick_views(trace, sites, unit, places, hiding)
    weights = np.stack([view.weights for view in views])  # [head, query, key]
    count, names = len(places), listed((place.title for place in places), SEMICOLON)
    if how == "sum":
        values, title = weights.sum(axis=0), _n("Sum of {count} head", "Sum of {count} heads", count)
        meaning = _n(
            "sum of {count} attention weight: from 0 to {count}, because each head sums to 1",
            "sum of {count} attention weights: from 0 to {count}, because each head sums to 1",
            count,
        )
    else:
        values, title = weights.mean(axis=0), _n("Mean of {count} head", "Mean of {count} heads", count)
        meaning = _n("mean of {count} attention weight", "mean of {count} attention weights", count)
    if views[0].quantity == "moved":
        meaning = _("sum of shares of what is moved") if how == "sum" else _("mean of shares of what is moved")
    colours = weight_colours(colour, width=width, largest=count if how == "sum" else 1, meaning=meaning)
    panel = replace(panel_of(views[0], title=title, notes=(names, *common_notes(views[0]))), values=values)
    return draw_panels([panel], colours, colour=colour, width=width)


def _some(heads: Sequence[HeadPlace]) -> tuple[HeadPlace, ...]:
    if not heads:
        message = "at least one head is shown; got none"
        raise ValueError(message)
    return tuple(heads)
