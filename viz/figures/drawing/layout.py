"""Plotly layout of a figure whose parts are placed by pixels."""

from __future__ import annotations

from typing import Any

from viz.figures.drawing.theme import template


def bare_layout(width: float, height: float) -> dict[str, Any]:
    """Return the layout of a figure of `width` times `height` pixels without a margin: what is drawn places itself."""
    margin = {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False}
    return {"template": template(), "width": width, "height": height, "margin": margin}
