"""Settings that wait for the reader: a page that is left and opened again stands as it was left.

Turning to another page empties the address bar but for the sentence. What stood there is kept for the session, a
page apart, and put back when the page is opened again without settings of its own, as a link has.
"""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_LEFT, _PAGE = "settings-left", "settings-page"


def _page() -> str:
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def restore_settings(*, bound: Collection[str], texts: Collection[str] = ()) -> bool:
    """Put the settings with which this page was left back into the address bar; before its controls are shown.

    Parameters
    ----------
    bound : collection of str
        What travels between the pages by itself, such as the sentence.
    texts : collection of str, optional
        Text boxes whose text Streamlit binds to the address bar: their own state is set beside it.

    Returns
    -------
    bool
        True if the reader has just turned to this page, and brings no settings in the address bar.
    """
    page = _page()
    turned = st.session_state.get(_PAGE, page) != page
    st.session_state[_PAGE] = page
    came_empty = turned and not set(st.query_params) - set(bound)
    if came_empty:
        for name, value in st.session_state.get(_LEFT, {}).get(page, {}).items():
            st.query_params[name] = value
            if name in texts:
                st.session_state[name] = value
    return came_empty


def keep_settings(*, bound: Collection[str]) -> None:
    """Keep what stands in the address bar for the next visit to this page; after its controls are shown."""
    settings = {name: value for name, value in st.query_params.items() if name not in bound}
    st.session_state.setdefault(_LEFT, {})[_page()] = settings
