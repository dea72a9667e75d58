"""What the figures of heads share: which maps of a trace they show, how a head is named, how weights are coloured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from models.sites import Site
from models.trace import AttentionTrace
from viz.captions.maps import notes_of
from viz.figures.drawing.mosaic import LINE, wrapped
from viz.figures.drawing.panels import LINE_HEIGHT
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE, Colour, coloured, difference_axis, weight_axis
from viz.text.language import _
from viz.text.tokens import escape
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import HeadPlace as HeadPlace
from viz.views.view import Unit, View, choose_view, hide

LEGEND_WIDTH = 560  # pixels of the colour bar
LEGEND_MARGIN = 16
BAR_HEIGHT = 56  # pixels of the colour bar with its numbers, without its title
NUMBERS_HEIGHT = 26  # pixels of the numbers under it


def sites_at(trace: AttentionTrace, sites: str) -> tuple[Site, ...]:
    """Return the places of the maps of `trace` that `sites` names, by layer; raises as `views_at`."""
    chosen = tuple(sorted(site for site in trace.sites if site.at("weights").matches(sites)))
    if not chosen:
        message = f"no map at {sites}; captured: {', '.join(map(str, trace.sites)) or 'none'}"
        raise KeyError(message)
    if len({(site.stack, site.kind) for site in chosen}) > 1:
        message = f"heads of one stack and kind are compared; {sites} names {', '.join(map(str, chosen))}"
        raise ValueError(message)
    return chosen


def places_at(trace: AttentionTrace, sites: str) -> tuple[HeadPlace, ...]:
    """Return all heads of the maps that `sites` names, by layer and head; raises as `views_at`."""
    found = sites_at(trace, sites)
    return tuple(HeadPlace(site.layer, head) for site in found for head in range(len(trace[site].head_names)))


def views_at(trace: AttentionTrace, sites: str, unit: Unit, hiding: Hiding = NOTHING) -> tuple[View, ...]:
    """Return a view of each map of `trace` that `sites` names, by layer; each shows its head 0.

    Parameters
    ----------
    trace : AttentionTrace
    sites : str
        A pattern such as ``encoder.*.self``: maps of one stack and kind.
    unit : {"word", "piece"}
    hiding : Hiding, optional
        Tokens and cells that are left out.

    Returns
    -------
    tuple of View
        At least one. Rows of cross maps are labelled by the token written.

    Raises
    ------
    KeyError
        If no map was captured there.
    ValueError
        If `sites` names maps of several stacks or kinds, which have no common axes.
    """
    return tuple(view_at(trace, site, unit, hiding) for site in sites_at(trace, sites))


def view_at(trace: AttentionTrace, site: Site, unit: Unit, hiding: Hiding = NOTHING) -> View:
    """Return a view of head 0 of the map at `site`, its rows labelled by the token written."""
    return hide(choose_view(trace, unit=unit, site=site, head=0, reading="written"), hiding)


def pick_views(
    trace: AttentionTrace, sites: str, unit: Unit, heads: Sequence[HeadPlace], hiding: Hiding = NOTHING
) -> tuple[View, ...]:
    """Return a view of each of `heads`, in their order; no other layer is looked at.

    Parameters
    ----------
    trace : AttentionTrace
    sites : str
        As in `views_at`.
    unit : {"word", "piece"}
    heads : sequence of HeadPlace
    hiding : Hiding, optional
        As in `views_at`.

    Returns
    -------
    tuple of View

    Raises
    ------
    KeyError
        If no map was captured there.
    ValueError
        If `sites` names several stacks or kinds, or there is no such head.
    """
    layers = {site.layer: site for site in sites_at(trace, sites)}
    counts = {layer: len(trace[site].head_names) for layer, site in layers.items()}
    for place in heads:
        if not 0 <= place.head < counts.get(place.layer, 0):
            there = ", ".join(f"{layer}: 0 to {count - 1}" for layer, count in counts.items())
            message = f"{sites}: no head {place.head} in layer {place.layer}; heads by layer are {there}"
            raise ValueError(message)
    views = {layer: view_at(trace, layers[layer], unit, hiding) for layer in {place.layer for place in heads}}
    return tuple(replace(views[place.layer], head=place.head) for place in heads)


def map_title(site: Site) -> str:
    """Say in words what kind of attention `site` is."""
    if site.kind == "cross":
        return _("cross-attention: the decoder reads the encoder's text")
    if site.stack == "encoder":
        return _("encoder self-attention: the text reads itself")
    return _("decoder self-attention: what is written reads itself, never ahead")


def common_notes(view: View) -> tuple[str, ...]:
    """Say what holds for every head of a map: edits, merging, cuts; not which layer and head it is."""
    named = len(view.shown.head_names) > 1
    return notes_of(view)[1 if named else 0 :]


def weight_colours(colour: Colour, *, width: float, largest: float = 1.0, meaning: str | None = None) -> dict[str, Any]:
    """Return the colour axis of weights, from 0, its title in lines that fit.

    Parameters
    ----------
    colour : {"linear", "root"}
        Whether a colour stands for the weight or for its square root.
    width : float
        Pixels of the figure.
    largest : float, optional
        The end of the scale: 1, unless weights are added up.
    meaning : str, optional
        What a colour means, in words; left out, an attention weight.

    Raises
    ------
    ValueError
        If `colour` is not one that there is.
    """
    check_colour(colour)
    axis = weight_axis(meaning or _("attention weight: share of the reading given to this token"), colour=colour)
    bar = axis["colorbar"]
    if colour == "root" and largest != 1:
        ticks = np.linspace(0, 1, 5, dtype=np.float32) ** 2 * np.float32(largest)
        bar = bar | {"tickvals": coloured(ticks, "root").tolist(), "ticktext": [f"{tick:.3g}" for tick in ticks]}
    end = float(coloured(np.array([largest], dtype=np.float32), colour)[0])
    return fitting_colours(axis | {"cmax": end, "colorbar": bar}, width)


def difference_colours(colour: Colour, *, width: float, meaning: str) -> dict[str, Any]:
    """Return the colour axis of differences of weights, -1 to 1, its title in lines that fit.

    Parameters
    ----------
    colour, width
        As in `weight_colours`.
    meaning : str
        What a colour means, in words.

    Raises
    ------
    ValueError
        If `colour` is not one that there is.
    """
    check_colour(colour)
    return fitting_colours(difference_axis(meaning, colour=colour), width)


def check_colour(colour: Colour) -> None:
    """Raise ValueError if `colour` is not one that there is."""
    if colour not in get_args(Colour):
        message = f"colour is one of {', '.join(map(repr, get_args(Colour)))}; got {colour!r}"
        raise ValueError(message)


def fitting_colours(axis: dict[str, Any], width: float) -> dict[str, Any]:
    """Return a colour axis whose title stands in lines that fit into a figure of `width` pixels."""
    title = axis["colorbar"]["title"]
    lines = wrapped(title["text"], min(LEGEND_WIDTH, width - LEGEND_MARGIN))
    text = "<br>".join(map(escape, lines))
    return axis | {"colorbar": axis["colorbar"] | {"title": title | {"text": text}}}


def headline(title: Sequence[str], note: Sequence[str], height: float) -> list[dict[str, Any]]:
    """Return the annotations that say what a figure of `height` pixels shows: lines of its title, of its note below."""
    place = {"x": 0, "xanchor": "left", "yanchor": "top", "xref": "paper", "yref": "paper"}
    common = {"showarrow": False, "align": "left", "borderpad": 0, **place}
    bold, small = ("<br>".join(map(escape, lines)) for lines in (title, note))
    below = 1 - len(title) * TITLE_SIZE * LINE_HEIGHT / height
    return [
        {"text": f"<b>{bold}</b>", "y": 1, "font": {"size": TITLE_SIZE}, **common},
        {"text": small, "y": below, "font": {"size": NOTE_SIZE}, **common},
    ]


def legend_height(colours: dict[str, Any]) -> float:
    """Return the pixels that the colour bar of the axis `colours` takes with its title and its numbers."""
    return BAR_HEIGHT + (str(colours["colorbar"]["title"]["text"]).count("<br>") + 1) * LINE


def place_legend(colours: dict[str, Any], *, width: float, height: float, below: float = 0.0) -> dict[str, Any]:
    """Return the axis `colours` with its colour bar at the left, `below` pixels above the foot of a figure."""
    place = {"x": 0.0, "xanchor": "left", "y": (below + NUMBERS_HEIGHT) / height, "yanchor": "bottom"}
    bar = {"len": min(LEGEND_WIDTH, width - LEGEND_MARGIN), "xpad": LEGEND_MARGIN / 2, "ypad": 0, **place}
    return colours | {"colorbar": colours["colorbar"] | bar}
