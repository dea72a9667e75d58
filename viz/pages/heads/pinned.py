"""Pinned rows of a causal model: each stays below the maps while the text is rewound and goes on in another way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import models
from models.trace import AttentionTrace
from models.writing import Writing, read_writing
from viz.captions.pinned import columns_sentence, pinned_sentence, pinned_strips
from viz.pages.heads.shown import HeadSelection
from viz.text.language import _
from viz.text.tokens import shorten
from viz.views.heads import HeadPlace, pick_views
from viz.views.pinned import PinnedView, position_of
from viz.widgets.canvas import chosen_on
from viz.widgets.settings import Data, Found, link, unknown
from viz.widgets.show import show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, W
from viz.widgets.writing import CONTINUED

PIN = "pin"
MOST = 4  # rows that are pinned at once
LONGEST_NAMED = 40  # characters of the sentence in the name of a file
_NOTATION = re.compile(r"([0-9]{1,4}\.[0-9]{1,4})\.([0-9]{1,5})(?: (.+))?")


@dataclass(frozen=True, slots=True)
class PinnedRow:
    """A row of one head, with all that it was computed from: later tokens change nothing of it."""

    head: HeadPlace
    position: int  # of its token in the text, from 0
    writing: Writing | None  # the tokens up to it that were written; None for none

    def to_text(self) -> str:
        """Return it as it is in a link."""
        return " ".join((f"{self.head.code}.{self.position}", *([self.writing.to_text()] if self.writing else [])))


def _row(text: str) -> PinnedRow | None:
    found = _NOTATION.fullmatch(text)
    try:
        writing = read_writing(found[3]) if found and found[3] else None
    except models.InputError:
        return None
    if found is None or (writing is not None and writing.tokens):
        return None
    return PinnedRow(HeadPlace.of_code(found[1]), int(found[2]), writing)


def _parse(text: str) -> Found:
    parts = text.split(";") if text else []
    read = {part: row for part in parts if (row := _row(part)) is not None}
    rows = tuple(dict.fromkeys(read.values()))[:MOST]
    return Found(rows, ";".join(part for part in parts if read.get(part) not in rows) or None)


def _show(rows: Sequence[PinnedRow]) -> str:
    return ";".join(each.to_text() for each in rows)


PINNED = Data("pinned", parse=_parse, show=_show, anew_with=(CONTINUED,))
"""Pinned rows, each with its layer, its head, its position, and what was written up to it."""


def pin_offers(shown: HeadSelection) -> list[dict[str, Any]]:
    """Return what a row of the picked maps offers, as `viz.canvas.comparison.encode_comparison` takes it."""
    if shown.hiding.opened is not None:  # rows that are sentences are no tokens
        return []
    return [{"operation": PIN, "text": _("Pin the row of {row}"), "needs": ["row"]}]


def take_pin(shown: HeadSelection, figure: str) -> None:
    """Pin the row that was just chosen; before the controls are shown."""
    chosen = chosen_on(figure)
    if chosen is None or chosen.operation != PIN or chosen.row is None or chosen.place not in shown.places:
        return
    position = position_of(shown.first, chosen.row)
    if position is None:
        return
    rows = _pinned()
    row = PinnedRow(chosen.place, position, _written(shown.trace, position))
    if len(rows) >= MOST and row not in rows:
        st.toast(_("{count} rows are pinned already. Unpin one first.", count=MOST))
        return
    _put(tuple(dict.fromkeys((*rows, row))))
    st.toast(_("Pinned below the maps. Go back to an earlier word and choose another: the row stays."))


def show_pinned(visit: Visit[W], key: str, texts: tuple[str, str | None], shown: HeadSelection) -> None:
    """Show each pinned row, and below it the row that is at its place now."""
    found = {row: _view(visit, key, texts, shown, row) for row in _pinned()}
    rows = {row: view for row, view in found.items() if view is not None}
    if len(rows) < len(found):
        _leave_out(_show([row for row in found if row not in rows]), tuple(rows))
    if not rows:
        return
    st.header(_("Pinned rows"), anchor=False)
    numbered = tuple(enumerate(rows.values(), 1))
    pictured = Shown(
        key="pinned",
        name=f"{shown.trace.source_text[:LONGEST_NAMED]} pinned rows",
        says=" ".join(
            (*(pinned_sentence(view, number) for number, view in numbered), columns_sentence(numbered[0][1]))
        ),
        traces={_("Row {number}", number=number): view.then.trace for number, view in numbered},
    )
    show_strips([strip for number, view in numbered for strip in pinned_strips(view, number)], pictured, visit)
    with st.container(horizontal=True, key="unpinning"):
        for number, row in enumerate(rows, 1):
            label, left = _("Unpin row {number}", number=number), tuple(each for each in rows if each != row)
            st.button(label, icon=":material/keep_off:", key=f"unpin-row-{number}", on_click=_put, args=(left,))


def _view(
    visit: Visit[W], key: str, texts: tuple[str, str | None], shown: HeadSelection, row: PinnedRow
) -> PinnedView | None:
    """Return a pinned row beside the one that is at its place now; None if the model has no such row."""
    text, pair = texts
    if row.head not in shown.places or visit.host.model(key).predicts != "causal":
        return None
    try:
        trace = visit.host.attend(key, text, pair=pair, write=row.writing)
    except models.InputError:
        return None
    if row.position >= len(trace.source):
        return None
    if shown.first.quantity == "moved":
        trace = trace.moved()
    then, now = (pick_views(each, shown.sites, shown.unit, [row.head])[0] for each in (trace, shown.trace))
    return PinnedView(row.head, row.position, then, now)


def _written(trace: AttentionTrace, position: int) -> Writing | None:
    """Return the tokens that were written up to `position`."""
    written = trace.written
    if written is None:
        return None
    ids = trace.source.ids[written.first : position + 1]
    chat = written.asked.chat
    return Writing(0, begin=ids, chat=chat) if ids or chat else None


def _pinned() -> tuple[PinnedRow, ...]:
    """Return the rows that the link names; what cannot be is named and left out."""
    found = PINNED.read(link.text_of(PINNED))
    rows: tuple[PinnedRow, ...] = found.value
    if found.unknown is not None:
        _leave_out(found.unknown, rows)
    return rows


def _leave_out(unknown_rows: str, rows: Sequence[PinnedRow]) -> None:
    unknown.note(PINNED.name, shorten(unknown_rows, unknown.LONGEST_NAMED))
    link.store(PINNED.name, PINNED.write(rows))


def _put(rows: Sequence[PinnedRow]) -> None:
    unknown.forget()
    link.store(PINNED.name, PINNED.write(rows))
