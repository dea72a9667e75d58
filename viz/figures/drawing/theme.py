"""Colours, ranges, fonts and sizes of all figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.text.language import _

Colour = Literal["linear", "root"]
"""Whether a colour stands for a value, or for its square root, which tells small values apart."""

_ROOT_TICKS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
_ROOT_DIFFERENCE_TICKS = (0.05, 0.25, 0.5, 1.0)

WEIGHT_RANGE = (0.0, 1.0)
"""The range of every scale of weights: never that of one picture."""

WEIGHT_SCALE: tuple[tuple[float, str], ...] = (
    (0.0, "#f6f6f1"),
    (0.05, "#e6efe2"),
    (0.15, "#c4e2cd"),
    (0.3, "#86cabb"),
    (0.45, "#45a8b5"),
    (0.6, "#2280aa"),
    (0.75, "#215894"),
    (0.9, "#1f3374"),
    (1.0, "#131a4a"),
)
"""From paper white to ink: lightness falls steadily, so it reads in grey and with any colour vision."""

NIGHT_SCALE: tuple[tuple[float, str], ...] = (
    (0.0, "#151a23"),
    (0.05, "#182936"),
    (0.15, "#1a4054"),
    (0.3, "#1f6381"),
    (0.45, "#2b87a0"),
    (0.6, "#4fadb4"),
    (0.75, "#8accbf"),
    (0.9, "#cbe6cc"),
    (1.0, "#fbfbe9"),
)
"""The same on a dark page: from the page's own dark to light."""

DIFFERENCE_SCALE: tuple[tuple[float, str], ...] = (
    (0.0, "#7f3b08"),
    (0.2, "#c8751b"),
    (0.4, "#f3c88f"),
    (0.5, "#f6f6f3"),
    (0.6, "#c3c0dd"),
    (0.8, "#7e6fae"),
    (1.0, "#2d004b"),
)
"""Orange below zero, purple above, paper white at zero: told apart with any colour vision."""

GREY_SCALE: tuple[tuple[float, str], ...] = ((0.0, "#f1f1f1"), (1.0, "#a8a8a8"))
"""Of cells that say nothing: paler to darker by their weight."""

HEAD_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b65f98")
"""Of picked heads that are drawn over each other: told apart with any colour vision (Okabe & Ito 2008, the last
darkened), on light and on dark pages."""

CLEAR = "rgba(0,0,0,0)"
"""Of what is there to be clicked and not to be seen."""

WINDOW_COLOUR = "#e0750a"
"""Of the windows of local attention, over every shade of a map."""

FONT_FAMILY = (
    '"Bench Sans", "Source Sans", "Source Sans 3", "Source Sans Pro", "Noto Sans", "Segoe UI", Arial, '
    '"Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans Arabic", "Noto Sans Hebrew", '
    '"Noto Color Emoji", sans-serif'
)
"""Those that the app brings, then those of the machine, in order; nothing is fetched from elsewhere."""

FONT_SIZE = 15
"""Size of token labels, in pixels: readable from three metres when projected."""

TITLE_SIZE = 18
NOTE_SIZE = 13
SMALLEST_FONT = 9

TEXT_COLOUR = "#1c2330"
PAPER_COLOUR = "#ffffff"
CROSS = "x-thin"  # marker of a cell that is crossed out


def coloured(values: NDArray[np.floating[Any]], colour: Colour) -> NDArray[np.float32]:
    """Return the numbers that a colour axis of the kind `colour` takes for `values`."""
    if colour == "linear":
        return np.asarray(values, dtype=np.float32)
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)), dtype=np.float32)


def weight_axis(title: str, *, colour: Colour = "linear") -> dict[str, Any]:
    """Return the colour axis that all weights share: 0 to 1, whatever the picture holds."""
    if colour == "linear":
        return _colour_axis(WEIGHT_SCALE, WEIGHT_RANGE, title)
    return _rooted(_colour_axis(WEIGHT_SCALE, WEIGHT_RANGE, title), (0.0, *_ROOT_TICKS))


def weight_ticks(colour: Colour) -> tuple[tuple[float, str], ...]:
    """Return the numbers of a legend of weights, each with its place from 0 to 1."""
    ticks = np.array((0.0, 0.25, 0.5, 0.75, 1.0) if colour == "linear" else (0.0, *_ROOT_TICKS), dtype=np.float64)
    places = ticks if colour == "linear" else np.sqrt(ticks)
    return tuple((float(place), f"{tick:g}") for place, tick in zip(places, ticks, strict=True))


