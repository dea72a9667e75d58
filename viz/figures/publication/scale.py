"""Colour scale and colour bar for print."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize

from viz.figures.drawing.colour_bar import title_lines
from viz.figures.publication.layout import LEADING, NOTE, PAD
from viz.figures.publication.sheet import LINE, Sheet

_STEPS = 256
_WIDE, _HIGH, _TICK = 170.0, 7.0, 2.0  # points of a bar


def colours_of(axis: dict[str, Any]) -> ScalarMappable:
    """Return the colours of a colour axis."""
    stops = [(float(place), colour) for place, colour in axis["colorscale"]]
    scale = LinearSegmentedColormap.from_list("weights", stops, _STEPS)
    return ScalarMappable(Normalize(axis["cmin"], axis["cmax"]), scale)


def draw_scale(sheet: Sheet, axis: dict[str, Any]) -> None:
    """Draw what colours mean, its bar and its numbers, below what is there."""
    sheet.paragraph(unescape(" ".join(title_lines(axis))), NOTE)
    sheet.bottom += PAD
    wide, (low, high) = min(_WIDE, sheet.width * 0.9), (float(axis["cmin"]), float(axis["cmax"]))
    left, top = 2 * PAD, sheet.bottom
    xs = np.linspace(left, left + wide, _STEPS + 1)
    sheet.cells(xs, np.array([top, top + _HIGH]), colours_of(axis).to_rgba(np.linspace(low, high, _STEPS)[None]))
    sheet.frame(left, top, wide, _HIGH)
    for at, text in _ticks(axis):
        x = left + wide * (at - low) / (high - low)
        sheet.line([(x, top + _HIGH), (x, top + _HIGH + _TICK)], LINE, linewidth=0.4)
        sheet.write(text, x, top + _HIGH + _TICK + 1, NOTE, va="top", ha="center")
    sheet.bottom = top + _HIGH + _TICK + NOTE * LEADING


def _ticks(axis: dict[str, Any]) -> list[tuple[float, str]]:
    bar = axis["colorbar"]
    if bar.get("tickvals") is not None:
        return [(float(at), str(text)) for at, text in zip(bar["tickvals"], bar["ticktext"], strict=True)]
    return [(float(at), f"{at:g}".replace("-", "\u2212")) for at in np.linspace(axis["cmin"], axis["cmax"], 5)]
