"""Difference of two heads on a minimal pair, or on one text in two models."""

from __future__ import annotations

import plotly.graph_objects as go

from models.trace import AttentionTrace
from viz.captions.differences import specials_note
from viz.figures.drawing.theme import Colour
from viz.figures.matched_difference import matched_difference
from viz.text.language import _
from viz.views.heads import HeadPlace, pick_views
from viz.views.hiding import Hiding
from viz.views.matching import Matching
from viz.views.view import Unit


def sentence_difference(
    one: AttentionTrace,
    other: AttentionTrace,
    *,
    head: HeadPlace,
    other_head: HeadPlace | None = None,
    sites: str = "encoder.*.self",
    other_sites: str | None = None,
    unit: Unit = "word",
    specials: bool = True,
    threshold: float = 0.0,
    names: tuple[str, str] | None = None,
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show how differently a head reads two sentences, or two heads of two models one: `one` less `other`, -1 to 1.

    Words are matched by their texts, in order. The last column is what a query gives to all words that are not
    matched. Hovering gives the difference and both weights.

    Parameters
    ----------
    one, other : AttentionTrace
        Of one model or of two; the first labels the axes.
    head : HeadPlace
        Of `one`.
    other_head : HeadPlace, optional
        Of `other`; left out, the same place.
    sites : str, optional
        As in `head_comparison`.
    other_sites : str, optional
        The same for `other`; left out, as `sites`.
    unit, colour, width : optional
        As in `head_comparison`. Pieces of two models are cut differently: compare these by words.
    specials : bool, optional
        Whether tokens that stand for no text, such as ``[CLS]`` and ``</s>``, are matched too; otherwise what they
        are given stands in the last column.
    threshold : float, optional
        Differences nearer to 0 are drawn empty, and counted.
    names : tuple of str, optional
        What tells the two apart; left out, the first and the second, or the titles of two models.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If there is no such head, nothing is matched, or a choice is not one that there is.

    Examples
    --------
    >>> from models import load
    >>> model = load("transformer-en-fr")
    >>> texts = "The cat drank the milk because it was hungry.", "The cat drank the milk because it was sweet."
    >>> (heatmap,) = sentence_difference(*map(model.attend, texts), head=HeadPlace(1, 5)).data
    >>> heatmap.z.shape
    (10, 11)
    """
    hiding = Hiding(threshold=threshold)
    second = head if other_head is None else other_head
    (first_view,) = pick_views(one, sites, unit, [head], hiding)
    (second_view,) = pick_views(other, sites if other_sites is None else other_sites, unit, [second], hiding)
    matching = Matching.of_maps(first_view.shown, second_view.shown, specials=specials)
    titles = _names(one, other) if names is None else names
    called = tuple(f"{title}, {place.title}" for title, place in zip(titles, (head, second), strict=True))
    notes = () if specials else (specials_note(),)
    return matched_difference(
        first_view,
        second_view,
        matching=matching,
        names=(called[0], called[1]),
        notes=notes,
        colour=colour,
        width=width,
    )


def _names(one: AttentionTrace, other: AttentionTrace) -> tuple[str, str]:
    """Return what tells two traces apart: their models, if these have different titles."""
    titles = _(one.provenance.title), _(other.provenance.title)
    return titles if titles[0] != titles[1] else (_("the first"), _("the second"))
