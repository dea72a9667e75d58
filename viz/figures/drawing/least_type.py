"""Type of a Plotly figure that is read from afar: none smaller than so many pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go


def with_least_type(figure: go.Figure, least: float) -> go.Figure:
    """Return a copy of a figure in which no font is smaller than `least` pixels."""
    return type(figure)(_raised(figure.to_plotly_json(), least))


def _raised(part: Any, least: float, *, is_font: bool = False) -> Any:
    """Return a part of a figure with the sizes of all its fonts raised."""
    if isinstance(part, (list, tuple)):
        return [_raised(each, least) for each in part]
    if not isinstance(part, dict):
        return part
    made = {name: _raised(each, least, is_font=name.endswith("font")) for name, each in part.items()}
    return made | {"size": max(made["size"], least)} if is_font and isinstance(made.get("size"), int | float) else made
