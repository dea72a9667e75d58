"""Files of a canvas: its markup, style and script, joined with those that all canvases share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from viz.canvas.bundle import bundled

FOLDER = Path(__file__).parent

_FILES = {
    "overview": ("overview.html", "overview.js", "maps.css", "legend.css"),
    "comparison": ("comparison.html", "offers.js", "maps.css", "legend.css"),
    "alignment": ("alignment.html", "alignment_asking.js", "alignment.css", "legend.css"),
    "points": ("points.html", "points.js", "points.css"),
    "prediction": ("prediction.html", "prediction.js", "prediction.css"),
    "aligner": ("aligner.html", "aligner.js", "aligner.css"),
    "walk": ("walk.html", "walk.js", "walk.css"),
}


class Parts(NamedTuple):
    """What a canvas is made of, as text; the script is a module whose default export shows a payload."""

    html: str
    style: str
    script: str


@cache
def parts_of(name: str) -> Parts:
    """Return what the canvas `name` is made of."""
    html, script, *styles = (FOLDER / file for file in _FILES[name])
    style = "".join(each.read_text(encoding="utf8") for each in styles)
    return Parts(html.read_text(encoding="utf8"), style, bundled(script))
