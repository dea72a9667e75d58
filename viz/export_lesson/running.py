"""Headless run of a lesson step's page."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

from models.errors import InputError
from models.messages import Message
from viz.shell.headless import PageError, bytes_of, component_of, elements_of, run_script
from viz.text.language import ENGLISH, current_language
from viz.widgets.interface_language import INTERFACE

PATIENCE = 600
"""Seconds that a page may take: some count what a hundred runs of a model do."""

WIDTH = 1160
"""Pixels for which figures are laid out: those of a projector with 1280, without the margins of the page."""

_SCRIPT = """
from viz.pages.{page}.page import PAGE
from viz.widgets.viewport import assume_width
assume_width({width})
PAGE.show_alone()
"""
OURS = "attention_bench."
_LENGTH = struct.Struct("<I")


def run_page(page: str, link: Mapping[str, str]) -> Any:
    """Return what a page shows to whoever opens it by a link: the block of Streamlit that holds all of it."""
    script = _SCRIPT.format(page=page, width=WIDTH)
    try:
        return run_script(script, {INTERFACE.name: current_language()} | dict(link), seconds=PATIENCE)
    except PageError as error:
        raise InputError(Message("the page “{page}” fails: {reason}", page=page, reason=error)) from error


def canvas_of(element: Any) -> str:
    """Return the canvas name of an element, as `viz.canvas.parts.parts_of` takes it; empty for any other."""
    name = component_of(element)
    return name.removeprefix(OURS) if name.startswith(OURS) else ""


def payload_in(page: str, link: Mapping[str, str], canvas: str) -> bytes | None:
    """Return what the first canvas of a kind is fed with under a link; None if the page shows none."""
    found = (each for each in elements_of(run_page(page, link)) if canvas_of(each) == canvas)
    return next(map(bytes_of, found), None)


def unpacked(payload: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of a payload and its cells: what `viz.canvas.payload.pack` has put together."""
    plain = zlib.decompress(payload)
    end = _LENGTH.size + _LENGTH.unpack_from(plain)[0]
    return json.loads(plain[_LENGTH.size : end]), plain[end:]


def spoken(language: str, known: tuple[str, ...]) -> str:
    """Return the language of the interface that goes with a lesson in `language`."""
    return next((each for each in (language, language.split("-")[0]) if each in known), ENGLISH)
