"""Lines of arithmetic, aligned on wide pages and broken at operators on narrow ones."""

from __future__ import annotations

import streamlit as st

from viz.walk.digits import aligned

ROOM = 1000
"""Pixels of a page that aligned lines need: the longest are sums of three products and the rest."""


def show_equations(*lines: str, available: float, beside: bool = False) -> None:
    """Show lines of LaTeX, aligned at their first ``&``."""
    if available >= ROOM:
        st.latex(r", \quad ".join(lines) if beside else aligned(*lines))
        return
    for line in lines:
        st.markdown(" ".join(rf"$\displaystyle {part}$" for part in line.replace("&", "").split(r"\quad")))
