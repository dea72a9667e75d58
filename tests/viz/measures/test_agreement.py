"""How far an expected row agrees with a model's: the weight that both have in common, and the widest gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.measures.agreement import agreement, expected_row

HEIGHTS = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(HEIGHTS)
def test_a_drawn_row_is_shares_and_agrees_with_itself(heights: list[float]) -> None:
    row = expected_row(heights)
    assert row.sum() == pytest.approx(1 if sum(heights) > 0 else 0)
    found = agreement(row, row)
    assert found.share == pytest.approx(row.sum())
    assert found.difference == 0


@given(st.data(), st.integers(1, 10))
def test_agreement_is_one_less_half_the_distance_and_the_same_both_ways(data: st.DataObject, count: int) -> None:
    one, other = (
        expected_row(data.draw(st.lists(st.floats(0.01, 1), min_size=count, max_size=count))) for _row in range(2)
    )
    found = agreement(one, other)
    assert found.share == pytest.approx(1 - np.abs(one - other).sum() / 2)
    assert found.share == pytest.approx(agreement(other, one).share)
    assert abs(found.difference) == pytest.approx(np.abs(one - other).max())
    assert other[found.gap] - one[found.gap] == pytest.approx(found.difference)


def test_rows_without_a_word_in_common_do_not_agree() -> None:
    assert agreement(expected_row([1, 0, 0]), np.array([0, 0.75, 0.25])).share == 0
