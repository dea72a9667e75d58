"""Choice of the rows and columns of the picked heads' maps, for a text of which a part is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from viz.pages.heads.settings import COLUMNS, ROWS, SPANNED_TEXT
from viz.pages.heads.shown import HeadSelection
from viz.text.counting import numbered
from viz.text.language import _, mark
from viz.text.tokens import shorten
from viz.widgets import session
from viz.widgets.settings import Data, link, unknown

FEWEST = 24
"""Rows or columns of a map from which a part of them can be chosen; of fewer, only if a link asks."""

_TITLES = ((ROWS, mark("Rows, from and to")), (COLUMNS, mark("Columns, from and to")))


@dataclass(frozen=True, slots=True)
class Spanned:
    """The rows and columns that can be chosen, and the maps with those that were."""

    labels: tuple[list[str], list[str]]
    shown: HeadSelection

    @property
    def chosen(self) -> tuple[tuple[int, int] | None, ...]:
        """The first and the last row, and the first and the last column; None for all."""
        return self.shown.hiding.rows, self.shown.hiding.columns


def span_of(shown: HeadSelection) -> Spanned:
    """Return the maps of the rows and columns that the link names; what there is not is named. None are of a fold."""
    if shown.hiding.opened is not None:
        return Spanned(([], []), shown)
    link.belong(SPANNED_TEXT, of=(shown.trace.source_text, shown.sites, shown.unit, shown.hidden))
    view = shown.first
    texts = (view.query_labels.texts, view.key_labels.texts[: -1 if view.hidden_keys else None])
    rows, columns = (_read(setting, len(each)) for setting, each in zip((ROWS, COLUMNS), texts, strict=True))
    labels = [shorten(each) for each in numbered(texts[0])], [shorten(each) for each in numbered(texts[1])]
    return Spanned(labels, replace(shown, hiding=replace(shown.hiding, rows=rows, columns=columns)))


def choose_span(spanned: Spanned) -> None:
    """Show the sliders of rows and columns behind a button, and what shows all of them again."""
    chosen = any(spanned.chosen)
    if not chosen and max(map(len, spanned.labels)) < FEWEST:
        return
    with st.popover(_("Rows and columns"), icon=":material/crop:", key="span"):
        for (setting, title), labels, span in zip(_TITLES, spanned.labels, spanned.chosen, strict=True):
            _slider(setting, _(title), labels, span)
        st.button(_("Show all"), key="span-all", disabled=not chosen, on_click=link.drop, args=(ROWS, COLUMNS))


def _slider(setting: Data, title: str, labels: list[str], span: tuple[int, int] | None) -> None:
    whole = (0, len(labels) - 1)
    if not whole[1]:
        return
    key, value = f"span-{setting.name}", span or whole
    session.put_control(key, value)
    named, args = labels.__getitem__, (setting, key, whole)
    st.select_slider(title, range(len(labels)), value, named, key=key, on_change=_write, args=args)


def _read(setting: Data, count: int) -> tuple[int, int] | None:
    found = setting.read(link.text_of(setting), count)
    if found.unknown is not None:
        unknown.note(setting.name, found.unknown)
        link.drop(setting)
    span: tuple[int, int] | None = found.value
    return None if span == (0, count - 1) else span


def _write(setting: Data, key: str, whole: tuple[int, int]) -> None:
    unknown.forget()
    span = session.reported(key)
    link.store(setting.name, setting.write(None if tuple(span) == whole else span))
