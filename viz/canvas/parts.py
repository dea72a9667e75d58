"""Files of a canvas: its markup, style and script, joined with those that all canvases share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent

_HEADS = ("maps.css", "canvas.js", "drawn.js", "maps.js")
_FILES = {
    "overview": ("overview.html", *_HEADS, "overview.js", "picture.js"),
    "comparison": ("comparison.html", *_HEADS, "comparison.js", "offers.js", "picture.js"),
    "alignment": (
        "alignment.html",
        "alignment.css",
        "canvas.js",
        "alignment_panels.js",
        "alignment_formulas.js",
        "alignment_paint.js",
        "alignment_told.js",
        "alignment_lines.js",
        "alignment.js",
    ),
    "prediction": ("prediction.html", "prediction.css", "prediction.js"),
    "aligner": ("aligner.html", "aligner.css", "canvas.js", "aligner.js"),
    "walk": ("walk.html", "walk.css", "canvas.js", "walk_marks.js", "walk_board.js", "walk.js"),
}


class Parts(NamedTuple):
    """What a canvas is made of, as text; the script is a module whose default export shows a payload."""

    html: str
    style: str
    script: str


@cache
def parts_of(name: str) -> Parts:
    """Return what the canvas `name` is made of."""
    html, style, *scripts = ((FOLDER / file).read_text(encoding="utf8") for file in _FILES[name])
    return Parts(html, style, "\n".join(scripts))
