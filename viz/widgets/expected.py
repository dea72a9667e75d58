"""Rows that the reader expects, kept for the visit, and whether maps are revealed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from viz.views.view import View
from viz.widgets import session

_STATE, _HIDDEN = "predictions", "predictions-hidden"


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """What was expected of a row."""

    heights: tuple[float, ...] = ()  # as drawn, a word each
    revealed: bool = False  # whether the model's row has been looked at


def prediction_of(identity: Hashable) -> ExpectedRow:
    """Return what the reader expects of a row."""
    found: ExpectedRow = session.recall(_STATE, {}).get(identity, ExpectedRow())
    return found


def row_identity(view: View, row: int) -> Hashable:
    """Return what a prediction of a row is kept under."""
    trace = view.trace
    return (trace.provenance.sha256, trace.source.ids, trace.target.ids, view.shown.site, view.head, view.unit, row)


def hide_until(identity: Hashable | None) -> None:
    """Let pages keep their maps hidden until a row is revealed; None lets them show all."""
    session.keep(_HIDDEN, identity)


def is_hidden() -> bool:
    """Return whether maps are to be hidden: a lesson asks what will be read."""
    identity = session.recall(_HIDDEN)
    return identity is not None and not prediction_of(identity).revealed


def expect(identity: Hashable, prediction: ExpectedRow) -> None:
    """Keep what the reader expects of a row."""
    session.keep(_STATE, session.recall(_STATE, {}) | {identity: prediction})
