"""Colours: one meaning, one direction, no surprise."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.colours import luminance
from viz.figures.drawing import theme


def test_more_weight_is_always_darker() -> None:
    values = [luminance(colour) for _, colour in theme.WEIGHT_SCALE]
    assert all(lighter > darker for lighter, darker in itertools.pairwise(values))
    assert (values[0] + 0.05) / (values[-1] + 0.05) > 12


def test_differences_grow_darker_on_both_sides_of_a_pale_zero() -> None:
    values = [luminance(colour) for _, colour in theme.DIFFERENCE_SCALE]
    middle = len(values) // 2
    assert theme.DIFFERENCE_SCALE[middle][0] == 0.5
    assert values[: middle + 1] == sorted(values[: middle + 1])
    assert values[middle:] == sorted(values[middle:], reverse=True)


def test_the_ends_of_the_difference_scale_differ_without_red_and_green() -> None:
    # Blue is what people who confuse red and green tell apart.
    low, high = theme.DIFFERENCE_SCALE[1][1], theme.DIFFERENCE_SCALE[-2][1]
    assert abs(int(low[5:], 16) - int(high[5:], 16)) > 100


@pytest.mark.parametrize("scale", [theme.WEIGHT_SCALE, theme.DIFFERENCE_SCALE])
def test_a_scale_goes_from_0_to_1(scale: tuple[tuple[float, str], ...]) -> None:
    places = [place for place, _ in scale]
    assert places == sorted(set(places))
    assert (places[0], places[-1]) == (0, 1)


@given(st.sampled_from([theme.WEIGHT_SCALE, theme.DIFFERENCE_SCALE]), st.floats(-0.5, 1.5))
def test_a_shade_lies_between_its_neighbours_as_numpy_has_it(
    scale: tuple[tuple[float, str], ...], place: float
) -> None:
    ends = [end for end, _ in scale]
    channels = [[int(shade[at : at + 2], 16) for _, shade in scale] for at in (1, 3, 5)]
    wanted = [round(float(np.interp(place, ends, values))) for values in channels]
    assert theme.shade_at(scale, place) == "#" + "".join(f"{each:02x}" for each in wanted)


def test_the_axis_of_weights_is_0_to_1_and_says_what_it_means() -> None:
    axis = theme.weight_axis("share")
    assert (axis["cmin"], axis["cmax"]) == (0, 1)
    assert axis["colorbar"]["title"]["text"] == "share"


def test_the_axis_of_differences_is_symmetric() -> None:
    axis = theme.difference_axis("A minus B", largest=0.4)
    assert (axis["cmin"], axis["cmax"]) == (-0.4, 0.4)


@pytest.mark.parametrize("largest", [0.0, -1.0, float("nan")])
def test_a_scale_of_differences_has_a_width(largest: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        theme.difference_axis("A minus B", largest=largest)


def test_text_stands_out_from_paper() -> None:
    assert (luminance(theme.PAPER_COLOUR) + 0.05) / (luminance(theme.TEXT_COLOUR) + 0.05) > 7
