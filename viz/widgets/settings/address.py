"""Page settings live in the query string, or in the session if links are off."""

from __future__ import annotations

from collections.abc import MutableMapping

import streamlit as st

from viz.server.configuration import configuration

_HIDDEN = "settings-hidden"


def is_open() -> bool:
    """Return whether settings stand in the address bar."""
    return configuration().links


def said() -> MutableMapping[str, str]:
    """Return what the link of this page says; where links are off, what it would say."""
    if is_open():
        return st.query_params
    hidden: MutableMapping[str, str] = st.session_state.setdefault(_HIDDEN, {})
    return hidden


def asked(name: str) -> str | None:
    """Return what a link asks for under `name`, before it is taken in; else what the link of this page says."""
    return st.query_params.get(name) or said().get(name)


def take_in(*, turned: bool) -> dict[str, str]:
    """Take what somebody's link brings out of the address bar where links are off, and return it."""
    if is_open():
        return {}
    if turned:
        said().clear()
    brought = st.query_params.to_dict()
    st.query_params.clear()
    return brought
