"""Data of the walk's canvas: pictures, steps and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viz.canvas.payload import MARKS, pack
from viz.text.language import _, mark

VERSION = 1

_WORDS = {
    **MARKS,
    "previous": mark("Previous step"),
    "next": mark("Next step"),
    "play": mark("Play all steps"),
    "pause": mark("Pause"),
    "hidden": mark("hidden"),
    "board": mark("Picture of the walk: arrow keys change the step, with Shift the column"),
    "sentence": mark("Words: each has its own walk"),
    "hint": mark(
        "Click a word of the sentence above to follow it. Click a column to see how its score is computed. Arrow "
        "keys change the step, with Shift the column. Words count from 1, vector components from 0. One component is "
        "worked out: the largest, or the one that adds most to the score."
    ),
}


def encode_walk(
    pictures: Sequence[Mapping[str, Any]],
    *,
    titles: Mapping[str, str],
    step: str,
    at: tuple[int, int | None],
    text: Mapping[str, Any],
) -> bytes:
    """Return all that the browser shows of a walk at a row and a column; with "put" `text` offers another word."""
    header = {
        "version": VERSION,
        "step": step,
        "row": at[0],
        "column": at[1],
        "put": "",
        "steps": [{"key": key, "title": title} for key, title in titles.items()],
        "pictures": pictures,
        "words": {name: _(message) for name, message in _WORDS.items()},
        **text,
    }
    return pack(header, b"")
