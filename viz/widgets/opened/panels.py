"""Opened traces side by side: a map a trace, with sentence and translation."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import models
from models.trace import AttentionTrace
from viz.canvas.alignment import AlignmentView
from viz.server.loading import described
from viz.views.view import choose_view
from viz.widgets.opened.taking import Opened
from viz.widgets.panels import show_panels
from viz.widgets.shown import Shown
from viz.widgets.visit import Wanted


def show_opened(opened: Sequence[Opened], wanted: Wanted) -> None:
    """Show traces of one text side by side, each with the map that it names as its alignment."""
    views = [choose_view(each.shown, unit=wanted.unit) if each.shown.sites else None for each in opened]
    panels = [AlignmentView(each.shown, view, *_about(each.shown)) for each, view in zip(opened, views, strict=True)]
    traces = {each.name: each.trace for each in opened}
    name = next((view.trace.source_text for view in views if view), "")
    with st.container(key="figure-alignment"):
        show_panels(panels, Shown(key="opened-panels", name=name, traces=traces), colour=wanted.colour)


def _about(trace: AttentionTrace) -> tuple[str, tuple[str, str]]:
    """Return the formula of a mechanism of ours and the codes of its languages; empty where they are not known."""
    about = trace.provenance
    entry = described([about.checkpoint], None).get(about.checkpoint) if about.checkpoint in models.catalog() else None
    if entry is None:
        return "", ("", "")
    source, _dash, target = entry.pair.partition("-")
    return (entry.mechanism.formula if entry.mechanism.key == about.mechanism else ""), (source, target)
