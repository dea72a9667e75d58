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

POINTS = 72  # in an inch: one unit of the measuring renderer is a point
_HAN = Path(__file__).parents[3] / "static" / "NotoSansSC.woff2"
_FAMILIES = ("DejaVu Sans", "Noto Sans SC", "Noto Sans CJK SC", "Microsoft YaHei", "Arial Unicode MS")
"""The first comes with matplotlib, the second with the app; the others are looked for on the machine."""


@cache
def families() -> tuple[str, ...]:
    """Return the fonts of this machine that are used, in the order in which a character is looked up."""
    _add_han()
    there = set(font_manager.get_font_names())
    return tuple(each for each in _FAMILIES if each in there)


def _add_han() -> None:
    """Make the app's Chinese font known to matplotlib, which reads no compressed web fonts."""
    unpacked = TTFont(_HAN)
    unpacked.flavor = None
    try:
        with NamedTemporaryFile(suffix=".otf", delete=False) as file:  # read again whenever a figure is drawn
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
    return RendererAgg(1, 1, POINTS)  # type: ignore[no-untyped-call]


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return the points that `text` takes."""
    written = font(size, bold=bold)
    width = _renderer().get_text_width_height_descent(text, written, ismath=False)[0]  # type: ignore[no-untyped-call]
    return float(width)


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
