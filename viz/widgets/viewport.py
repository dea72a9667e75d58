"""Width of the page in pixels, reported by the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from viz.canvas.bundle import bundled
from viz.widgets.session import keep, recall, reported

STEP = 20
"""Widths are reported in steps of so many pixels, rounded down: a scroll bar that comes and goes changes nothing."""

DESKTOP_WIDTH = 1320
PHONE_WIDTH = 340


_ASSUMED, _LAST = "viewport-assumed", "viewport-last"


def assume_width(width: int) -> None:
    """Let figures be laid out for a page of so many pixels, where no browser will say how wide it is."""
    keep(_ASSUMED, width)


def page_width() -> int:
    """Return the width of the place where this is called, in pixels, and rerun when it changes."""
    known = known_width()
    script = bundled(Path(__file__).with_suffix(".js"))
    mount = st.components.v2.component("attention_bench.viewport", js=script, html="<div></div>")
    # A state that is watched must name what to call.
    result = mount(key="viewport", data={"known": known, "step": STEP}, on_width_change=lambda: None, height=1)
    keep(_LAST, width := int(result.width or known))
    return width


def known_width() -> int:
    """Return the width that the page is laid out for in this run, in pixels: as reported, or as is usual."""
    usual = PHONE_WIDTH if "Mobi" in (st.context.headers.get("User-Agent") or "") else DESKTOP_WIDTH
    state: Any = reported("viewport") or {}
    # A page that is turned to has not been told anything yet. Its report would be a second run, with what the controls
    # held before it, which the browser's Back may have changed since.
    return int(state.get("width") or recall(_LAST, recall(_ASSUMED, usual)))
