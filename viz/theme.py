"""Colours, ranges, fonts and sizes: one place, so that a colour means the same in every figure."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

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

FONT_FAMILY = (
    '"Source Sans", "Source Sans 3", "Source Sans Pro", "Noto Sans", "Segoe UI", Arial, '
    '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans Arabic", "Noto Sans Hebrew", '
    '"Noto Color Emoji", sans-serif'
)
"""Fonts that are on the machine, in order; nothing is fetched."""

FONT_SIZE = 15
"""Size of token labels, in pixels: readable from three metres when projected."""

TITLE_SIZE = 18
NOTE_SIZE = 13
SMALLEST_FONT = 9

TEXT_COLOUR = "#1c2330"
PAPER_COLOUR = "#ffffff"


def weight_axis(title: str) -> dict[str, Any]:
    """Give the colour axis that all weights share: 0 to 1, whatever the picture holds.

    Parameters
    ----------
    title : str
        What a colour means, in words.

    Returns
    -------
    dict
        For ``layout.coloraxis``, with a horizontal colour bar that a figure puts in its place.
    """
    return _colour_axis(WEIGHT_SCALE, WEIGHT_RANGE, title)


def difference_axis(title: str, *, largest: float = 1.0) -> dict[str, Any]:
    """Give the colour axis of differences: symmetric about 0.

    Parameters
    ----------
    title : str
        What a colour means, in words.
    largest : float, optional
        The end of the scale, above 0; the same in all figures that are compared.

    Returns
    -------
    dict
        For ``layout.coloraxis``.

    Raises
    ------
    ValueError
        If `largest` is not above 0.
    """
    if not largest > 0:
        message = f"largest is a number above 0; got {largest}"
        raise ValueError(message)
    return _colour_axis(DIFFERENCE_SCALE, (-largest, largest), title)


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
    """Give what every figure starts from: fonts, neutral colours and no frame.

    A page that has a theme of its own replaces the colours of text and paper, and nothing else.
    """
    axis = {"showgrid": False, "zeroline": False, "showline": False, "ticks": ""}
    return go.layout.Template(
        layout={
            "font": {"family": FONT_FAMILY, "size": FONT_SIZE, "color": TEXT_COLOUR},
            "paper_bgcolor": PAPER_COLOUR,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "hoverlabel": {"font": {"family": FONT_FAMILY, "size": FONT_SIZE + 1}, "align": "left"},
            "xaxis": axis,
            "yaxis": axis,
            "dragmode": False,
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#8a8f98", "activecolor": "#5b6068"},
        }
    )


def on_page(figure: go.Figure) -> go.Figure:
    """Let the page shine through `figure`, which is changed and given back.

    The style sheet of the pages gives its text the colour of theirs, light or dark.
    """
    return figure.update_layout(paper_bgcolor="rgba(0,0,0,0)")
