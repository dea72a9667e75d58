"""Expander whose content is made when it is opened."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def unfolded(label: str, key: str) -> DeltaGenerator | None:
    """Show a fold that is closed at first, and return where its content goes; None while it is closed.

    What is in a closed fold is neither computed nor drawn: a table there would take longer than the figure above it.
    """
    fold = st.expander(label, key=key, on_change="rerun")
    return fold if fold.open else None
