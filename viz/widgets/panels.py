"""Attention maps of several models in one canvas, with saving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

import models
from models.keys import pair_of
from models.trace import AttentionTrace
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.figures.drawing.theme import Colour
from viz.text.markup import plain
from viz.views.aligned import Linking
from viz.views.view import View
from viz.widgets.canvas import show_canvas
from viz.widgets.keep import keep_row
from viz.widgets.shown import Shown


def panel_of(key: str, trace: AttentionTrace, view: View | None, *, name: str = "") -> AlignmentView:
    """Return the panel of one of our models; `name` tells it from others of the same."""
    languages = cast("tuple[str, str]", tuple(pair_of(key).split("-")))
    return AlignmentView(trace, view, models.describe(key).mechanism.formula, languages, name)


def show_panels(
    panels: Sequence[AlignmentView],
    shown: Shown,
    *,
    colour: Colour,
    linking: Linking = "none",
    asks: bool = False,
    once: Callable[[Callable[[], bytes]], bytes] = lambda make: make(),
) -> None:
    """Show panels as the picture of `shown`, which is made `once` for all who look at the same.

    A cell can be asked for where the page `asks`: `viz.widgets.canvas.asked_on` says which.
    """
    picture = Picture("alignment", once(lambda: encode_alignment(panels, colour=colour, linking=linking, asks=asks)))
    show_canvas(picture, key=shown.key)
    if shown.says:
        st.caption(plain(shown.says))
    views = [each.view for each in panels if each.view]
    names = [each.name for each in panels if each.view and each.name]
    if views:
        kept = replace(
            shown,
            picture=picture,
            page=lambda: [Picture("alignment", encode_alignment(panels, colour=colour, linking=linking))],
            printed=lambda: alignment_heatmap(views, colour=colour, linking=linking, titles=names),
            csv=lambda: csv_of_views(views, linking=linking),
        )
        keep_row(kept)
