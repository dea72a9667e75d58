"""Opened traces side by side: a map a trace, with sentence and translation."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import models
from models.trace import AttentionTrace
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.figures.drawing.theme import Colour
from viz.server.loading import described
from viz.views.view import Unit, choose_view
from viz.widgets.canvas import alignment_canvas
from viz.widgets.keep import keep_row


def show_panels(
    opened: Mapping[str, tuple[AttentionTrace, AttentionTrace]],
    *,
    unit: Unit,
    colour: Colour,
) -> None:
    """Show traces of one text side by side, each with the map that it names as its alignment."""
    views = {name: choose_view(shown, unit=unit) if shown.sites else None for name, (_, shown) in opened.items()}
    panels = [AlignmentView(shown, views[name], *_about(shown)) for name, (_trace, shown) in opened.items()]
    payload = encode_alignment(panels, colour=colour)
    mapped = [view for view in views.values() if view]
    with st.container(key="figure-alignment"):
        alignment_canvas(payload, key="opened-panels")
        if mapped:
            keep_row(
                lambda: alignment_heatmap(mapped, colour=colour),
                key="opened-panels",
                name=mapped[0].trace.source_text,
                csv=lambda: csv_of_views(mapped),
                pictures=lambda: [Picture("alignment", payload)],
                traces={name: trace for name, (trace, _shown) in opened.items()},
            )


def _about(trace: AttentionTrace) -> tuple[str, tuple[str, str]]:
    """Return the formula of a mechanism of ours and the codes of its languages; empty where they are not known."""
    about = trace.provenance
    entry = described([about.checkpoint], None).get(about.checkpoint) if about.checkpoint in models.catalog() else None
    if entry is None:
        return "", ("", "")
    source, _dash, target = entry.pair.partition("-")
    return (entry.mechanism.formula if entry.mechanism.key == about.mechanism else ""), (source, target)
