"""Attention maps of several models in one canvas, with saving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import models
from models.keys import pair_of
from models.trace import AttentionTrace
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.figures.drawing.theme import Colour
from viz.views.aligned import Linking
from viz.views.view import View
from viz.widgets.canvas import alignment_canvas
from viz.widgets.keep import keep_row


def show_panels(
    shown: Mapping[str, tuple[AttentionTrace, View | None]],
    titles: Mapping[str, str],
    *,
    colour: Colour,
    linking: Linking,
    name: str,
    once: Callable[[Callable[[], bytes]], bytes],
) -> None:
    """Show a panel a model, all in one picture, which is made `once` for all who look at the same."""
    panels = [
        AlignmentView(
            trace, view, models.describe(key).mechanism.formula, cast("tuple[str, str]", tuple(pair_of(key).split("-")))
        )
        for key, (trace, view) in shown.items()
    ]
    payload = once(lambda: encode_alignment(panels, colour=colour, linking=linking))
    alignment_canvas(payload, key="alignment")
    views = [view for _trace, view in shown.values() if view]
    if views:
        keep_row(
            lambda: alignment_heatmap(views, colour=colour, linking=linking),
            key="alignment",
            name=name,
            csv=lambda: csv_of_views(views, linking=linking),
            pictures=lambda: [Picture("alignment", payload)],
            traces={titles[key]: trace for key, (trace, _view) in shown.items()},
        )
