"""The lab's presets, and the tables that the reader edits: they stand in the address bar."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from viz.text.language import _, mark
from viz.text.markup import plain
from viz.widgets.controls import discard

if TYPE_CHECKING:
    from models.experiments.lab import Preset

Tables = dict[str, list[list[Any]]]
"""Rows of cells by the table's name; a cell that the reader has emptied is None."""

BOOK, ONE_HOT, UNIFORM, CAUSAL, PERMUTED, SATURATION = (
    "book",
    "one-hot",
    "uniform",
    "causal",
    "permuted",
    "saturation",
)
PRESETS: Mapping[str, str] = {
    BOOK: mark("the book example"),
    ONE_HOT: mark("one-hot"),
    UNIFORM: mark("uniform"),
    CAUSAL: mark("causal"),
    PERMUTED: mark("permuted inputs"),
    SATURATION: mark("saturation"),
}
SAYS: Mapping[str, str] = {
    BOOK: mark("One query and four keys of a textbook, unscaled: the second key fits best, so its value leads."),
    ONE_HOT: mark(
        "Each query is so much like one key that it reads this key alone: attention as a look-up in a table."
    ),
    UNIFORM: mark("Queries of zeros fit all keys alike: the result is the mean of the values."),
    CAUSAL: mark("Self-attention in which no token reads a later one: the first can only read itself."),
    PERMUTED: mark(
        "Self-attention does not know which token is first: permuted inputs give permuted outputs, the same rows in "
        "another order."
    ),
    SATURATION: mark(
        "Random vectors of d numbers: the longer they are, the larger their products, and the softmax picks one key "
        "unless the products are divided by the square root of d."
    ),
}
_TITLES: Mapping[str, str] = {
    "query": mark("Q: queries, what reads"),
    "key": mark("K: keys, what is compared"),
    "value": mark("V: values, what is carried over"),
    "mask": mark("Mask: ticked where a query may read a key"),
    "tokens": mark("Tokens: queries, keys and values at once"),
}
CELLS = "cells"
"""What the address bar calls edited tables."""

_START = "lab-start"
MOST_CELLS = 64
"""Rows or columns of a table in a link at most."""

LARGEST = 1e9
"""Numbers of a link at most."""

_LONGEST_LINK = 4000  # characters of cells in the address bar


@dataclass(frozen=True)
class Start:
    """The tables with which the editors began: what they are given must not change while they are edited."""

    preset: str
    number: int
    tables: Tables


def preset_of(name: str) -> Preset:
    """Return the numbers of the preset `name`, one of those that can be edited."""
    from models.experiments import lab

    makers: dict[str, Callable[[], Preset]] = {
        BOOK: lab.book,
        ONE_HOT: lab.one_hot,
        UNIFORM: lab.uniform,
        CAUSAL: lab.causal,
        PERMUTED: lambda: lab.permuted()[0],
    }
    return makers[name]()


def _original(name: str) -> Tables:
    preset = preset_of(name)
    if name == PERMUTED:
        return {"tokens": preset.query.tolist()}
    tables = {"query": preset.query, "key": preset.key, "value": preset.value}
    found: Tables = {key: table.tolist() for key, table in tables.items()}
    mask = np.ones((len(preset.query), len(preset.key)), dtype=bool) if preset.mask is None else preset.mask
    return found | {"mask": mask.tolist()}


def start_tables(name: str) -> Start:
    """Return the tables to begin with: those of the link, else the preset's; kept until another preset is chosen."""
    kept = st.session_state.get(_START)
    if kept is None or kept.preset != name or not _is_shown(kept):
        tables = _linked(_original(name)) or _original(name)
        kept = st.session_state[_START] = Start(name, kept.number + 1 if kept else 0, tables)
    found: Start = kept
    return found


def _is_shown(start: Start) -> bool:
    """Return whether the editors of `start` stood in the run before: those that did not have forgotten their edits."""
    return any(str(key).startswith(f"lab-table-{start.number}-") for key in st.session_state)


def _linked(original: Tables) -> Tables | None:
    """Read the tables of the link; None if there are none, or they are none."""
    text = st.query_params.get(CELLS, "")
    if not text:
        return None
    try:
        tables = json.loads(text)
        sound = isinstance(tables, dict) and set(tables) == set(original)
        sound = sound and all(_is_table(each) for each in tables.values())
        sound = sound and ("tokens" not in tables or len(tables["tokens"]) == len(original["tokens"]))
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        discard(CELLS)
        return None
    found: Tables = tables
    return found


def _is_table(table: Any) -> bool:
    if (
        not isinstance(table, list)
        or not 1 <= len(table) <= MOST_CELLS
        or not all(isinstance(row, list) for row in table)
    ):
        return False
    widths = {len(row) for row in table}
    return (
        len(widths) == 1
        and 1 <= max(widths) <= MOST_CELLS
        and all(
            cell is None or (isinstance(cell, int | float) and abs(cell) <= LARGEST) for row in table for cell in row
        )
    )


def table_editor(name: str, start: Start, table: list[list[Any]], *, rows_fixed: bool = False) -> list[list[Any]]:
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
        column_config={each: kind(each) for each in columns},
    )
    return _rows(edited, ticks=ticks)


def _rows(columns: Mapping[str, Sequence[Any]], *, ticks: bool) -> list[list[Any]]:
    """Return the rows of a table of columns; an empty cell is None, or no tick."""
    cells = [list(columns[name]) for name in columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    if ticks:
        return [[bool(cell) for cell in row] for row in rows]
    return [[None if cell is None or cell != cell else float(cell) for cell in row] for row in rows]


def keep_in_link(start: Start, tables: Tables) -> None:
    """Put edited tables into the address bar, so that a link restores them; those of the preset leave it clean."""
    text = json.dumps(tables, separators=(",", ":"))
    if tables == _original(start.preset):
        st.query_params.pop(CELLS, None)
    elif len(text) <= _LONGEST_LINK and st.query_params.get(CELLS) != text:
        st.query_params[CELLS] = text


def reset_tables() -> None:
    """Begin anew with the preset's own numbers."""
    st.query_params.pop(CELLS, None)
    kept = st.session_state.get(_START)
    if kept is not None:
        st.session_state[_START] = Start("", kept.number, {})
