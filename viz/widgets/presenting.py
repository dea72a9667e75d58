"""Presentation and embedding: one figure and nothing else.

``present=on`` in the link shows the figure of a page in large type; ``embed=true``, which Streamlit knows by itself and
takes its own bars away for, shows it as it is, for an iframe.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.shell.selectors import with_selectors
from viz.text.language import _
from viz.widgets.settings import TextSetting, link
from viz.widgets.style import style_sheet

PRESENT = TextSetting("present", travels=True, boxed=False)
"""Whether one figure is shown alone, as the link of every page calls it."""

ON = "on"
LEAST_TYPE = 13
"""Pixels of the smallest type where one figure is shown alone, before all of it is enlarged (presenting.css)."""


def is_presented() -> bool:
    """Return whether the figure of the page is shown alone, for a projector."""
    return link.text_of(PRESENT) == ON


def present(figures: tuple[str, ...]) -> None:
    """Show the figures of a page alone if that is asked for, or a button that asks for it."""
    if not figures:
        return
    if not is_presented() and not st.context.is_embedded:
        _turn(_("Present: the figure alone, in large type"), icon=":material/slideshow:", to=ON)
        rule = f"$main:not(:has({_any_of(figures)})) .st-key-present-on {{ display: none; }}"
        st.html(f"<style>{with_selectors(rule)}</style>")
        return
    st.html(style_sheet(Path(__file__).with_suffix(".css")) + f"<style>{_alone(figures)}</style>")
    if not st.context.is_embedded:
        _turn(_("Leave the presentation"), icon=":material/close:", to=None)


def _turn(label: str, *, icon: str, to: str | None) -> None:
    """Show the button that lets the link say `to`."""
    key = "present-on" if to else "present-off"
    st.button(label, icon=icon, type="tertiary", key=key, on_click=link.store, args=(PRESENT.name, to))


def _any_of(figures: tuple[str, ...]) -> str:
    return ", ".join(f".st-key-{each}" for each in figures)


def _alone(figures: tuple[str, ...]) -> str:
    """Return the rules that hide all but `figures`: what neither holds one, nor is in one, nor measures the page."""
    shown = _any_of(figures)
    kept = f"{shown}, .st-key-present-off, .st-key-viewport"  # a page that is not measured is drawn for another width
    beside = f":not(:has({kept})):not({kept})"
    within = "$main_block_container :is($vertical_block, $horizontal_block)"
    return with_selectors(f"{within}:has({shown}) > {beside} {{ display: none !important; }}")
