"""No font of a figure that is read from afar is too small, and the figure itself stays as it was."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.least_type import with_least_type


def test_every_small_font_is_raised_and_no_large_one_lowered() -> None:
    trace = go.Heatmap(z=[[1]], textfont={"size": 9}, colorbar={"tickfont": {"size": 10}})
    note = {"text": "a", "font": {"size": 8}}
    axis: dict[str, Any] = {"tickfont": {"size": 7}, "title": {"font": {"size": 20}}}
    figure = go.Figure(trace, {"annotations": [note, {"text": "b"}], "xaxis": axis})
    before = figure.to_plotly_json()
    made = with_least_type(figure, 13)
    assert (made.data[0].textfont.size, made.data[0].colorbar.tickfont.size) == (13, 13)
    assert (made.layout.annotations[0].font.size, made.layout.annotations[1].font.size) == (13, None)
    assert (made.layout.xaxis.tickfont.size, made.layout.xaxis.title.font.size) == (13, 20)
    assert figure.to_plotly_json() == before
