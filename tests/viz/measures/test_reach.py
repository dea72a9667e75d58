"""How far back a map reads: means over the tokens that have so many before them."""

from __future__ import annotations

import numpy as np
import pytest

from viz.measures.reach import share_within, weight_by_distance


def random_map(tokens: int) -> np.ndarray:
    rows = np.tril(np.random.default_rng(1).random((tokens, tokens)), -1)
    rows[0, 0] = 1
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def test_weight_by_distance_is_counted_over_pairs() -> None:
    weights = random_map(9)
    expected = [np.mean([weights[row, row - back] for row in range(back, 9)]) for back in range(1, 9)]
    np.testing.assert_allclose(weight_by_distance(weights), expected)
    assert len(weight_by_distance(weights[:1, :1])) == 0


def test_the_share_of_the_nearest_counts_tokens_that_have_more_before_them() -> None:
    weights = random_map(9)
    expected = np.mean([weights[row, row - 5 : row].sum() for row in (6, 7, 8)])
    assert share_within(weights) == pytest.approx(expected)
    assert np.isnan(share_within(weights[:6, :6]))
    even = np.tril(np.ones((21, 21)), -1) / np.maximum(np.arange(21), 1)[:, None]
    assert share_within(even) == pytest.approx(np.mean([5 / row for row in range(6, 21)]))
