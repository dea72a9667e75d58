"""Panels have room for their labels, share one cell size and start at one height."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.figures.drawing.grid import GLYPH_WIDTH, Box, PanelSize, arrange, choose_columns

SIZES = st.lists(
    st.builds(
        lambda rows, labels, row_label, note: PanelSize(rows, len(labels), row_label, tuple(labels), note),
        st.integers(0, 60),
        st.lists(st.integers(1, 24), max_size=60),
        st.integers(0, 24),
        st.sampled_from(("", "a note", "a note of many words " * 6)),
    ),
    min_size=1,
    max_size=5,
)


def overlap(one: Box, other: Box) -> bool:
    apart = one.right <= other.head_left or other.right <= one.head_left
    return not (apart or one.bottom <= other.head_top or other.bottom <= one.head_top)


@given(SIZES, st.integers(300, 2400), st.none() | st.integers(1, 5))
def test_panels_lie_inside_the_figure_and_apart(sizes: list[PanelSize], width: int, columns: int | None) -> None:
    grid = arrange(sizes, width=width, columns=columns, legend=70)
    assert len(grid.boxes) == len(sizes)
    assert all(box.right <= grid.width + 1e-6 for box in grid.boxes)
    assert not any(overlap(one, other) for one, other in itertools.combinations(grid.boxes, 2))
    for box in grid.boxes:
        assert 0 <= box.head_left < box.left <= box.right
        assert 0 <= box.head_top < box.top <= box.bottom < grid.height
        assert all(0 <= share <= 1 for share in (*grid.x_domain(box), *grid.y_domain(box)))


@given(SIZES, st.integers(300, 2400))
def test_all_cells_have_one_size(sizes: list[PanelSize], width: int) -> None:
    grid = arrange(sizes, width=width)
    pairs = list(zip(sizes, grid.boxes, strict=True))
    widths = [(box.right - box.left) / size.columns for size, box in pairs if size.columns]
    heights = [(box.bottom - box.top) / size.rows for size, box in pairs if size.rows]
    assert all(each == pytest.approx(widths[0]) for each in widths)
    assert all(each == pytest.approx(heights[0]) for each in heights)


def sentence(words: int) -> PanelSize:
    return PanelSize(words, words, 10, (7,) * words)


def test_three_panels_stand_side_by_side_on_a_desk_and_stacked_on_a_phone() -> None:
    assert choose_columns([sentence(14)] * 3, 1320) == 3
    assert choose_columns([sentence(14)] * 3, 358) == 1
    assert choose_columns([sentence(60)] * 3, 1320) == 1
    assert [choose_columns([sentence(6)] * count, 1320) for count in (4, 5, 6, 9)] == [4, 3, 3, 3]


def test_neighbours_start_at_one_height_whatever_their_lengths() -> None:
    grid = arrange([sentence(5), sentence(12)], width=1320)
    assert grid.boxes[0].top == grid.boxes[1].top
    assert grid.boxes[0].bottom < grid.boxes[1].bottom


def test_room_for_the_colour_bar_is_below_one_row_and_above_several() -> None:
    one, several = (arrange([sentence(8)] * 3, width=1320, columns=columns, legend=70) for columns in (3, 1))
    assert one.boxes[0].head_top == 0
    assert several.boxes[0].head_top == 70


def test_labels_turn_when_cells_are_narrow() -> None:
    assert [arrange([sentence(words)], width=width).angle for words, width in ((3, 1320), (10, 420), (20, 420))] == [
        0,
        -45,
        -90,
    ]


@given(SIZES, st.integers(300, 2400))
def test_labels_end_inside_the_figure_and_level_ones_stand_apart(sizes: list[PanelSize], width: int) -> None:
    grid = arrange(sizes, width=width)
    aside = {0: 0.5, -45: math.sqrt(0.5), -90: 0.0}[grid.angle]
    for size, box in zip(sizes, grid.boxes, strict=True):
        cell = (box.right - box.left) / max(size.columns, 1)
        halves = [label * GLYPH_WIDTH * grid.column_font / 2 for label in size.column_labels]
        middles = [box.left + (column + 0.5) * cell for column in range(size.columns)]
        for (one, left), (other, right) in itertools.pairwise(zip(halves, middles, strict=True)):
            assert grid.angle or one + other < right - left
        ends = [middle + 2 * half * aside for middle, half in zip(middles, halves, strict=True)]
        assert max(ends, default=0.0) <= grid.width + 0.3


def test_a_long_last_label_that_turns_as_its_cells_shrink_stays_inside() -> None:
    (box,) = (grid := arrange([PanelSize(6, 4, 18, (2, 4, 2, 13))], width=458)).boxes
    assert grid.angle == -45
    end = box.right - (box.right - box.left) / 8 + 13 * GLYPH_WIDTH * grid.column_font * math.sqrt(0.5)
    assert 430 < end <= 458


def test_characters_stay_level_beside_the_end_of_the_sentence() -> None:
    """A character has two columns, </s> four."""
    chinese = PanelSize(6, 9, 6, (*[2] * 8, 4))
    assert arrange([chinese] * 3, width=1320).angle == 0
    assert arrange([chinese, PanelSize(6, 9, 6, (4,) * 9)], width=700).angle == -45
