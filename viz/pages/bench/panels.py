"""The Bench's picture: a panel a mechanism, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import cast

import models
from models.trace import AttentionTrace
from viz.canvas.alignment import Shown, encode_alignment
from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.pages.bench.wanted import Wanted, file_name_of, name_of
from viz.text.language import current_language
from viz.views.view import View
from viz.widgets.canvas import alignment_canvas
from viz.widgets.keep import keep_row
from viz.widgets.language_pair import pair_of


def drawn_as(order: Sequence[str], wanted: Wanted) -> tuple[Hashable, ...]:
    """Return on what a picture of given views depends.

    Parameters
    ----------
    order : sequence of str
        Keys of the models.
    wanted : Wanted
    """
    return (*order, wanted.colour, wanted.links, current_language())


def show_panels(
    shown: dict[str, tuple[AttentionTrace, View | None]], wanted: Wanted, once: Callable[[Callable[[], bytes]], bytes]
) -> None:
    """Show a panel a mechanism, all in one picture, which is made `once` for all who look at the same.

    Parameters
    ----------
    shown : dict of str to (AttentionTrace, View or None)
        By keys of the models, in the order drawn; no view where there is no attention.
    wanted : Wanted
    once : callable
        Takes what makes the picture's bytes, and returns them.
    """
    panels = [
        Shown(
            trace, view, models.describe(key).mechanism.formula, cast("tuple[str, str]", tuple(pair_of(key).split("-")))
        )
        for key, (trace, view) in shown.items()
    ]
    payload = once(lambda: encode_alignment(panels, colour=wanted.colour, linking=wanted.links))
    alignment_canvas(payload, key="alignment")
    views = [view for _trace, view in shown.values() if view]
    if views:
        name = file_name_of({key: trace for key, (trace, _view) in shown.items()})
        keep_row(
            lambda: alignment_heatmap(views, colour=wanted.colour, linking=wanted.links),
            key="alignment",
            name=name,
            csv=lambda: csv_of_views(views, linking=wanted.links),
            pictures=lambda: [Picture("alignment", payload)],
            traces={name_of(key): trace for key, (trace, _view) in shown.items()},
        )
