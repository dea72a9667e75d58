"""How a page shows a picture: as wide as the page, with a sentence below and a way to keep it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_strips
from viz.figures.drawing.least_type import with_least_type
from viz.figures.printable import PrintedStrips
from viz.figures.strips import number_strips
from viz.text.markup import plain
from viz.views.strips import Strip
from viz.widgets.canvas import show_canvas
from viz.widgets.keep import file_name, keep_row
from viz.widgets.presenting import LEAST_TYPE, is_presented
from viz.widgets.shown import Shown
from viz.widgets.viewport import STEP
from viz.widgets.visit import Visit, W

if TYPE_CHECKING:
    import plotly.graph_objects as go

PICTURE_SCALE = 2
"""Pixels of a PNG for each pixel of the page: sharp on a slide."""


def show(shown: Shown, visit: Visit[W]) -> None:
    """Show a picture on the page, with a plain sentence of what is strongest under it."""
    figure = shown.picture
    with st.container(key=f"figure-{shown.key}"):
        if figure is not None and not isinstance(figure, Picture):
            _chart(figure, shown, visit)
            _below(shown)
            return
        if figure is not None:
            show_canvas(figure, key=shown.key)
    _below(shown)


def _chart(figure: go.Figure, shown: Shown, visit: Visit[W]) -> None:
    form = visit.wanted.picture
    if is_presented():
        figure = with_least_type(figure, LEAST_TYPE)
    options = {"format": form, "filename": file_name(shown.name), "scale": PICTURE_SCALE if form == "png" else 1}
    st.plotly_chart(
        figure,
        width="stretch" if figure.layout.width < visit.width + STEP else round(figure.layout.width),
        theme=None,
        key=f"chart-{shown.key}",
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "scrollZoom": False,
            "modeBarButtons": [["toImage", "lasso2d"] if shown.lasso else ["toImage"]],
            "toImageButtonOptions": options,
        },
        alt=shown.says if shown.alt is None else shown.alt,
        on_select="rerun" if shown.selects else "ignore",
        selection_mode=("points", "lasso") if shown.lasso else "points",
    )


def _below(shown: Shown) -> None:
    st.caption(plain(shown.says))
    keep_row(shown)


def show_strips(
    strips: Sequence[Strip],
    shown: Shown,
    visit: Visit[W],
    *,
    title: str = "",
    draw: Callable[..., go.Figure] = number_strips,
) -> None:
    """Show vectors and matrices below each other as the picture of `shown`."""
    figure = draw(strips, width=visit.width)
    printed = PrintedStrips(title or shown.says, strips)
    made = replace(shown, picture=figure, csv=lambda: csv_of_strips(strips), printed=lambda: printed, square=False)
    show(made, visit)
