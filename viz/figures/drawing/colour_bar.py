"""Colour bar of every figure: title in fitting lines, size and position."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from viz.figures.drawing.headline import LINE, wrapped
from viz.figures.drawing.theme import Colour, coloured, difference_axis, weight_axis
from viz.text.language import _
from viz.text.tokens import escape

BAR_WIDTH = 420  # pixels of the bar
TITLE_WIDTH = BAR_WIDTH  # of the lines of its title, which stand in the middle over it
MARGIN = 20  # pixels of the figure's width that a bar leaves free
BAR_HEIGHT = 72  # pixels of the bar with its numbers and a title of one line
NUMBERS_HEIGHT = 26  # pixels of the numbers under it


def weight_colours(colour: Colour, *, width: float, largest: float = 1.0, meaning: str | None = None) -> dict[str, Any]:
    """Return the colour axis of weights, from 0, its title in lines that fit."""
    check_colour(colour)
    axis = weight_axis(meaning or _("attention weight"), colour=colour)
    bar = axis["colorbar"]
    if colour == "root" and largest != 1:
        ticks = np.linspace(0, 1, 5, dtype=np.float32) ** 2 * np.float32(largest)
        bar = bar | {"tickvals": coloured(ticks, "root").tolist(), "ticktext": [f"{tick:.3g}" for tick in ticks]}
    end = float(coloured(np.array([largest], dtype=np.float32), colour)[0])
    return fitting_colours(axis | {"cmax": end, "colorbar": bar}, width)


def difference_colours(colour: Colour, *, width: float, meaning: str, largest: float = 1.0) -> dict[str, Any]:
    """Return the colour axis of differences, symmetric about 0, its title in lines that fit."""
    check_colour(colour)
    return fitting_colours(difference_axis(meaning, colour=colour, largest=largest), width)


def check_colour(colour: Colour) -> None:
    """Raise ValueError if `colour` is not one that there is."""
    if colour not in get_args(Colour):
        message = f"colour is one of {', '.join(map(repr, get_args(Colour)))}; got {colour!r}"
        raise ValueError(message)


def fitting_colours(axis: dict[str, Any], width: float) -> dict[str, Any]:
    """Return a colour axis whose title stands in lines that fit into a figure of `width` pixels."""
    title = axis["colorbar"]["title"]
    text = "<br>".join(map(escape, wrapped(title["text"], min(TITLE_WIDTH, width - MARGIN))))
    return axis | {"colorbar": axis["colorbar"] | {"title": title | {"text": text}}}


def title_lines(colours: dict[str, Any]) -> list[str]:
    """Return the lines of the title of a colour axis, escaped for Plotly."""
    return str(colours["colorbar"]["title"]["text"]).split("<br>")


def bar_height(colours: dict[str, Any]) -> float:
    """Return the pixels that the bar of the axis `colours` takes with its title and its numbers."""
    return BAR_HEIGHT + (len(title_lines(colours)) - 1) * LINE


def bar_width(width: float) -> float:
    """Return the pixels of the bar in a figure of `width` pixels."""
    return min(BAR_WIDTH, width - MARGIN)


def place_bar(colours: dict[str, Any], *, width: float, height: float, below: float = 0.0) -> dict[str, Any]:
    """Return the axis `colours` with its bar at the left, `below` pixels above the foot of a figure."""
    place = {"x": 0.0, "xanchor": "left", "y": (below + NUMBERS_HEIGHT) / height, "yanchor": "bottom"}
    bar = colours["colorbar"] | {"len": bar_width(width), "xpad": 8, "ypad": 0, **place}
    return colours | {"colorbar": bar}
