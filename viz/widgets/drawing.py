"""Drawings of words and lines, in the page's colours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import streamlit as st

from viz.canvas.parts import FOLDER


def show_drawings(drawings: Sequence[str], *, key: str) -> None:
    """Show drawings side by side, or one below the other where there is no room."""
    style, script = (_text(f"drawing.{ending}") for ending in ("css", "js"))
    component = st.components.v2.component(
        "attention_bench.drawing", html='<div class="drawings"></div>', css=style, js=script
    )
    component(key=key, data="".join(drawings))


@cache
def _text(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf8")
