"""Turning to another page, or to another link of the same one, from a control."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from viz.widgets import session
from viz.widgets.settings import link

_WANTED = "page-to-turn-to"


def ask_to_turn(address: str, entry: Mapping[str, str]) -> None:
    """Turn to the page at `address` with the settings of `entry`; as a callback of a control."""
    session.keep(_WANTED, (address, dict(entry)))
    st.rerun()  # the whole app: a control of a page runs that page's part alone


def turn_if_asked(navigation: Mapping[str, st.Page], chosen: st.Page) -> None:
    """Turn to where a control has just asked to; before the page runs."""
    wanted = session.recall(_WANTED)
    session.forget(_WANTED)
    if wanted is not None:
        page = navigation[wanted[0]]
        link.open_at(None if page.url_path == chosen.url_path else page, wanted[1])
