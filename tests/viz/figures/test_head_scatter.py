"""All heads as points: each at its numbers, named, the picked ones ringed."""

from __future__ import annotations

from viz.figures.head_scatter import head_scatter
from viz.views.heads import HeadPlace

PLACES = (HeadPlace(0, 0), HeadPlace(0, 1), HeadPlace(1, 0))


def test_each_head_stands_at_its_numbers_and_says_what_it_is() -> None:
    axes = (("<b>one", (0.1, 0.2, 0.3)), ("two", (4.0, 5.0, 6.0)), ("three", (0.0, 0.5, 2.0)))
    figure = head_scatter(PLACES, axes, ("first", "none <i>", "same"), picked=PLACES[1:2], width=900)
    (points,) = figure.data
    assert points.x == (0.1, 0.2, 0.3)
    assert points.y == (4.0, 5.0, 6.0)
    assert points.marker.color == (0.0, 0.5, 2.0)
    assert (points.marker.cmin, points.marker.cmax) == (0, 2)
    assert points.text[2] == "layer 1, head 0<br>same"
    assert "<i>" not in points.text[1]
    assert "<b>" not in figure.layout.xaxis.title.text
    assert points.marker.line.width == (1, 3, 1)
    assert figure.layout.dragmode == "lasso"
