"""What is sent to every canvas of maps alike: how bytes are put together, and the words and colours of all."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

from viz.figures.drawing.theme import FONT_FAMILY, PAPER_COLOUR, PICKED_COLOUR, TEXT_COLOUR, WEIGHT_SCALE, Colour
from viz.text.language import mark
from viz.views.view import View

_LENGTH = struct.Struct("<I")

WORDS = {
    "head": mark("layer {layer}, head {head}"),
    "weight": mark("≈ {weight}"),
    "empty": mark("drawn empty: below {least}"),
    "token": mark("{axis}: “{token}”"),
    "span": mark("{first} … {last}"),
    "save": mark("Download as {format}"),
}
"""What all canvases say; still to be translated."""


def pack(header: dict[str, Any], cells: bytes) -> bytes:
    """Return a payload: compressed by zlib, level 1.

    Parameters
    ----------
    header : dict
        What JSON can hold.
    cells : bytes
        Of the maps.

    Returns
    -------
    bytes
        The length of the header as four bytes, little-endian; the header, JSON in ASCII; then `cells`.
    """
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    return zlib.compress(b"".join((_LENGTH.pack(len(text)), text, cells)), 1)


def site_of(view: View) -> str:
    """Name the stack and the kind of attention that `view` shows: canvases of the same are alike.

    Parameters
    ----------
    view : View
    """
    return f"{view.shown.site.stack} {view.shown.site.kind}"


def colours_of(colour: Colour) -> dict[str, Any]:
    """Return what a canvas needs to colour cells, and to save a picture dark on white.

    Parameters
    ----------
    colour : {"linear", "root"}
    """
    return {
        "colour": colour,
        "palette": WEIGHT_SCALE,
        "pick_colour": PICKED_COLOUR,
        "ink": TEXT_COLOUR,
        "paper": PAPER_COLOUR,
        "font": FONT_FAMILY,
    }
