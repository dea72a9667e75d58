"""The slider of a moment of training, with Previous, Play and Next beside it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz.widgets.player import show_player
from viz.widgets.settings import Choice, choose


def choose_moment(setting: Choice, labels: Sequence[str], *, first: int) -> int:
    """Let the reader choose one of `labels`, and return its number, from 1; `first` is the one shown first."""
    named = {str(number): label for number, label in enumerate(labels, 1)}
    key, default = f"training-{setting.name}", str(min(first, len(labels)))
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.html(f"<style>.st-key-{key} {{ --points: {max(len(labels) - 1, 1)}; }}</style>")
        chosen = choose(setting, named, default=default)
        show_player(setting, tuple(named), chosen, default=default)
    return int(chosen)
