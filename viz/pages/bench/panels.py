"""Panels of the Bench's picture, one a mechanism."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from models.trace import AttentionTrace
from viz.pages.bench.wanted import BenchSettings, file_name_of, name_of
from viz.server.runtime import Host
from viz.text.language import current_language
from viz.views.view import View
from viz.widgets.panels import show_panels


def draw(
    host: Host,
    run: tuple[Hashable, ...],
    shown: Mapping[str, tuple[AttentionTrace, View | None]],
    wanted: BenchSettings,
) -> None:
    """Show a panel a mechanism, in one picture made once for all who look at the same."""
    drawn_as = (*run, *shown, wanted.colour, wanted.links, current_language())
    show_panels(
        shown,
        {key: name_of(key) for key in shown},
        colour=wanted.colour,
        linking=wanted.links,
        name=file_name_of({key: trace for key, (trace, _view) in shown.items()}),
        once=lambda make: host.workings.get(drawn_as, make),
    )
