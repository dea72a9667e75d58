"""Text for print: fonts, text width, line breaking."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from fontTools.ttLib import TTFont
from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

POINTS = 72  # in an inch
_FINE = 20  # units of the measuring renderer a point: at one a point, letters are fitted to a coarse screen
STATIC = Path(__file__).parents[3] / "static"
_OWN = ("BenchSans-Regular", "BenchSans-Bold", "NotoSansSC")  # the fonts of the page
_FAMILIES = ("Bench Sans", "Noto Sans SC", "DejaVu Sans", "Noto Sans CJK SC", "Microsoft YaHei", "Arial Unicode MS")
"""The first two come with the app, the third with matplotlib; the others are looked for on the machine."""


@cache
def families() -> tuple[str, ...]:
    """Return the fonts of this machine that are used, in the order in which a character is looked up."""
    for name in _OWN:
        _add(STATIC / f"{name}.woff2")
    there = set(font_manager.get_font_names())
    return tuple(each for each in _FAMILIES if each in there)


def _add(compressed: Path) -> None:
    """Make a font of the app known to matplotlib, which reads no compressed web fonts."""
    unpacked = TTFont(compressed)
    unpacked.flavor = None
    ending = ".otf" if "CFF " in unpacked else ".ttf"
    try:
        with NamedTemporaryFile(suffix=ending, delete=False) as file:  # read again whenever a figure is drawn
            unpacked.save(file)
    except OSError:  # no place to write to: the machine's own fonts are left
        return
    atexit.register(Path(file.name).unlink, missing_ok=True)
    font_manager.fontManager.addfont(file.name)


def font(size: float, *, bold: bool = False) -> FontProperties:
    """Return the font of a text."""
    return FontProperties(family=list(families()), size=size, weight="bold" if bold else "normal")


@cache
def _renderer() -> RendererAgg:
    return RendererAgg(1, 1, POINTS * _FINE)  # type: ignore[no-untyped-call]


def extent_of(text: str, written: FontProperties, *, ismath: bool) -> tuple[float, float, float]:
    """Return the points that text, or a formula, takes: width, height, depth."""
    extent = _renderer().get_text_width_height_descent(text, written, ismath)  # type: ignore[no-untyped-call]
    width, height, depth = (float(each) / _FINE for each in extent)
    return width, height, depth


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return the points that `text` takes."""
    return extent_of(text, font(size, bold=bold), ismath=False)[0]


def lines_of(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """Return `text` in lines of at most `room` points; a word that is wider stands on a line of its own."""
    lines: list[str] = []
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(joined, size, bold=bold) <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
