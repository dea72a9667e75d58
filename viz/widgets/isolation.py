"""Hover script of line figures: show the lines of one token alone."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.canvas.bundle import bundled

SCRIPT = Path(__file__).parents[1] / "canvas" / "isolation.js"
NAME = "attention_bench.isolation"


def isolate_on_hover(container: str) -> None:
    """Let the figures of lines in a container show the lines of the token under the pointer alone."""
    mount = st.components.v2.component(NAME, html="<div></div>", js=bundled(SCRIPT))
    mount(key=f"isolation-{container}", data={"container": f"st-key-{container}"}, height=1)
