"""Session state that is no setting: results, last readable text, reports of components.

Settings are in `viz.widgets.settings`; nothing else of the session is read or written anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def recall(name: str, default: Any = None) -> Any:
    """Return what is kept under `name`; `default` if nothing is."""
    return st.session_state.get(name, default)


def keep(name: str, value: Any) -> None:
    """Keep `value` under `name` for the rest of the visit."""
    st.session_state[name] = value


def forget(name: str) -> None:
    """Keep nothing under `name` any more."""
    st.session_state.pop(name, None)


def kept(name: str, identity: Any, make: Callable[[], Any]) -> Any:
    """Return what is kept under `name` of `identity`, or make it and keep it in place of that of another."""
    found = st.session_state.get(name)
    if found is None or found[0] != identity:
        found = st.session_state[name] = (identity, make())
    return found[1]


def reported(key: str) -> Any:
    """Return what the component or figure `key` last told, before it is shown in this run; None if nothing."""
    return st.session_state.get(key)


def put_control(key: str, value: Any) -> None:
    """Put `value` into a control that is no setting; before it is shown."""
    st.session_state[key] = value


def is_shown(prefix: str) -> bool:
    """Return whether a control whose key begins with `prefix` stood in the run before."""
    return any(str(key).startswith(prefix) for key in st.session_state)
