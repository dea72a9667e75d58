"""Select boxes that return codes, whatever the language of their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

from viz.text.language import current_language

Code = TypeVar("Code")
_LABELS = "settings-labels"


def select(title: str, labels: Mapping[Code, str], *, key: str, **about: Any) -> Code:
    """Show a select box of codes under their labels; `about` is what else `st.selectbox` takes."""
    st.session_state.setdefault(_LABELS, {}).setdefault(key, {})[current_language()] = labels
    if key in st.session_state and (code := reported(key)) != st.session_state[key]:
        st.session_state[key] = code
    if st.session_state.get(key) not in labels:
        st.session_state.pop(key, None)
    chosen: Code = st.selectbox(title, tuple(labels), key=key, format_func=lambda each: labels[each], **about)
    return chosen


def reported(key: str) -> Any:
    """Return the code that a box reports, by itself or by its label in any language shown; None if neither."""
    value = st.session_state.get(key)
    shown: list[Mapping[Any, str]] = list(st.session_state.get(_LABELS, {}).get(key, {}).values())
    if not shown or any(value in labels for labels in shown):
        return value
    return next((code for labels in shown for code, label in labels.items() if label == value), None)
