"""How a page shows a figure: as wide as the page, with words for those who do not see it, and a picture to keep."""

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
    """Show `figure` on the page, with a plain sentence of what is strongest under it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        With a width; one that is wider than the page can be scrolled.
    key : str
        Names the figure on its page.
    says : str
        What is strongest, in a sentence: shown under the figure.
    name : str
        Of the file that the toolbar saves, without ending; made fit by `file_name`.
    picture : {"png", "svg"}, optional
        What the toolbar saves: it knows one format at a time.
    available : float
        Pixels that the page is wide.
    alt : str, optional
        For those who do not see the figure; left out, what it says.
    on_select : {"ignore", "rerun"}, optional
        Whether a click on a point runs the page again; what was clicked stands in the session under ``chart-`` and
        `key`.
    csv : callable, optional
        Returns the numbers of the figure as CSV; called when somebody keeps them.
    printed : callable, optional
        Returns what is drawn for print in its place; left out, the figure itself where that can be.
    """
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
    """Show vectors and matrices below each other, as `show_figure` does, and let the reader keep them.

    Parameters
    ----------
    strips : sequence of Strip
        At least one.
    key, says, name, available, alt
        As in `show_figure`.
    title : str, optional
        Of all, in print; left out, what it says.
    """
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
