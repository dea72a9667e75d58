"""Plotly chart on a page: full width, alternative text, saving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from viz.captions.tables import csv_of_strips
from viz.figures.printable import Printed, PrintedStrips, is_printable
from viz.figures.strips import number_strips
from viz.text.markup import plain
from viz.views.strips import Strip
from viz.widgets.keep import file_name, keep_row
from viz.widgets.viewport import STEP

if TYPE_CHECKING:
    import plotly.graph_objects as go

Picture = Literal["png", "svg"]

PICTURE_SCALE = 2
"""Pixels of a PNG for each pixel of the page: sharp on a slide."""


def show_figure(
    figure: go.Figure,
    *,
    key: str,
    says: str,
    name: str,
    picture: Picture = "png",
    available: float,
    alt: str | None = None,
    on_select: Literal["ignore", "rerun"] = "ignore",
    csv: Callable[[], str] | None = None,
    printed: Callable[[], Printed] | None = None,
) -> None:
    """Show `figure` on the page, with a plain sentence of what is strongest under it."""
    options = {"format": picture, "filename": file_name(name), "scale": PICTURE_SCALE if picture == "png" else 1}
    with st.container(key=f"figure-{key}"):
        st.plotly_chart(
            figure,
            width="stretch" if figure.layout.width < available + STEP else round(figure.layout.width),
            theme=None,
            key=f"chart-{key}",
            config={
                "displaylogo": False,
                "displayModeBar": True,
                "scrollZoom": False,
                "modeBarButtons": [["toImage"]],
                "toImageButtonOptions": options,
            },
            alt=says if alt is None else alt,
            on_select=on_select,
            selection_mode="points",
        )
        st.caption(plain(says))
        if printed is not None or is_printable(figure):
            keep_row(printed or (lambda: figure), key=key, name=name, csv=csv, square=printed is None)


def show_strips(
    strips: Sequence[Strip],
    *,
    key: str,
    says: str,
    name: str,
    available: float,
    alt: str | None = None,
    title: str | None = None,
) -> None:
    """Show vectors and matrices below each other, as `show_figure` does, and let the reader keep them."""
    show_figure(
        number_strips(strips, width=available),
        key=key,
        says=says,
        name=name,
        available=available,
        alt=alt,
        csv=lambda: csv_of_strips(strips),
        printed=lambda: PrintedStrips(says if title is None else title, strips),
    )
