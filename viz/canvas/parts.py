"""Files of a canvas: its markup, style and script, joined with those that all canvases share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from viz.canvas.bundle import bundled

FOLDER = Path(__file__).parent

_FILES = {
    "overview": ("overview.html", "maps.css", "overview.js"),
    "comparison": ("comparison.html", "maps.css", "offers.js"),
    "alignment": ("alignment.html", "alignment.css", "alignment_asking.js"),
    "points": ("points.html", "points.css", "points.js"),
    "prediction": ("prediction.html", "prediction.css", "prediction.js"),
    "aligner": ("aligner.html", "aligner.css", "aligner.js"),
    "walk": ("walk.html", "walk.css", "walk.js"),
}


class Parts(NamedTuple):
    """What a canvas is made of, as text; the script is a module whose default export shows a payload."""

    html: str
    style: str
    script: str


@cache
def parts_of(name: str) -> Parts:
    """Return what the canvas `name` is made of."""
    html, style, script = (FOLDER / file for file in _FILES[name])
    return Parts(html.read_text(encoding="utf8"), style.read_text(encoding="utf8"), bundled(script))
