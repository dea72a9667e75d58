"""Presets and editable tables of the Lab, kept in the page's link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from viz.pages.steps.settings import (
    BOOK,
    CAUSAL,
    CELLS,
    HEADS,
    LONGEST_LINK,
    ONE_HOT,
    PERMUTED,
    PROJECTIONS,
    SATURATION,
    UNIFORM,
    WRITTEN,
    Tables,
    write_tables,
)
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.settings import link, unknown

if TYPE_CHECKING:
    from models.experiments.lab_presets import Preset

SAYS: Mapping[str, str] = {
    BOOK: mark(
        "One query and four keys from a textbook, unscaled. The second key fits best, so its value dominates. Keys "
        "3 and 4 are made here to give the book's scores. The book's printed softmax has a sign error; here it is "
        "computed correctly."
    ),
    ONE_HOT: mark(
        "Each query matches one key so well that it attends to this key alone: attention as a table look-up."
    ),
    UNIFORM: mark("Queries of zeros match all keys equally: the result is the mean of the values."),
    CAUSAL: mark("Causal self-attention: no token attends to a later one, so the first attends only to itself."),
    WRITTEN: mark(
        "Each token attends to itself and to the tokens before it: rows (1), (0.5 0.5), (0.45 0.45 0.1), (0.3 0.3 "
        "0.1 0.3). Each row sums to 1. Lift the mask, and the first token attends to the tokens after it."
    ),
    PROJECTIONS: mark(
        "The same tokens play three roles: they ask, are found and are carried over. Queries, keys and values are "
        "the inputs times three matrices."
    ),
    HEADS: mark(
        "Two heads share the columns of the projections. The first attends to similar tokens, the second to the "
        "next token. One more matrix, W_O, joins their results."
    ),
    PERMUTED: mark(
        "Self-attention does not know which token is first: permuted inputs give permuted outputs, the same rows in "
        "another order."
    ),
    SATURATION: mark(
        "Random vectors of d numbers: the longer they are, the larger their products. Without division by the "
        "square root of d, the softmax picks one key."
    ),
}
_TITLES: Mapping[str, str] = {
    "query": mark("Q: queries, what is looked for"),
    "key": mark("K: keys, what is compared"),
    "value": mark("V: values, what is carried over"),
    "mask": mark("Mask: ticked where a query may attend to a key"),
    "tokens": mark("Tokens: queries, keys and values at once"),
    "inputs": mark("X: inputs, one row per token"),
    "query_weight": mark("W_Q: makes queries"),
    "key_weight": mark("W_K: makes keys"),
    "value_weight": mark("W_V: makes values"),
    "output_weight": mark("W_O: joins the heads"),
    "general": mark("W of the score"),
    "general_bias": mark("b of the score: added to q W"),
    "activated_bias": mark("b of the score: one number"),
    "additive_query": mark("W of the score: on queries"),
    "additive_key": mark("U of the score: on keys"),
    "additive_vector": mark("v of the score"),
}
_START = "lab-start"
MANY, NARROW = 4, 48
"""Columns from which on they are narrow, and how many pixels such a column takes."""


@dataclass(frozen=True)
class LabStart:
    """The tables with which the editors began: what they are given must not change while they are edited."""

    preset: str
    number: int
    tables: Tables


def preset_of(name: str) -> Preset:
    """Return the numbers of the preset `name`, one of those that can be edited."""
    from models.experiments import lab_presets as presets

    makers: dict[str, Callable[[], Preset]] = {
        BOOK: presets.book,
        ONE_HOT: presets.one_hot,
        UNIFORM: presets.uniform,
        CAUSAL: presets.causal,
        WRITTEN: presets.written_so_far,
        PROJECTIONS: presets.projections,
        HEADS: presets.two_heads,
        PERMUTED: lambda: presets.permuted()[0],
    }
    return makers[name]()


def _original(name: str) -> Tables:
    from models.experiments.lab_presets import score_tables

    preset = preset_of(name)
    if name == PERMUTED:
        return {"tokens": preset.tables["query"].tolist()}
    made = preset.run()
    width = made.query.shape[1] // preset.heads
    tables = {**preset.tables, **score_tables(width, width)}
    mask = np.ones((len(made.query), len(made.key)), dtype=bool) if preset.mask is None else preset.mask
    return {key: table.tolist() for key, table in tables.items()} | {"mask": mask.tolist()}


def start_tables(name: str) -> LabStart:
    """Return the tables to begin with: those of the link, else the preset's; kept until another preset is chosen."""
    kept: LabStart | None = session.recall(_START)
    if kept is not None and kept.preset == name and _is_shown(kept) and not link.came_back():
        return kept
    original = _original(name)
    found = CELLS.read(link.text_of(CELLS), original)
    if found.unknown is not None:
        unknown.discard(CELLS.name)
    start = LabStart(name, kept.number + 1 if kept else 0, found.value or original)
    session.keep(_START, start)
    return start


def _is_shown(start: LabStart) -> bool:
    """Return whether the editors of `start` stood in the run before: those that did not have forgotten their edits."""
    return session.is_shown(f"lab-table-{start.number}-")


def table_editor(name: str, start: LabStart, table: list[list[Any]], *, rows_fixed: bool = False) -> list[list[Any]]:
    """Show a table that can be edited, and return what stands in it."""
    width = len(table[0])
    ticks = name == "mask"
    cells = [[bool(cell) if ticks else np.nan if cell is None else float(cell) for cell in row] for row in table]
    columns = {str(column + 1): [row[column] for row in cells] for column in range(width)}
    kind: Any = st.column_config.CheckboxColumn if ticks else st.column_config.NumberColumn
    st.markdown(plain(_(_TITLES[name])))
    edited = st.data_editor(
        columns,
        key=f"lab-table-{start.number}-{name}-{len(table)}x{width}",
        num_rows="fixed" if rows_fixed or ticks else "dynamic",
        hide_index=True,
        width="content" if ticks else "stretch",
        column_config={each: kind(each, width=None if ticks or width < MANY else NARROW) for each in columns},
    )
    return _rows(edited, ticks=ticks)


def _rows(columns: Mapping[str, Sequence[Any]], *, ticks: bool) -> list[list[Any]]:
    """Return the rows of a table of columns; an empty cell is None, or no tick."""
    cells = [list(columns[name]) for name in columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    if ticks:
        return [[bool(cell) for cell in row] for row in rows]
    return [[None if cell is None or cell != cell else float(cell) for cell in row] for row in rows]


def keep_in_link(start: LabStart, tables: Tables) -> None:
    """Put edited tables into the address bar, so that a link restores them; those of the preset leave it clean."""
    text = write_tables(tables)
    if tables == _original(start.preset):
        link.drop(CELLS)
    elif len(text) <= LONGEST_LINK:
        link.store(CELLS.name, text)


def reset_tables() -> None:
    """Begin anew with the preset's own numbers."""
    link.drop(CELLS)
    kept = session.recall(_START)
    if kept is not None:
        session.keep(_START, LabStart("", kept.number, {}))
