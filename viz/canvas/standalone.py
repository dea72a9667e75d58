"""Canvases as one self-contained HTML file, interactive without a server.

`standalone_html` makes a whole page of pictures. A page that holds more than pictures (a lesson) puts `STYLE` into
its head, what `picture_html` gives where a picture stands, and what `scripts_html` gives at its end.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from viz.canvas.bundle import bundled
from viz.canvas.parts import FOLDER, parts_of
from viz.text.language import current_language
from viz.text.policy import policy_of_file

STYLE = (FOLDER / "standalone.css").read_text(encoding="utf8")
"""Of a page that holds pictures: the colours that they ask the page for."""

_RUNS = bundled(FOLDER / "standalone.js")


@dataclass(frozen=True, slots=True)
class Picture:
    """What a canvas shows: all that a page of its own needs of it.

    Parameters
    ----------
    canvas : str
        Its name, as `viz.canvas.parts.parts_of` takes it.
    payload : bytes
        As the ``encode_...`` of the canvas gives it.
    answers : mapping of str to bytes, optional
        Of a walk: what it shows of another row and column, by ``row column``.
    """

    canvas: str
    payload: bytes = field(repr=False)
    answers: Mapping[str, bytes] = field(default_factory=dict, repr=False)


def standalone_html(
    title: str,
    pictures: Sequence[Picture],
    facts: Iterable[tuple[str, str]] = (),
    *,
    ground: Literal["white", "around"] = "white",
) -> str:
    """Return a page of HTML that shows `pictures` one below the other, with everything inside.

    It opens by double click, without a server and without a network: markup, styles, scripts and numbers stand in it,
    and its policy lets it load nothing else. Pictures of one text's heads answer each other as on the Heads page.

    Parameters
    ----------
    title : str
        What it shows, in plain text.
    pictures : sequence of Picture
        At least one. One whose payload is empty waits until a script of the page gives it another.
    facts : iterable of (str, str), optional
        What stands below them: a name and a text each, such as `viz.captions.provenance.facts_of` gives.
    ground : {"white", "around"}, optional
        White everywhere, or in a frame that stands on a dark page as dark as that page.

    Returns
    -------
    str

    Examples
    --------
    >>> page = standalone_html("Nothing", [Picture("overview", b"")])
    >>> page.startswith("<!DOCTYPE html>"), "https://" in page
    (True, False)
    """
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in facts)
    follows = " data-follows" if ground == "around" else ""
    scripts = [_script(each) for each in dict.fromkeys(each.canvas for each in pictures)]
    return "\n".join(
        (
            f'<!DOCTYPE html><html lang="{escape(current_language())}"{follows}><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy_of_file(scripts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
            *map(picture_html, pictures),
            f'<dl class="facts">{rows}</dl>' if rows else "",
            scripts_html(each.canvas for each in pictures),
            "</body></html>",
        )
    )


def picture_html(picture: Picture, *, waits: bool = False) -> str:
    """Return the element that `picture` fills once `scripts_html` has run; its data is in base64."""
    parts = parts_of(picture.canvas)
    answers = "".join(_held(payload, f' data-at="{escape(at)}"') for at, payload in picture.answers.items())
    return (
        f'<div class="picture" data-canvas="{picture.canvas}"{" data-waits" if waits or not picture.payload else ""}>'
        f"<template><style>{parts.style}</style>{parts.html}</template>{_held(picture.payload)}{answers}</div>"
    )


def _held(payload: bytes, at: str = "") -> str:
    held = base64.b64encode(payload).decode("ascii")
    return f'<script type="application/octet-stream"{at}>{held}</script>'


def scripts_html(canvases: Iterable[str]) -> str:
    """Return the scripts that draw every picture of these kinds on a page: once, behind the last of them."""
    return "\n".join(f'<script type="module">{_script(name)}</script>' for name in dict.fromkeys(canvases))


def _script(canvas: str) -> str:
    return f'const CANVAS = "{canvas}";\n{parts_of(canvas).script}\n{_RUNS}'
