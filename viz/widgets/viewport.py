"""How wide the page is: a figure's gutters are laid out in pixels, and only the browser knows how many there are."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz.widgets.session import reported

STEP = 20
"""Widths are reported in steps of so many pixels, rounded down: a scroll bar that comes and goes changes nothing."""

DESKTOP_WIDTH = 1320
PHONE_WIDTH = 340

_SCRIPT = """
export default function ({ parentElement, data, setStateValue }) {
  const element = parentElement.host ?? parentElement;
  let known = data.known;
  const report = () => {
    const width = Math.floor(element.getBoundingClientRect().width / data.step) * data.step;
    if (width > 0 && width !== known) {
      known = width;
      setStateValue("width", width);
    }
  };
  const observer = new ResizeObserver(report);
  observer.observe(element);
  report();
  return () => observer.disconnect();
}
"""


def page_width() -> int:
    """Return the width of the place where this is called, in pixels, and rerun when it changes.

    Returns
    -------
    int
        Before the browser has answered, a guess by the kind of device.
    """
    guess = PHONE_WIDTH if "Mobi" in (st.context.headers.get("User-Agent") or "") else DESKTOP_WIDTH
    known = _state_width() or guess
    mount = st.components.v2.component("attention_bench.viewport", js=_SCRIPT, html="<div></div>")
    result = mount(key="viewport", data={"known": known, "step": STEP}, on_width_change=_nothing, height=1)
    return int(result.width or known)


def _state_width() -> int | None:
    state: Any = reported("viewport")
    return state.get("width") if state else None


def _nothing() -> None:
    """Do nothing: a state that is watched must name what to call."""
