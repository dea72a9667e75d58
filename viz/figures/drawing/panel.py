"""One map of a figure: cells, axis labels and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.captions.maps import threshold_note
from viz.text import tokens
from viz.text.language import _
from viz.views.view import UNKNOWN, Subject, View


class CellText(Protocol):
    """What the hover text of a cell says."""

    def __call__(self, *, weight: str, query: str, key: str) -> str:
        """Say it of a number and of two tokens, each given in bold; `viz.views.view.View.cell` does."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One map of a figure, a row a query, a column a key."""

    title: str  # plain text
    notes: tuple[str, ...]  # plain text in small print under the title
    queries: TokenSequence  # what labels the rows and the columns
    keys: TokenSequence  # what labels the rows and the columns
    query_title: str  # what they are, in words
    key_title: str  # what they are, in words
    values: NDArray[np.float32]  # [query, key] What the colours show and the hover text names
    cell: CellText  # what the hover text says
    signed: bool = False  # whether a value may be below 0
    # [query, key] Further numbers of each cell: the first is ``%{customdata[1]}`` to Plotly, in `cell` and in `closing`
    extras: tuple[NDArray[np.float32], ...] = ()
    closing: str = ""  # what follows in the hover text, as a Plotly template
    threshold: float = 0.0  # cells nearer to 0 are drawn empty, and counted
    grey: NDArray[np.bool_] | None = None  # [query, key] Cells that are drawn in shades of grey, for they say nothing
    subject: Subject = UNKNOWN
    masked: NDArray[np.bool_] | None = None  # [query, key] Cells that the causal mask hides: they are crossed out
    later: NDArray[np.float64] | None = None  # [query, key] The scores that these would have, where they are known

    @property
    def said(self) -> tuple[str, ...]:
        """All notes, that on empty cells too."""
        return (*self.notes, *threshold_note([self.values], self.threshold))


def panel_of(view: View, *, title: str, notes: Sequence[str]) -> Panel:
    """Return the panel of what `view` shows: its axes, its words for a cell, its threshold."""
    return Panel(
        title=title,
        notes=tuple(notes),
        queries=view.query_labels,
        keys=view.key_labels,
        query_title=view.query_title,
        key_title=view.key_title,
        values=view.weights,
        cell=view.cell,
        threshold=view.threshold,
        subject=view.subject,
        masked=view.masked,
    )


def difference_panel(
    title: str,
    view: View,
    pair: tuple[NDArray[np.float32], NDArray[np.float32]],
    *,
    names: tuple[str, str],
    notes: tuple[str, ...],
) -> Panel:
    """Return the panel of the first of a pair, [query, key], less the second: both named and told in its hover text."""
    (first, second), (one, other) = pair, names
    numbers = _(
        "{first}: {one}<br>{second}: {other}",
        first=tokens.escape(one),
        one="%{customdata[1]:.4f}",
        second=tokens.escape(other),
        other="%{customdata[2]:.4f}",
    )
    said = (_("{first} minus {second}", first=one, second=other), *notes)
    return replace(
        panel_of(view, title=title, notes=said),
        values=np.asarray(first - second, dtype=np.float32),
        signed=True,
        extras=(first, second),
        closing=f"<br>{numbers}",
    )
