"""Binary format of the data that canvases of maps receive, with the words and colours that all share."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viz.figures.drawing.theme import (
    FONT_FAMILY,
    HEAD_COLOURS,
    NIGHT_SCALE,
    PAPER_COLOUR,
    TEXT_COLOUR,
    WEIGHT_SCALE,
    Colour,
    weight_axis,
    weight_ticks,
)
from viz.text.language import _, mark
from viz.text.tokens import isolated, visible
from viz.views.view import View

_LENGTH = struct.Struct("<I")

MARKS = {
    "letters": mark(
        "q: query, k: key, v: value (in additive attention a learned vector); s: decoder state, h: encoder "
        "state; e: score, \u03b1: weight, c: context vector; d: numbers in a vector; W, U: learned."
    ),
    "end": mark("</s> marks the end of the sentence. Models treat it like a word."),
}
"""What marks mean, said where they are pointed at; still to be translated."""

WORDS = {
    "end": MARKS["end"],
    "head": mark("layer {layer}, head {head}"),
    "weight": mark("≈ {weight}"),
    "later": mark("masked: score {score}"),
    "masked": mark("masked: later word"),
    "empty": mark("left empty: below {least}"),
    "token": mark("{axis}: “{token}”"),
    "span": mark("{first} … {last}"),
    "save": mark("Download as {format}"),
    "many": mark("{count} cells are too many for an SVG. Here you get a PNG; a PDF is under “Save as …”."),
}
"""What all canvases say; still to be translated."""


def pack(header: dict[str, Any], cells: bytes) -> bytes:
    """Return a payload: compressed by zlib, level 1."""
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    return zlib.compress(b"".join((_LENGTH.pack(len(text)), text, cells)), 1)


@dataclass(frozen=True, slots=True)
class Look:
    """How a canvas is drawn, what is said of it, and what it is saved as."""

    colour: Colour = "linear"
    width: float = 1320  # pixels that it may take
    says: str = ""
    file: str = "figure.png"
    turned: Mapping[str, Any] | None = None  # what a switch of quantities turns, as `viz/canvas/payloads.d.ts` has it


USUAL = Look()

MOST_PICKED = 4
"""Heads that can be picked at once."""


JOINT = "\u00a0· "
"""What stands between notes."""


def legend_of(note: str, colour: Colour, meaning: str) -> dict[str, Any]:
    """Return what is written below every picture: what a colour means, then `note`: what rows and columns are."""
    bar = weight_axis(meaning, colour=colour)["colorbar"]
    return {"legend": bar["title"]["text"], "ticks": weight_ticks(colour), "note": note}


def header_of(view: View, title: str, note: str, look: Look, words: Mapping[str, str]) -> dict[str, Any]:
    """Return what the headers of all canvases hold: words, tokens, and what colours cells and a picture on white.

    The legend says `note` too, if nothing else is put in its place.
    """
    return {
        "title": title,
        **legend_of(note, look.colour, view.meaning),
        "alt": _(". ").join(filter(None, (title, look.says.removesuffix(_(".")), note))),
        "file": look.file,
        "site": f"{view.shown.site.stack} {view.shown.site.kind}",
        "queries": [isolated(visible(text)) for text in view.query_labels.texts],
        "keys": [isolated(visible(text)) for text in view.key_labels.texts],
        "query_title": view.query_title,
        "key_title": view.key_title,
        "threshold": view.threshold,
        "words": {key: _(message) for key, message in {**WORDS, **words}.items()},
        "colour": look.colour,
        "palette": WEIGHT_SCALE,
        "night": NIGHT_SCALE,
        "pick_colours": HEAD_COLOURS,
        "ink": TEXT_COLOUR,
        "paper": PAPER_COLOUR,
        "font": FONT_FAMILY,
        "turned": look.turned,
    }
