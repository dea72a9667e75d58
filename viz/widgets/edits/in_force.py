"""Edits of a page: kept, tried, undone and redone, all in the link."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.edits import Edit
from models.trace import AttentionTrace
from viz.captions.edits import in_words, meeting
from viz.text.language import _
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.edits.builder import NOTHING, OPERATION, build_edit
from viz.widgets.edits.history import Action, History, read_history
from viz.widgets.settings import Data, Found, link

EDITS = Data("edits", parse=lambda text: Found(*_read(text)), show=History.to_text)
"""The edits, as the link calls them."""

_HISTORY, _WRITTEN, _NO_EDITS = "surgery-history", "surgery-written", "surgery-no-edits"


_LONGEST_NAMED = 200


def edits_in_force(trace: AttentionTrace, line: DeltaGenerator, messages: DeltaGenerator) -> tuple[Edit, ...]:
    """Show the edits, let the reader change them, and return those that are in force."""
    _read_link()
    history = _history()
    table = st.container()
    with line:
        tried = build_edit(trace, table)
        if tried or history.done or history.undone:
            st.button(
                _("Keep"),
                icon=":material/add:",
                help=_("Keep this edit, and try another"),
                disabled=not tried,
                on_click=_keep,
                args=(tried,),
                key="keep-edit",
            )
            if history.done:
                _change(History.undo, _("Undo"), "undo")
            if history.undone:
                _change(History.redo, _("Redo"), "redo")
            if history.done:
                _change(History.clear, _("Clear"), "delete")
    _show(trace, history, tried)
    every = History((*history.done, tried)) if tried else history
    _write_link(every)
    _name_no_edits(of=(trace.source_text, every), messages=messages)
    return meeting(trace, every.edits)


def _read(text: str) -> tuple[History, str | None]:
    history, unknown = read_history(text)
    return history, ", ".join(unknown) or None


def _history() -> History:
    history: History = session.recall(_HISTORY, History())
    return history


def _read_link() -> None:
    """Take the edits of the link if they are not those that this page wrote there."""
    text = link.text_of(EDITS) or ""
    if text == session.recall(_WRITTEN, ""):
        return
    found = EDITS.read(text)
    session.keep(_HISTORY, found.value)
    session.keep(_WRITTEN, text)
    session.put_control(OPERATION, NOTHING)
    session.keep(_NO_EDITS, found.unknown and (found.unknown[:_LONGEST_NAMED], None))


def _name_no_edits(*, of: object, messages: DeltaGenerator) -> None:
    """Name what in the link is no edit, until the sentence or the edits, which is what `of` holds, become others."""
    noted = session.recall(_NO_EDITS)
    if not noted:
        return
    named, seen = noted
    if seen not in (None, of):
        session.keep(_NO_EDITS, None)
        return
    session.keep(_NO_EDITS, (named, of))
    said = _("This link contains an edit we don't know: {names}. It is ignored.", names=named)
    messages.warning(plain(said), icon=":material/link_off:")


def _write_link(every: History) -> None:
    text = EDITS.write(every)
    session.keep(_WRITTEN, text or "")
    link.store(EDITS.name, text)


def _keep(action: Action) -> None:
    session.keep(_HISTORY, _history().add(action))
    session.put_control(OPERATION, NOTHING)


def _do(change: Callable[[History], History]) -> None:
    session.keep(_HISTORY, change(_history()))


def _change(change: Callable[[History], History], title: str, icon: str) -> None:
    st.button(
        title,
        icon=f":material/{icon}:",
        on_click=_do,
        args=(change,),
        key="clear" if icon == "delete" else icon,
    )


def _show(trace: AttentionTrace, history: History, tried: Action) -> None:
    """List the edits in words, each with a button that takes it out."""
    if not (history.done or tried):
        return
    with st.container(gap="xxsmall", key="edit-list"):
        for place, action in enumerate(history.done):
            st.button(
                f"{place + 1}\\. {plain(in_words(trace, action))}",
                icon=":material/close:",
                type="tertiary",
                help=_("Remove this edit"),
                key=f"without-{place}",
                on_click=_do,
                args=(partial(History.without, place=place),),
            )
        if tried:
            st.markdown("*" + _("being tried:") + "* " + plain(in_words(trace, tried)))
