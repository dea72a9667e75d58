"""Warnings about unknown link values, shown until the reader changes something."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.widgets.settings import address

LONGEST_NAMED = 60
"""Columns of a discarded value that are named."""

_UNKNOWN = "unknown-in-link"


def note(name: str, value: str) -> None:
    """Name a value that the link asks for and that there is not."""
    st.session_state.setdefault(_UNKNOWN, {})[name] = value


def discard(name: str) -> None:
    """Take the value of `name` out of the link and name it among what there is not."""
    note(name, shorten(address.said()[name], LONGEST_NAMED))
    del address.said()[name]


def forget() -> None:
    """Name nothing of the link any more: the reader has changed something."""
    st.session_state.pop(_UNKNOWN, None)


def show(place: DeltaGenerator, *, sentence: str) -> None:
    """Name what the link asked for and there is not, until a control or the sentence changes."""
    noted = st.session_state.get(_UNKNOWN)
    if not noted:
        return
    if noted.setdefault("", sentence) != sentence:
        forget()
        return
    names = ", ".join(f"{name}={value}" for name, value in noted.items() if name)
    text = _("This link contains a setting we don't know: {names}. The default is shown instead.", names=names)
    place.warning(plain(text), icon=":material/link_off:")
