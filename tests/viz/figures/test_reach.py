"""The picture of how far back language models read."""

from __future__ import annotations

from viz.figures.reach import FAR, reach_by_distance


def test_each_model_is_one_line_a_panel_and_keeps_its_colour() -> None:
    titles = {"a": "A <b>", "b": "B"}
    figure = reach_by_distance({"b": [0.7, 0.3]}, {"a": [1 / FAR] * 30, "b": [0.5, 0.5]}, titles, fixed=2)
    drawn = [(line.legendgroup, line.yaxis, len(line.x), line.showlegend) for line in figure.data]
    assert drawn == [("b", "y", 2, True), ("a", "y2", FAR, True), ("b", "y2", 2, False)]
    assert figure.data[0].x[0] == 1
    assert figure.data[0].line.color == figure.data[2].line.color != figure.data[1].line.color
    assert "<b>" not in figure.data[1].name
    assert figure.layout.shapes[0].x1 == 2.5
    assert not reach_by_distance({}, {}, titles).data
