"""Edits offered by a clicked word or cell of the map."""

from __future__ import annotations

from typing import Any

from models.trace import AttentionMap
from viz.text.language import _, mark
from viz.views.view import View
from viz.widgets.canvas import chosen_on
from viz.widgets.edits.builder import fill_in

CANVAS = "maps"

_OFFERS = {
    "forbid": (mark("{word} hidden"), ("word",)),
    "force": (mark("{row} attends only to {word}"), ("row", "word")),
    "even": (mark("{row} attends to all tokens equally"), ("row",)),
    "row": (mark("set the row of {row} by hand"), ("row",)),
}
"""What can be done to a cell, and which of its words must be known."""


def offers() -> list[dict[str, Any]]:
    """Return what a word or a cell offers, as `viz.canvas.edited.encode_edited` takes it."""
    return [
        {"operation": operation, "text": _(text), "needs": list(needs)} for operation, (text, needs) in _OFFERS.items()
    ]


def take_offer(view: View) -> None:
    """Let the controls of an edit say what has just been chosen on the map; before they are shown."""
    chosen = chosen_on(CANVAS)
    if chosen is None or chosen.operation not in _OFFERS:
        return
    own = view.trace[view.shown.site]
    row, column = _row(view, own, chosen.row), _column(view, own, chosen.column)
    if row is not None or column is not None:
        fill_in(chosen.operation, str(view.shown.site), row, column)


def _row(view: View, own: AttentionMap, row: int | None) -> int | None:
    """Return the word of the row `row` of `view`, as the edits count it; None if there is none."""
    if row is None or row >= len(view.shown.query_tokens):
        return None
    if view.unit == "piece":
        return own.query_tokens.words[row]
    if view.reading == "input":  # a row is labelled by the word read in: the edit is of the step that writes another
        return own.query_tokens.words[view.trace.target_input.words.index(row)]
    return row


def _column(view: View, own: AttentionMap, column: int | None) -> int | None:
    if column is None or column >= len(view.shown.key_tokens):
        return None
    return own.key_tokens.words[column] if view.unit == "piece" else column
