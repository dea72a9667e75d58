"""Numbers of heads as a picture: a row a layer, a column a head, each with its number."""

import numpy as np
import pytest

from viz.figures.by_head import numbers_by_head
from viz.figures.drawing.theme import coloured
from viz.views.heads import HeadPlace

VALUES = {HeadPlace(0, 0): 0.25, HeadPlace(0, 1): 0.5, HeadPlace(2, 1): 1.5}


@pytest.mark.parametrize("signed", [False, True])
def test_every_number_stands_in_the_row_of_its_layer_and_the_column_of_its_head(signed: bool) -> None:
    figure = numbers_by_head(VALUES, title="entropy", meaning="bits", largest=0.0 if signed else None)
    (panel,) = figure.panels
    expected = np.array([[0.25, 0.5], [np.nan, 1.5]], dtype=np.float32)
    np.testing.assert_array_equal(panel.values, expected)
    np.testing.assert_allclose(figure.data[0].z, coloured(expected, "linear"))
    assert panel.queries.texts == ("0", "2")
    assert panel.keys.texts == ("0", "1")
    axis = figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == ((-1.5, 1.5) if signed else (0, 1.5))


def test_pictures_that_share_a_scale_end_where_they_are_told() -> None:
    figure = numbers_by_head(VALUES, title="loss", meaning="nats", largest=4.0)
    assert figure.layout.coloraxis.cmax == 4.0
