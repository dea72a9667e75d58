"""Drawings of words and lines, in the page's colours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import streamlit as st

from viz.canvas.bundle import bundled
from viz.canvas.parts import FOLDER


def show_drawings(drawings: Sequence[str], *, key: str) -> None:
    """Show drawings side by side, or one below the other where there is no room."""
    component = st.components.v2.component(
        "attention_bench.drawing", html='<div class="drawings"></div>', css=_style(), js=bundled(FOLDER / "drawing.js")
    )
    component(key=key, data="".join(drawings))


@cache
def _style() -> str:
    return (FOLDER / "drawing.css").read_text(encoding="utf8")
