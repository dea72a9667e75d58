"""The files of a canvas: its markup, its style and its script, with what stands behind every canvas."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Parts(NamedTuple):
    """What a canvas is made of, as text; the script is a module whose default export shows a payload."""

    html: str
    style: str
    script: str


@cache
def parts_of(name: str) -> Parts:
    """Return what the canvas `name` is made of: "overview" or "comparison".

    Parameters
    ----------
    name : {"overview", "comparison"}
    """
    files = (f"{name}.html", "maps.css", "maps.js", f"{name}.js", "picture.js")
    html, style, *scripts = ((FOLDER / file).read_text(encoding="utf8") for file in files)
    return Parts(html, style, "\n".join(scripts))
