"""The files of a canvas: its markup, its style and its script, with what stands behind every canvas."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent

_FILES = {
    "overview": ("overview.html", "maps.css", "maps.js", "overview.js", "picture.js"),
    "comparison": ("comparison.html", "maps.css", "maps.js", "comparison.js", "picture.js"),
    "walk": ("walk.html", "walk.css", "walk_board.js", "walk.js"),
}


class Parts(NamedTuple):
    """What a canvas is made of, as text; the script is a module whose default export shows a payload."""

    html: str
    style: str
    script: str


@cache
def parts_of(name: str) -> Parts:
    """Return what the canvas `name` is made of.

    Parameters
    ----------
    name : {"overview", "comparison", "walk"}
    """
    html, style, *scripts = ((FOLDER / file).read_text(encoding="utf8") for file in _FILES[name])
    return Parts(html, style, "\n".join(scripts))
