"""Heatmaps of texts too long for labels: exact weights, tokens named on hover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.colour_bar import bar_height, place_bar
from viz.figures.drawing.grid import LINE_HEIGHT
from viz.figures.drawing.headline import LINE, headline, wrapped
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.panel import Panel
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE, Colour, shade_at
from viz.text import tokens
from viz.text.counting import position_name
from viz.text.language import _
from viz.views.hiding import drawn

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
Heading = tuple[tuple[str, ...], tuple[str, ...]]
"""Lines of a title, and of the note under it."""

MOST_EXTRAS = 1
"""Maps of a figure up to which hover texts name further numbers: of 1,024 tokens these take 8 MB a map."""


def draw_long_panels(panels: Sequence[Panel], colours: dict[str, Any], *, colour: Colour, width: float) -> go.Figure:
    """Draw `panels` with a few labels an axis; hovering names both tokens and the exact number."""
    columns = max(1, min(len(panels), int((width + GAP) // (NARROWEST + GAP)), 2))
    pitch = (width + GAP) / columns
    heads = [_heading(panel, pitch - GAP) for panel in panels]
    legend = bar_height(colours)
    boxes, height = _arrange(panels, heads, columns=columns, pitch=pitch, top=legend + LINE)
    layout: dict[str, Any] = bare_layout(width, height) | {"annotations": []}
    heatmaps = []
    for number, (panel, box) in enumerate(zip(panels, boxes, strict=True), start=1):
        suffix = "" if number == 1 else str(number)
        layout |= _axes(panel, box, suffix, width=width, height=height)
        left, top = (box.left - LEFT) / width, 1 - box.head_top / height
        layout["annotations"] += headline(*heads[number - 1], height, left=left, top=top)
        heatmaps.append(_heatmap(panel, suffix, alone=len(panels) <= MOST_EXTRAS))
    layout["coloraxis"] = place_bar(_shades(colours, colour), width=width, height=height, below=height - legend)
    return go.Figure(heatmaps, layout)


class _Box(NamedTuple):
    """Where the cells of a map lie, and where its heading begins: pixels from the upper left."""

    left: float
    top: float
    width: float
    height: float
    head_top: float


def _arrange(
    panels: Sequence[Panel], heads: Sequence[Heading], *, columns: int, pitch: float, top: float
) -> tuple[list[_Box], float]:
    """Return the place of each panel, and the height of them all."""
    side = min(pitch - GAP - LEFT - RIGHT, LARGEST)
    boxes: list[_Box] = []
    for start in range(0, len(panels), columns):
        row = range(start, min(start + columns, len(panels)))
        head = max(len(heads[number][0]) * TITLE_SIZE * LINE_HEIGHT + len(heads[number][1]) * LINE for number in row)
        for number in row:
            queries, keys = panels[number].values.shape
            scale = side / max(queries, keys)
            left = (number - start) * pitch + LEFT
            boxes.append(_Box(left, top + head + ABOVE, max(keys * scale, 60), max(queries * scale, 60), top))
        top = max(box.top + box.height for box in boxes[start:]) + GAP
    return boxes, top


def _axes(panel: Panel, box: _Box, suffix: str, *, width: float, height: float) -> dict[str, Any]:
    wide = [box.left / width, (box.left + box.width) / width]
    high = [1 - (box.top + box.height) / height, 1 - box.top / height]
    columns = _axis(panel.keys.texts, panel.key_title, wide, f"y{suffix}")
    rows = _axis(panel.queries.texts, panel.query_title, high, f"x{suffix}")
    return {
        f"xaxis{suffix}": columns | {"side": "top", "tickangle": -45},
        f"yaxis{suffix}": rows | {"autorange": "reversed"},
    }


def _heading(panel: Panel, width: float) -> Heading:
    labels = _("a few tokens are named; hovering names all")
    return wrapped(panel.title, width, TITLE_SIZE), wrapped("\u00a0· ".join((*panel.said, labels)), width)


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
    """Return a name a position for hover texts, no two alike: the position and the token."""
    return [f"{position_name(place)}: {tokens.full_label(text)}" for place, text in enumerate(texts)]


def _heatmap(panel: Panel, suffix: str, *, alone: bool) -> go.Heatmap:
    number = f"<b>%{{z:{'+' if panel.signed else ''}.4f}}</b>"
    extras: NDArray[Any] | None = None
    closing = ""
    if panel.extras and alone:
        extras = np.stack([panel.values, *panel.extras], axis=-1)  # [query, key, number]
        closing = panel.closing
    hover = panel.cell(weight=number, query="<b>%{y}</b>", key="<b>%{x}</b>")
    return go.Heatmap(
        z=drawn(panel.values, panel.threshold),
        x=names_of(panel.keys.texts),
        y=names_of(panel.queries.texts),
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
    shades = [shade_at(colours["colorscale"], (root - low) / (high - low)) for root in roots]
    scale = [((value - first) / (last - first), shade) for value, shade in zip(values, shades, strict=True)]
    bar = colours["colorbar"]
    places = np.asarray(bar["tickvals"], dtype=np.float64)
    ticks = np.sign(places) * places**2
    kept = [place for place, tick in enumerate(ticks) if tick == 0 or abs(tick) >= CLOSEST * (last - first)]
    numbers = {"tickvals": ticks[kept].tolist(), "ticktext": [bar["ticktext"][place] for place in kept]}
    return colours | {"cmin": float(first), "cmax": float(last), "colorscale": scale, "colorbar": bar | numbers}