def weight_colour(weight: float, colour: Colour) -> str:
    """Return the colour of a weight from 0 to 1, as figures draw it: ``#rrggbb``."""
    return shade_at(WEIGHT_SCALE, weight if colour == "linear" else weight**0.5)


def shade_at(scale: Sequence[tuple[float, str]], place: float) -> str:
    """Return the colour of a scale at `place`: ``#rrggbb``."""
    after = next((at for at in range(1, len(scale)) if place < scale[at][0]), len(scale) - 1)
    (start, low), (end, high) = scale[after - 1], scale[after]
    share = min(max((place - start) / (end - start), 0.0), 1.0)
    channels = [(int(low[at : at + 2], 16), int(high[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one + share * (other - one)):02x}" for one, other in channels)


def text_on(background: str) -> str:
    """Return black or white, whichever stands out more on `background`: a contrast of at least 4.58 (WCAG 2)."""
    channels = [int(background[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    luminance = sum(share * value for share, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def difference_axis(title: str, *, largest: float = 1.0, colour: Colour = "linear") -> dict[str, Any]:
    """Return the colour axis of differences: symmetric about 0."""
    if not largest > 0:
        message = f"largest is a number above 0; got {largest}"
        raise ValueError(message)
    axis = _colour_axis(DIFFERENCE_SCALE, (-largest, largest), title)
    if colour == "linear":
        return axis
    ticks = [tick * largest for tick in _ROOT_DIFFERENCE_TICKS]
    return _rooted(axis, (*(-tick for tick in reversed(ticks)), 0.0, *ticks))


def divergence_axis(title: str) -> dict[str, Any]:
    """Return the colour axis of divergences, from 0 to 1: dark where two things are alike."""
    scale = tuple((round(1 - place, 2), colour) for place, colour in reversed(WEIGHT_SCALE))
    return _colour_axis(scale, WEIGHT_RANGE, title)


def _rooted(axis: dict[str, Any], ticks: tuple[float, ...]) -> dict[str, Any]:
    """Return `axis` for values under `coloured`, its bar numbered with the values themselves."""
    places = coloured(np.array((axis["cmin"], axis["cmax"], *ticks), dtype=np.float32), "root").tolist()
    bar = axis["colorbar"]
    title = bar["title"] | {"text": _("{title} (colour: square root)", title=bar["title"]["text"])}
    numbers = {"tickmode": "array", "tickvals": places[2:], "ticktext": [f"{tick:g}" for tick in ticks]}
    return axis | {"cmin": places[0], "cmax": places[1], "colorbar": bar | numbers | {"title": title}}


def _colour_axis(scale: tuple[tuple[float, str], ...], limits: tuple[float, float], title: str) -> dict[str, Any]:
    bar = {
        "title": {"text": title, "side": "top", "font": {"size": NOTE_SIZE}},
        "orientation": "h",
        "thickness": 12,
        "lenmode": "pixels",
        "tickfont": {"size": NOTE_SIZE},
        "outlinewidth": 0,
    }
    return {"colorscale": scale, "cmin": limits[0], "cmax": limits[1], "colorbar": bar}


def template() -> go.layout.Template:
    """Return what every figure starts from: fonts, neutral colours and no frame.

    The style sheet of the pages lets the page shine through and gives the text the colour of theirs, light or
    dark; a saved picture keeps these.
    """
    axis = {"showgrid": False, "zeroline": False, "showline": False, "ticks": ""}
    return go.layout.Template(
        layout={
            "font": {"family": FONT_FAMILY, "size": FONT_SIZE, "color": TEXT_COLOUR},
            "paper_bgcolor": PAPER_COLOUR,
            "plot_bgcolor": CLEAR,
            "hoverlabel": {"font": {"family": FONT_FAMILY, "size": FONT_SIZE + 1}, "align": "left"},
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"bgcolor": CLEAR},
            "dragmode": False,
            "modebar": {"bgcolor": CLEAR, "color": "#8a8f98", "activecolor": "#5b6068"},
        }
    )


PICKED_COLOUR = "#e8590c"
"""Around the small maps of picked heads: far from every colour of the weights, on light and dark pages."""
