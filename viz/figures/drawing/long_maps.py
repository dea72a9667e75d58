"""Maps of texts so long that no label fits beside a cell: every weight exact, tokens named where the pointer is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.heads import LEGEND_MARGIN, LEGEND_WIDTH, legend_height, place_legend
from viz.figures.drawing.mosaic import LINE, wrapped
from viz.figures.drawing.panels import LINE_HEIGHT
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE, Colour, template
from viz.text import tokens
from viz.text.language import _
from viz.views.hiding import drawn, threshold_note

if TYPE_CHECKING:
    from viz.figures.drawing.panel import Panel

MOST_LABELLED = 160
"""Tokens of an axis up to which each has its label; of a longer one a few have."""

LABELS = 12  # of an axis, spread evenly
LONGEST = 12  # columns of such a label
LEFT, ABOVE = 104, 92  # pixels for labels and the title of an axis
RIGHT = 30  # pixels that a slanted label takes beyond the last column
LARGEST = 640  # pixels of a map's longer side
NARROWEST = 420  # pixels of a map with its labels, with less room there are fewer in a row
GAP = 24
SHADES = 33  # stops of a colour scale that goes with the square root
CLOSEST = 0.06  # numbers of the bar that are nearer to 0 than this share of it would cover each other
MOST_EXTRAS = 1
"""Maps of a figure up to which hover texts name further numbers: of 1,024 tokens these take 8 MB a map."""


def is_long(panel: Panel) -> bool:
    """Return whether the tokens of `panel` are too many to label each."""
    return bool(max(panel.values.shape) > MOST_LABELLED)


def draw_long_panels(panels: Sequence[Panel], colours: dict[str, Any], *, colour: Colour, width: float) -> go.Figure:
    """Draw `panels` with a few labels an axis; hovering names both tokens and the exact number.

    Parameters
    ----------
    panels, colours, colour, width
        As `viz.figures.drawing.head_panels.draw_panels` takes them.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap a panel. Its values are those of the panel whatever the colours: these follow the square root by
        the stops of the scale, so that nothing but the values themselves is sent.
    """
    columns = max(1, min(len(panels), int((width + GAP) // (NARROWEST + GAP)), 2))
    pitch = (width + GAP) / columns
    side = min(pitch - GAP - LEFT - RIGHT, LARGEST)
    heads = [_heading(panel, pitch - GAP) for panel in panels]
    legend = legend_height(colours)
    layout: dict[str, Any] = {"template": template(), "annotations": []}
    heatmaps, boxes, top = [], [], legend + LINE
    for start in range(0, len(panels), columns):
        row = range(start, min(start + columns, len(panels)))
        head = max(len(heads[number][0]) * TITLE_SIZE * LINE_HEIGHT + len(heads[number][1]) * LINE for number in row)
        for number in row:
            queries, keys = panels[number].values.shape
            scale = side / max(queries, keys)
            left = (number - start) * pitch + LEFT
            upper = top + head + ABOVE
            boxes.append((left, upper, max(keys * scale, 60), max(queries * scale, 60), top))
        top = max(box[1] + box[3] for box in boxes[start:]) + GAP
    height = top
    across = max(width, LEGEND_WIDTH + LEGEND_MARGIN) if width >= LEGEND_WIDTH else width
    for number, (panel, (left, upper, wide, high, head_top)) in enumerate(zip(panels, boxes, strict=True), start=1):
        suffix = "" if number == 1 else str(number)
        spans = [left / across, (left + wide) / across], [1 - (upper + high) / height, 1 - upper / height]
        shown = panel.view.shown
        layout[f"xaxis{suffix}"] = _axis(shown.key_tokens.texts, panel.view.key_title, spans[0], f"y{suffix}") | {
            "side": "top",
            "tickangle": -45,
        }
        layout[f"yaxis{suffix}"] = _axis(shown.query_tokens.texts, panel.view.query_title, spans[1], f"x{suffix}") | {
            "autorange": "reversed"
        }
        layout["annotations"] += _words(heads[number - 1], (left - LEFT) / across, 1 - head_top / height, height)
        heatmaps.append(_heatmap(panel, suffix, alone=len(panels) <= MOST_EXTRAS))
    axis = place_legend(_shades(colours, colour), width=across, height=height, below=height - legend)
    layout |= {"width": across, "height": height, "coloraxis": axis}
    layout["margin"] = {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False}
    return go.Figure(heatmaps, layout)


def _heading(panel: Panel, width: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    notes = (*panel.notes, *threshold_note([panel.values], panel.view.threshold))
    labels = _("a few tokens are named; hovering names all")
    return wrapped(panel.title, width, TITLE_SIZE), wrapped("\u00a0· ".join((*notes, labels)), width)


def _words(
    heading: tuple[tuple[str, ...], tuple[str, ...]], left: float, top: float, height: float
) -> list[dict[str, Any]]:
    bold, small = ("<br>".join(map(tokens.escape, lines)) for lines in heading)
    place = {"x": left, "xanchor": "left", "yanchor": "top", "xref": "paper", "yref": "paper", "align": "left"}
    below = top - len(heading[0]) * TITLE_SIZE * LINE_HEIGHT / height
    return [
        {"text": f"<b>{bold}</b>", "y": top, "font": {"size": TITLE_SIZE}, "showarrow": False, "borderpad": 0, **place},
        {"text": small, "y": below, "font": {"size": NOTE_SIZE}, "showarrow": False, "borderpad": 0, **place},
    ]


def _axis(texts: Sequence[str], title: str, domain: list[float], anchor: str) -> dict[str, Any]:
    """Return an axis of categories, one a position, so that hovering names any token while a few are labelled."""
    count = len(texts)
    places = sorted({round(place) for place in np.linspace(0, count - 1, min(LABELS, count))})
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names_of(texts),
        "domain": [max(domain[0], 0.0), min(domain[1], 1.0)],
        "anchor": anchor,
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [tokens.label(texts[place], LONGEST) for place in places],
        "title": {"text": title, "font": {"size": NOTE_SIZE + 1}, "standoff": 4},
        "fixedrange": True,
        "automargin": False,
        "ticks": "outside",
        "ticklen": 4,
    }


def names_of(texts: Sequence[str]) -> list[str]:
    """Return a name a position for hover texts, no two alike: the position, counted from 0, and the token.

    Examples
    --------
    >>> names_of(["the", "the"])
    ['0: the', '1: the']
    """
    return [f"{place}: {tokens.full_label(text)}" for place, text in enumerate(texts)]


def _heatmap(panel: Panel, suffix: str, *, alone: bool) -> go.Heatmap:
    shown = panel.view.shown
    number = f"<b>%{{z:{'+' if panel.signed else ''}.4f}}</b>"
    extras: NDArray[Any] | None = None
    closing = ""
    if panel.extras and alone:
        extras = np.stack([panel.values, *panel.extras], axis=-1)  # [query, key, number]
        closing = panel.closing
    hover = panel.view.cell(weight=number, query="<b>%{y}</b>", key="<b>%{x}</b>")
    return go.Heatmap(
        z=drawn(panel.values, panel.view.threshold),
        x=names_of(shown.key_tokens.texts),
        y=names_of(shown.query_tokens.texts),
        customdata=extras,
        coloraxis="coloraxis",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        hoverongaps=False,
        name=tokens.escape(panel.title),
        hovertemplate=f"{hover}{closing}<extra></extra>",
    )


def _shades(colours: dict[str, Any], colour: Colour) -> dict[str, Any]:
    """Return the colour axis `colours` for values as they are, its stops placed where their square roots were."""
    if colour == "linear":
        return colours
    low, high = float(colours["cmin"]), float(colours["cmax"])
    roots = np.linspace(low, high, SHADES)
    values = np.sign(roots) * roots**2
    first, last = values[0], values[-1]
    shades = [_between(colours["colorscale"], (root - low) / (high - low)) for root in roots]
    scale = [((value - first) / (last - first), shade) for value, shade in zip(values, shades, strict=True)]
    bar = colours["colorbar"]
    places = np.asarray(bar["tickvals"], dtype=np.float64)
    ticks = np.sign(places) * places**2
    kept = [place for place, tick in enumerate(ticks) if tick == 0 or abs(tick) >= CLOSEST * (last - first)]
    numbers = {"tickvals": ticks[kept].tolist(), "ticktext": [bar["ticktext"][place] for place in kept]}
    return colours | {
        "cmin": float(first),
        "cmax": float(last),
        "colorscale": scale,
        "colorbar": bar | numbers,
    }


def _between(stops: Sequence[tuple[float, str]], place: float) -> str:
    """Return the colour of a scale at `place`."""
    ends = [end for end, _shade in stops]
    channels = ([int(shade[at : at + 2], 16) for _end, shade in stops] for at in (1, 3, 5))
    return "#" + "".join(f"{round(float(np.interp(place, ends, values))):02x}" for values in channels)
