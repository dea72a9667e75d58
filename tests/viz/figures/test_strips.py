"""Strips of numbers: what is drawn is what is given, its range is said, and awkward tokens are no markup."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.figure_samples import AWKWARD
from viz.captions.strips import heading_of
from viz.figures.strips import number_strips
from viz.views.strips import Strip
from viz.walk.digits import number, products, sum_of


@pytest.mark.parametrize("width", [340, 1320])
@pytest.mark.parametrize("name", AWKWARD)
def test_every_strip_is_drawn_as_it_is_with_its_shape_and_range(name: str, width: int) -> None:
    texts = AWKWARD[name]
    count = len(texts)
    generator = np.random.default_rng(0)
    matrix, weights = generator.normal(size=(count, 300)) * 7, generator.random((1, count))
    strips = (
        Strip("keys", "k", matrix, rows=texts, marked=(count - 1, 3)),
        Strip("weights", "a", weights, "weights", columns=texts, marked=(None, 0), made=True),
        Strip("mask", "m", np.ones((1, count)), "mask", columns=texts),
    )
    figure = number_strips(strips, width=width)
    figure.to_json().encode("utf-8")
    for drawn, strip, heading in zip(figure.data, strips, figure.layout.annotations, strict=True):
        np.testing.assert_array_equal(drawn.z, strip.values.astype(np.float32))
        assert strip.shape in heading.text.replace("<br>", " ")
        assert heading.text.startswith(f"<b>{strip.symbol}</b>")
    assert figure.data[0].zmin == -figure.data[0].zmax == pytest.approx(-np.abs(matrix).max())
    assert (figure.data[1].zmin, figure.data[1].zmax) == (0, 1)
    for axis in (figure.layout.yaxis, figure.layout.xaxis2):
        assert not any(re.search("<(?!/?(b|br))", text) for text in axis.ticktext)
    assert len(figure.layout.shapes) == 2
    frame = figure.layout.shapes[0]
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (2.5, 3.5, count - 1.5, count - 0.5)


def test_numbers_are_written_where_there_is_room() -> None:
    few, many = number_strips([Strip("v", "v", np.ones((1, 4))), Strip("w", "w", np.ones((1, 400)))]).data
    assert few.texttemplate == "%{z:.3f}"
    assert many.texttemplate is None


def test_strips_lie_below_each_other_whatever_they_hold() -> None:
    strips = [Strip("m", "m", np.ones((rows, columns))) for rows in (1, 9, 250) for columns in (1, 40, 512)]
    for width in (340, 1320):
        layout = number_strips(strips, width=width).layout
        ends = [layout[f"yaxis{each or ''}"].domain for each in ("", *range(2, len(strips) + 1))]
        assert all(upper[0] > lower[1] for upper, lower in pairwise(ends))
        assert min(low for low, _high in ends) >= 0
        assert all(high - low > 0 for low, high in ends)


def test_hidden_cells_are_left_out_of_the_range() -> None:
    strip = Strip("scores", "e", np.array([[1.5, np.nan, -2.0]]))
    assert strip.limit == 2
    assert "from -2 to 2" in heading_of(strip)
    assert Strip("zeros", "z", np.zeros((1, 2))).limit == 1


def test_the_shape_of_a_row_names_that_of_the_whole() -> None:
    assert Strip("W", "W", np.ones((1, 3)), whole=(5, 3)).shape == "[1 x 3 of 5 x 3]"
    assert Strip("W", "W", np.ones((5, 3)), whole=(5, 3)).shape == "[5 x 3]"


def test_what_is_no_table_is_refused() -> None:
    for values in (np.ones(3), np.ones((0, 3)), np.ones((1, 1, 1))):
        with pytest.raises(ValueError, match="rows and columns"):
            Strip("x", "x", values)
    with pytest.raises(ValueError, match="2 labels for 3"):
        Strip("x", "x", np.ones((1, 3)), columns=("a", "b"))
    with pytest.raises(ValueError, match="at least one"):
        number_strips([])


def value_of(latex: str) -> float:
    """Read a sum of products in LaTeX as the number that it is."""
    text = re.sub(r"\\underbrace\{(.*?)\}_\{\\text\{.*?\}\}", r"\1", latex)
    text = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", text).replace(r"\cdot", "*")
    assert re.fullmatch(r"[-+*().e\d ]+", text)
    return float(eval(text))


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=40))
def test_the_digits_written_add_up_to_the_sum(pairs: list[tuple[float, float]]) -> None:
    left, right = (np.array(each) for each in zip(*pairs, strict=True))
    text, total = products(left, right)
    assert total == pytest.approx(float(left @ right), abs=1e-9)
    assert value_of(text) == pytest.approx(total, abs=0.02 * 4 + 1e-3)
    assert text.count(r"\cdot") >= min(len(pairs), 3)


def test_the_largest_terms_are_written_out_and_the_rest_counted() -> None:
    text, total = sum_of([(float(each), number(float(each))) for each in (1, 50, 2, 40, 3, 30)])
    assert text == r"50.000 + 40.000 + 30.000 + \underbrace{6.000}_{\text{3 others}}"
    assert total == 126
