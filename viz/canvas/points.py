"""Data of the canvas beside a figure of points: the small map of every head, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence

from viz.canvas.overview import SmallMaps
from viz.canvas.payload import MOST_PICKED, pack
from viz.figures.drawing.theme import NIGHT_SCALE, WEIGHT_SCALE, Colour
from viz.text.language import _
from viz.views.heads import HeadPlace


def encode_points(
    small: SmallMaps, said: Sequence[str], *, picked: Sequence[HeadPlace], figure: str, colour: Colour = "linear"
) -> bytes:
    """Return the small maps of all heads, and what is `said` of each; `figure` is the class of what has the points."""
    header = {
        "container": figure,
        "heads": small.places,
        "titles": [place.title for place in small.places],
        "says": list(said),
        "picked": list(picked),
        "most_picked": MOST_PICKED,
        "rows": small.rows.tolist(),
        "columns": small.columns.tolist(),
        "hint": _(
            "Point at a head, or tap it: its small map on this text appears. By keyboard: Tab to this line, arrow keys "
            "go from head to head, Enter picks."
        ),
        "colour": colour,
        "palette": WEIGHT_SCALE,
        "night": NIGHT_SCALE,
    }
    return pack(header, small.cells.tobytes())
