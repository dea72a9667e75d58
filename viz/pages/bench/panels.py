"""Panels of the Bench's picture, one a mechanism."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from models.trace import AttentionTrace
from viz.pages.bench.wanted import BenchSettings, file_name_of, name_of
from viz.server.runtime import Host
from viz.text.language import current_language
from viz.views.view import View
from viz.widgets.panels import panel_of, show_panels
from viz.widgets.shown import Shown
from viz.widgets.zeroing import ZEROED

CANVAS = "alignment"


def draw(
    host: Host,
    run: tuple[Hashable, ...],
    drawn: Mapping[str, tuple[AttentionTrace, View | None]],
    wanted: BenchSettings,
    *,
    says: str,
) -> None:
    """Show a panel a mechanism, and what the picture `says`, in one picture made once for all who look at the same."""
    drawn_as = (*run, *drawn, wanted.colour, wanted.links, current_language())
    traces = {key: trace for key, (trace, _view) in drawn.items()}
    show_panels(
        [panel_of(key, *each) for key, each in drawn.items()],
        Shown(
            key=CANVAS,
            says=says,
            name=file_name_of(traces) + {"moved": " moved", ZEROED: " value zeroing"}.get(wanted.quantity, ""),
            traces={name_of(key): trace for key, trace in traces.items()},
        ),
        colour=wanted.colour,
        linking=wanted.links,
        asks=True,
        once=lambda make: host.workings.get(drawn_as, make),
    )
