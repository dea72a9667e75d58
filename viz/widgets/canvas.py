"""Canvas components of the pages, and checks of what they report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from viz.canvas.bundle import bundled
from viz.canvas.parts import parts_of
from viz.canvas.standalone import Picture
from viz.server.scripts import script_of
from viz.views.heads import HeadPlace
from viz.widgets import session
from viz.widgets.session import reported

_TOLD = {
    "overview": "picked",
    "comparison": "chosen",
    "walk": "chosen",
    "aligner": "links",
    "alignment": "asked",
    "points": "picked",
}
"""What each canvas tells of what the reader does on it."""

_SHOWN = "canvases-shown"


def show_canvas(picture: Picture, *, key: str) -> None:
    """Show a canvas; what is done on it, `picked_on` and its like return at the start of the next run."""
    name = picture.canvas
    html, style, _script = parts_of(name)
    mount = st.components.v2.component(f"attention_bench.{name}", html=html, css=style, js=script_of(name))
    # A trigger must name what to call.
    told: dict[str, Any] = {f"on_{_TOLD[name]}_change": lambda: None} if name in _TOLD else {}
    mount(key=key, data=picture.payload, **told)
    session.recall(_SHOWN, {})[key] = picture.payload


def begin_canvases() -> None:
    """Note that a page begins to run, and has shown no canvas yet."""
    session.keep(_SHOWN, {})


def shown_canvases() -> dict[str, bytes]:
    """Return the payloads of the canvases that the page has shown in this run, by key."""
    found: dict[str, bytes] = session.recall(_SHOWN, {})
    return found


def hand_over(picture: Picture, *, key: str) -> None:
    """Hand the browser a picture that nobody sees yet, for when a switch of quantities is turned to it."""
    script = bundled(Path(__file__).with_name("foreseen.js"))
    mount = st.components.v2.component("attention_bench.foreseen", js=script, html="<div></div>")
    mount(key=key, data=picture.payload, height=1)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the reader has chosen of that which a word or a cell of a map offers."""

    operation: str
    row: int | None  # the query and the key that are meant, from 0
    column: int | None  # the query and the key that are meant, from 0
    place: HeadPlace | None = None  # the head whose map was clicked, if it is one


def chosen_on(key: str) -> Chosen | None:
    """Return what the reader has just chosen on the maps `key`; None in a run that was not started there."""
    state: Any = reported(key)
    return read_chosen(state.get("chosen")) if state else None


def read_chosen(value: Any) -> Chosen | None:
    """Read what a browser sent as chosen; None if it sent nothing, or nothing that is."""
    if not isinstance(value, dict) or not isinstance(value.get("operation"), str):
        return None
    places, heads = (value.get("row"), value.get("column")), read_picked([value.get("place")])
    return Chosen(value["operation"], *places, *(heads or ())) if all(map(_is_place, places)) else None


def _is_place(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def asked_on(key: str) -> dict[str, str] | None:
    """Return what the reader has just asked on the panels `key`: `of` which model, and the `query` and the `key`."""
    state: Any = reported(key)
    told = state.get("asked") if state else None
    names = ("of", "query", "key")
    if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in names):
        return None
    return {name: told[name] for name in names}


def replaced_on(key: str) -> tuple[str, int] | None:
    """Return in the translation of which model the reader wants another word on the panels `key`, and which one."""
    state: Any = reported(key)
    told = state.get("asked") if state else None
    if not isinstance(told, dict) or not isinstance(told.get("of"), str) or not _is_place(told.get("word", "")):
        return None
    return told["of"], told["word"]


def picked_on(key: str) -> tuple[HeadPlace, ...] | None:
    """Return what the reader has just picked on the overview `key`, the head picked first in front."""
    state: Any = reported(key)
    return read_picked(state.get("picked")) if state else None


def read_picked(value: Any) -> tuple[HeadPlace, ...] | None:
    """Read what a browser sent as picked heads; None if it sent nothing, or nothing that names heads."""
    if not isinstance(value, list):
        return None
    places = [tuple(each) if isinstance(each, list) else () for each in value]
    if not all(len(each) == 2 and all(type(number) is int and number >= 0 for number in each) for each in places):
        return None
    return tuple(dict.fromkeys(HeadPlace(*each) for each in places))


@dataclass(frozen=True, slots=True)
class Walked:
    """What the reader looks at in a walk."""

    row: int | None  # the query, from 0
    column: int | None  # the key whose score is explained; None for the one that is read most
    step: str  # its key
    puts: bool = False  # whether another word is wanted in the place of that of the row


def walked_on(key: str) -> Walked | None:
    """Return what the reader has just turned to in the walk `key`; None in a run that was not started there."""
    state: Any = reported(key)
    return read_walked(state.get("chosen")) if state else None


def read_walked(value: Any) -> Walked | None:
    """Read what a browser sent as a place in a walk; None if it sent nothing, or nothing that is one."""
    if not isinstance(value, dict) or not isinstance(value.get("step"), str):
        return None
    row, column = (value.get(name) for name in ("row", "column"))
    if not (_is_place(row) and _is_place(column)):
        return None
    return Walked(row, column, value["step"], puts=value.get("puts") is True)


def aligned_on(key: str) -> tuple[str, str] | None:
    """Return of which pair the reader has just aligned words in the grid `key`, and the links; None in other runs."""
    state: Any = reported(key)
    told = state.get("links") if state else None
    if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in ("of", "links")):
        return None
    return told["of"], told["links"]
